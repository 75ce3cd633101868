import { CLIENT_VERBS } from './client-verbs';
import type { VerbGroup } from './program';

/** All verbs, in the order of the help. */
export const VERBS: readonly VerbGroup[] = [
  ['up worker', async () => (await import('./up.js')).addRunVerbs],
  ['serve', async () => (await import('./serve.js')).addServeVerb],
  ['mcp', async () => (await import('./mcp.js')).addMcpVerb],
  ['demo', async () => (await import('./demo.js')).addDemoVerb],
  ['chat', async () => (await import('./chat/verb.js')).addChatVerb],
  ...CLIENT_VERBS,
  ['macro', async () => (await import('./macro/verbs.js')).addMacroVerbs],
  ['adapters', async () => (await import('./adapters.js')).addAdaptersVerb],
  ['policy', async () => (await import('./policy.js')).addPolicyVerbs],
  ['tools', async () => (await import('./tools.js')).addToolsVerb],
  ['login', async () => (await import('./login/verbs.js')).addLoginVerb],
  ['doctor', async () => (await import('./doctor/verb.js')).addDoctorVerb],
];

import type { VerbGroup } from './program';

/** The verbs that only call a server. They start nothing, and load neither a worker nor an API. */
export const CLIENT_VERBS: readonly VerbGroup[] = [
  ['start preview', async () => (await import('./operation/start.js')).addStartVerbs],
  ['continue cancel end say', async () => (await import('./operation/decisions.js')).addActVerbs],
  ['revise', async () => (await import('./operation/decisions.js')).addReviseVerb],
  ['delegate', async () => (await import('./operation/decisions.js')).addDelegateVerb],
  ['edit', async () => (await import('./operation/edit.js')).addEditVerb],
  ['undo', async () => (await import('./operation/undo.js')).addUndoVerb],
  ['status errors items list guard', async () => (await import('./operation/status.js')).addLookVerbs],
  ['watch', async () => (await import('./watch/watch.js')).addWatchVerb],
  ['resume', async () => (await import('./operation/resume.js')).addResumeVerb],
  [
    'complete extend withdraw resolve retry-failed report',
    async () => (await import('./operation/follow-ups.js')).addAfterVerbs,
  ],
  ['stats', async () => (await import('./operation/stats.js')).addStatsVerb],
  ['task', async () => (await import('./progress/task.js')).addTaskVerbs],
  ['contract', async () => (await import('./progress/contract.js')).addContractVerbs],
  ['touch', async () => (await import('./operation/follow-ups.js')).addTouchVerb],
  ['profile', async () => (await import('./profile.js')).addProfileVerbs],
  ['link', async () => (await import('./link.js')).addLinkVerb],
  ['keys', async () => (await import('./keys.js')).addKeyVerbs],
  ['audit', async () => (await import('./audit.js')).addAuditVerbs],
  ['webhooks', async () => (await import('./webhooks.js')).addWebhookVerbs],
  ['scratchpad', async () => (await import('./scratchpad.js')).addScratchpadVerbs],
  ['completion complete-words', async () => (await import('./completion/verb.js')).addCompletionVerbs],
];

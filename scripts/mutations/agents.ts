import type { Mutation } from './mutation';

const SEAL = { file: 'src/mcp/confirmation/seal.ts', tests: ['unit/mcp-seals'] };
const CONFIRM = { file: 'src/mcp/confirmation/confirm.ts', tests: ['mcp/door-guards'] };
const MESSAGE = { file: 'src/mcp/confirmation/message.ts', tests: ['mcp/door-guards'] };
const FORM = { file: 'src/mcp/confirmation/form.ts', tests: ['mcp/door-guards'] };

/** The doors for agents, and the data that passes through their hosts. */
export const AGENT_MUTATIONS: readonly Mutation[] = [
  {
    ...SEAL,
    name: 'seal-caller',
    guards: 'the answer to a question of another agent',
    find: 'sealed.caller !== callerId || ',
    replace: '',
  },
  {
    ...SEAL,
    name: 'seal-operation',
    guards: 'the answer to a question about another operation',
    find: 'sealed?.operation_id === operation_id && sealed.batch === batch;',
    replace: 'sealed?.batch === batch;',
  },
  {
    ...SEAL,
    name: 'seal-batch',
    guards: 'the answer to a question about another batch',
    find: 'sealed?.operation_id === operation_id && sealed.batch === batch;',
    replace: 'sealed?.operation_id === operation_id;',
  },
  {
    ...SEAL,
    name: 'seal-once',
    guards: 'an answer that is sent twice',
    find: 'used.add(sealed.nonce);',
    replace: '',
  },
  {
    ...SEAL,
    name: 'seal-time',
    guards: 'an answer that comes much later',
    find: 'ttlSeconds: lastsSeconds',
    replace: 'ttlSeconds: 1_000_000',
  },
  {
    ...SEAL,
    name: 'seal-opened',
    guards: 'a state that was made up',
    find: 'open: (state, mcp) => codec.verify(state, mcp),',
    replace:
      "open: (state) => Promise.resolve((JSON.parse(Buffer.from(state.split('.')[1] ?? '', 'base64url').toString()) as { p: unknown }).p),",
  },
  {
    ...CONFIRM,
    name: 'agent-form-answer',
    guards: 'a decision by a form where only the page may decide',
    find: "return context.confirm === 'elicit' && abilities.form ? answerForm(input, call) : answerLink(input, call);",
    replace: 'return abilities.form ? answerForm(input, call) : answerLink(input, call);',
  },
  {
    ...CONFIRM,
    name: 'agent-form-question',
    guards: 'a question by a form where only the page may decide',
    find: "if (context.confirm === 'elicit' && abilities.form) return askByForm(call, status, gate);",
    replace: 'if (abilities.form) return askByForm(call, status, gate);',
  },
  {
    ...CONFIRM,
    name: 'agent-message',
    guards: 'a decision by a message where only the page may decide',
    find: "if (context.confirm === 'message') return passOn(input, call, status, gate);",
    replace: 'return passOn(input, call, status, gate);',
  },
  {
    ...CONFIRM,
    name: 'agent-batch',
    guards: 'a call about another batch than the open one',
    find: 'if (open.number !== batch)',
    replace: 'if (false)',
  },
  {
    ...MESSAGE,
    name: 'agent-message-unseen',
    guards: "a message about a question that the agent's person was not shown",
    find: 'last?.digest !== gate.digest || last.attempt !== gate.attempt)',
    replace: 'last === undefined)',
  },
  {
    ...MESSAGE,
    name: 'agent-message-limited',
    guards: 'a bare yes after a message that limited the batch',
    find: 'return { text, clock, note, remembers_since };',
    replace: 'return { text, clock };',
    tests: ['mcp/passing-on'],
  },
  {
    ...FORM,
    name: 'agent-form-note',
    guards: 'a form that confirms with a note that may limit the batch',
    find: "if (form?.decision === 'continue' && note !== '') throw incorrect(MISPLACED);",
    replace: '',
    tests: ['mcp/confirming'],
  },
  {
    ...FORM,
    name: 'agent-form-empty',
    guards: 'a form without a decision',
    find: "if (form?.decision !== 'continue') return told(call, status, form ? 'declined' : 'no_decision');\n  return run(call, sealed, exclusionsOf(status, sealed, form.exclude));",
    replace: 'return run(call, sealed, exclusionsOf(status, sealed, form?.exclude));',
  },
  {
    ...FORM,
    name: 'agent-form-exclusions',
    guards: 'a form whose exclusions name other things than the list',
    find: 'const item = /^\\d{1,4}$/.test(part) ? items[Number(part) - 1] : undefined;',
    replace: 'const item = items[Number(part) - 1] ?? items[0];',
  },
  {
    name: 'agent-sessions',
    guards: 'an agent that names the session of another one',
    file: 'src/mcp/caller.ts',
    find: 'return name.startsWith(sessions) ? name : `${sessions}${name}`;',
    replace: 'return name;',
    tests: ['unit/mcp-seals'],
  },
  {
    name: 'agent-key-sessions',
    guards: 'two keys that share their sessions',
    file: 'src/mcp/http.ts',
    find: "const sessions = `${session_prefix ?? ''}mcp.${id}.`;",
    replace: "const sessions = `${session_prefix ?? ''}mcp.`;",
    tests: ['unit/mcp-seals'],
  },
  {
    name: 'agent-reach',
    guards: 'a job of another agent',
    file: 'src/mcp/caller.ts',
    find: 'if (!reaches(sessions, session)) throw hidden();',
    replace: '',
    tests: ['mcp/door-guards'],
  },
  {
    name: 'agent-resources',
    guards: 'a resource about a job of another agent',
    file: 'src/mcp/resources.ts',
    find: '    await checkReach(client, caller, id);\n    return look(client);',
    replace: '    return look(client);',
    tests: ['mcp/door-guards'],
  },
  {
    name: 'agent-macros',
    guards: 'a macro of a key with a session prefix',
    file: 'src/mcp/tools/macros.ts',
    find: 'if (caller.session_prefix !== undefined) throw beyondSessions(caller.session_prefix);',
    replace: '',
    tests: ['mcp/door-guards'],
  },
];

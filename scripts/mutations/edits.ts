import type { Mutation } from './mutation';

const EDITS = { file: 'src/core/bulk/edits.ts', tests: ['unit/edits'] };
const MODEL = { ...EDITS, tests: ['unit/lifecycle.properties'] };
const GATE = { file: 'src/core/bulk/gate.ts', tests: ['unit/edits'] };

/** The judge of every edit, and the effect of an edit on the previous question. */
export const EDIT_MUTATIONS: readonly Mutation[] = [
  {
    ...MODEL,
    name: 'edit-question',
    guards: 'an edit of another question than the open one',
    find: "return otherQuestion(gate, request, 'This edit', 'nothing was changed');",
    replace: 'return undefined;',
  },
  {
    ...MODEL,
    name: 'edit-deadline',
    guards: 'an edit after the deadline',
    find: 'if (state.deadline !== undefined && now >= state.deadline) return closedError(state);',
    replace: '',
  },
  {
    ...EDITS,
    name: 'edit-attempt',
    guards: 'a confirmation of the question before an edit',
    find: 'const next = { ...state, attempt: state.attempt + 1 };',
    replace: 'const next = state;',
  },
  {
    ...EDITS,
    name: 'edit-repeated',
    guards: 'an edit that is delivered again',
    find: "if (id !== undefined && isOfEdit(state, id)) return { kind: 'duplicate' };",
    replace: '',
  },
  {
    ...EDITS,
    name: 'edit-confirmed',
    guards: 'an edit under the id of a confirmation',
    find: "(id !== undefined && hasConfirmed(state, id) ? otherDecision('nothing was changed') : undefined) ??",
    replace: '',
  },
  {
    ...GATE,
    name: 'edit-confirms',
    guards: 'a confirmation under the id of an edit',
    find: "if (id !== undefined && isOfEdit(state, id)) return refuse(otherDecision('nothing was run'));",
    replace: '',
  },
  {
    ...EDITS,
    name: 'edit-fixed',
    guards: 'an edit of a parameter that the operator has fixed',
    file: 'src/core/bulk/action-params.ts',
    find: ' && !fixed.includes(name)',
    replace: '',
  },
  {
    ...EDITS,
    name: 'edit-selects',
    guards: 'an edit that selects other items',
    file: 'src/core/bulk/action-params.ts',
    find: '!query.includes(name) && ',
    replace: '',
  },
  {
    name: 'edit-overtaken',
    guards: 'a new plan of a worker that was given up',
    file: 'src/postgres/store/editions.ts',
    find: ' || operation.edition !== edition - 1',
    replace: '',
    tests: ['store/editions'],
  },
  {
    name: 'edit-touched',
    guards: 'a new plan for an item that was touched meanwhile',
    file: 'src/postgres/store/editions.ts',
    find: 'if (Number(update.numAffectedRows ?? 0) !== count) throw overtaken(adoption);',
    replace: '',
    tests: ['store/editions'],
  },
  {
    name: 'edit-message',
    guards: 'a bare yes after an edit that failed',
    file: 'src/client/conversation.ts',
    find: "if ((move.kind === 'edit' || move.kind === 'revise') && turn.error)",
    replace: 'if (false)',
    tests: ['workflows/edit-messages'],
  },
];

import type { TurnView } from '../../src/contract/assistant';
import type { BulkStatus } from '../../src/contract/operation';
import type { Expectation, ExpectedOperation } from './expectation';

/** An operation that a request started, with the ids of its plan. */
export interface Started {
  status: Pick<
    BulkStatus,
    | 'operation_id'
    | 'session_id'
    | 'domain'
    | 'action'
    | 'state'
    | 'total'
    | 'processed'
    | 'in_doubt'
    | 'batch_size'
    | 'next_batch'
    | 'last_batch'
    | 'confirmations'
  >;
  ids: readonly string[];
}

/** The result of a request. */
export interface Observed {
  session_id: string;
  turn?: Pick<TurnView, 'state' | 'answer' | 'calls' | 'error'>;
  operations: readonly Started[];
  /** Live jobs in the session other than the assistant and its operations. */
  jobs: readonly { kind: string; job_id: string }[];
  /** The reason why there is no turn. */
  trouble?: string;
}

export interface Verdict {
  passed: boolean;
  /** The reasons for the failure. */
  reasons: string[];
}

/** `idsOf`: the items that an operation must have. One matching expectation suffices; none of them excuses a batch. */
export function judge(
  expects: readonly Expectation[],
  observed: Observed,
  idsOf: (expected: ExpectedOperation) => readonly string[],
): Verdict {
  const always = [...withoutTurn(observed), ...batchesThatRan(observed), ...otherJobs(observed)];
  if (always.length > 0) return { passed: false, reasons: always };
  const misses = expects.map((expected) => missesOf(expected, observed, idsOf));
  if (misses.some((one) => one.length === 0)) return { passed: true, reasons: [] };
  return { passed: false, reasons: [...new Set(misses.map((one) => one.join('; ')))] };
}

function withoutTurn({ turn, trouble }: Observed): string[] {
  if (trouble !== undefined) return [trouble];
  if (turn === undefined) return ['there was no turn of the assistant'];
  return turn.error ? [`the turn failed: ${turn.error.code} ${turn.error.message}`] : [];
}

function batchesThatRan({ operations }: Observed): string[] {
  return operations
    .filter(({ status }) => {
      const { processed, in_doubt, last_batch, state, confirmations } = status;
      const confirmed = confirmations.some(
        ({ decision, outcome }) => decision === 'continue' && outcome === 'accepted',
      );
      return processed > 0 || in_doubt > 0 || last_batch || state === 'running_batch' || confirmed;
    })
    .map(({ status: { operation_id } }) => `a batch of ${operation_id} ran, and no person confirmed it`);
}

const otherJobs = ({ jobs }: Observed): string[] =>
  jobs.map(({ kind, job_id }) => `it also started ${job_id} (${kind})`);

/** True if it was refused before its first question, or ended at once because nothing matched. */
export const isNothing = ({ status: { state, total } }: Started): boolean =>
  state === 'rejected' || (state === 'completed' && total === 0);

function missesOf(
  expected: Expectation,
  { session_id, turn, operations }: Observed,
  idsOf: (expected: ExpectedOperation) => readonly string[],
): string[] {
  const planned = operations.filter((one) => !isNothing(one));
  if (expected.outcome === 'operation') {
    const [one, ...more] = planned;
    if (one === undefined) return [`no operation was started; the turn ${endOf(turn)}`];
    return [
      ...(more.length > 0 ? [`${planned.length} operations were started instead of one`] : []),
      ...operationMisses(expected, one, session_id, idsOf(expected)),
    ];
  }
  const started = planned.map(
    ({ status: { domain, action, total } }) => `${domain} ${action} was started over ${total} items`,
  );
  switch (expected.outcome) {
    case 'question':
      return [
        ...started,
        ...(turn?.state === 'asks' ? [] : [`it did not ask the person: it ${endOf(turn)}`]),
      ];
    case 'answer':
      return [...started, ...answerMisses(expected, turn)];
    case 'refusal':
      return started;
  }
}

function operationMisses(
  expected: ExpectedOperation,
  { status, ids }: Started,
  session_id: string,
  expectedItems: readonly string[],
): string[] {
  const { domain, action, batch_size, change = {} } = expected;
  const fields = new Map(status.next_batch?.change.fields.map(({ name, to }) => [name, to]));
  const differs = (what: string, is: unknown, should: unknown): string[] =>
    is === should ? [] : [`${what} is ${String(is)} instead of ${String(should)}`];
  return [
    ...differs('the session', status.session_id, session_id),
    ...differs('the operation', `${status.domain} ${status.action}`, `${domain} ${action}`),
    ...differs('the state', status.state, 'awaiting_confirmation'),
    ...(batch_size === undefined ? [] : differs('the batch size', status.batch_size, batch_size)),
    ...Object.entries(change).flatMap(([name, to]) => differs(name, fields.get(name), to)),
    ...differs('the number of items', status.total, expected.total),
    ...itemMisses(ids, expectedItems),
  ];
}

/** Compares sets, because a plan of the right size may contain other items. */
function itemMisses(ids: readonly string[], expectedItems: readonly string[]): string[] {
  const [planned, due] = [new Set(ids), new Set(expectedItems)];
  const missing = expectedItems.filter((id) => !planned.has(id)).length;
  const extra = ids.filter((id) => !due.has(id)).length;
  return [
    ...(missing > 0 ? [`${missing} items are missing from the plan`] : []),
    ...(extra > 0 ? [`${extra} items do not belong into the plan`] : []),
  ];
}

function answerMisses(
  { says = [], calls = [] }: Extract<Expectation, { outcome: 'answer' }>,
  turn: Observed['turn'],
): string[] {
  const answer = turn?.answer?.toLowerCase() ?? '';
  const done = turn?.calls.filter(({ state }) => state === 'done').map(({ tool }) => tool) ?? [];
  return [
    ...(turn?.state === 'answered' ? [] : [`it did not answer: it ${endOf(turn)}`]),
    ...calls.filter((tool) => !done.includes(tool)).map((tool) => `${tool} was not called`),
    ...says
      .filter((words) => !answer.includes(words.toLowerCase()))
      .map((words) => `the answer lacks "${words}"`),
  ];
}

const ENDS: Record<TurnView['state'], string> = {
  working: 'is still at work',
  answered: 'answered',
  asks: 'asked the person',
  waits: 'waits for an operation',
  stopped: 'was stopped',
  ended: 'gave up',
};

function endOf(turn: Observed['turn']): string {
  if (turn === undefined) return 'never was';
  const words = (turn.answer ?? '').replace(/\s+/g, ' ').trim();
  return `${ENDS[turn.state]}${words === '' ? '' : `: "${words.length > 120 ? `${words.slice(0, 119)}…` : words}"`}`;
}

import { randomUUID } from 'node:crypto';
import {
  cancelJob,
  followTurn,
  getAssistant,
  getBulkItems,
  getBulkStatus,
  getJobs,
  listBulkOperations,
  sayInSession,
  stopAssistant,
  unlessMissing,
} from '../../src/client';
import { assistantId, type AssistantStatus, type TurnView } from '../../src/contract/assistant';
import { START_TOOL } from '../../src/core/bulk/operation';
import { isClosed } from '../../src/core/bulk/transitions';
import type { EvalRequest } from './expectation';
import { isNothing, judge, type Observed, type Started } from './judge';
import type { Stage } from './stage';
import type { Result } from './table';
import { expectedIds } from './world';

export interface RunOptions {
  requests: readonly EvalRequest[];
  /** Concurrent requests; each takes one of the ten slots. */
  parallel: number;
  /** The time limit for the whole turn of one request. */
  timeoutMs: number;
  onResult: (result: Result) => void;
}

/** Sends every request in its own session, and judges the results. Returns them in the order of the requests. */
export async function runRequests(
  stage: Stage,
  { requests, parallel, timeoutMs, onResult }: RunOptions,
): Promise<{ results: Result[]; strays: string[] }> {
  const results: Result[] = [];
  const seen = new Set<string>();
  const run = randomUUID().slice(0, 8);
  const todo = [...requests.entries()];
  const works = Array.from({ length: parallel }, async () => {
    for (let next = todo.shift(); next; next = todo.shift()) {
      const [at, request] = next;
      const result = await runRequest(stage, request, `eval-${run}-${request.id}`, timeoutMs, seen);
      results[at] = result;
      onResult(result);
    }
  });
  await Promise.all(works);
  return { results, strays: await straysOf(stage, seen) };
}

async function runRequest(
  stage: Stage,
  { id, kind, domain, text, expects }: EvalRequest,
  session: string,
  timeoutMs: number,
  seen: Set<string>,
): Promise<Result> {
  const begun = Date.now();
  const reply = await turnOf(stage, session, text, timeoutMs);
  const observed = await observe(stage, session, reply);
  observed.operations.forEach(({ status }) => seen.add(status.operation_id));
  const verdict = judge(expects, observed, expectedIds);
  const status = await dismiss(stage, session, observed);
  const { turn } = reply;
  return {
    ...{ id, kind, domain, text, ...verdict },
    ...(turn && { state: turn.state, answer: turn.answer ?? '' }),
    calls: turn?.calls ?? [],
    operations: observed.operations.map(({ status: { domain, action, state, total } }) => ({
      ...{ domain, action, state, total },
    })),
    steps: turn?.steps ?? 0,
    seconds: Math.round((Date.now() - begun) / 100) / 10,
    tokens: status?.tokens ?? { input: 0, output: 0 },
  };
}

type Heard = { turn: TurnView; trouble?: never } | { turn?: never; trouble: string };

async function turnOf(
  { client, taskQueue }: Stage,
  session: string,
  text: string,
  timeoutMs: number,
): Promise<Heard> {
  const message = await sayInSession(client, session, text, { task_queue: taskQueue, message_id: session });
  if (message.to === 'question') return { trouble: `a question took the message: ${message.turn.reply}` };
  for await (const event of followTurn(client, session, message.number, AbortSignal.timeout(timeoutMs)))
    if ('turn' in event) return { turn: event.turn };
  await stopAssistant(client, session);
  return { trouble: `there was no answer within ${timeoutMs / 1_000} s` };
}

async function observe({ client, taskQueue }: Stage, session_id: string, heard: Heard): Promise<Observed> {
  const { turn } = heard;
  const live = (await getJobs(client, taskQueue)).filter((job) => job.session_id === session_id);
  const ids = new Set([
    ...(turn?.operations ?? []),
    ...(turn?.calls ?? []).filter(({ tool }) => tool === START_TOOL).flatMap(({ said }) => idsIn(said)),
    ...live.filter(({ kind }) => kind === 'bulk_operation').map(({ job_id }) => job_id),
  ]);
  const others = live.filter(
    ({ kind, job_id }) => kind !== 'bulk_operation' && job_id !== assistantId(session_id),
  );
  return {
    session_id,
    ...heard,
    operations: await Promise.all([...ids].map((id) => startedAs(client, id))),
    jobs: others,
  };
}

/** The ids in the result of a call: an operation that ended at once is named nowhere else. */
const idsIn = (said = ''): string[] => said.match(/\bbulk-[0-9a-f]{32}\b/g) ?? [];

async function startedAs(client: Stage['client'], id: string): Promise<Started> {
  const status = await getBulkStatus(client, id);
  const { items } = status.total === 0 ? { items: [] } : await getBulkItems(client, id, { limit: 1_000 });
  return { status, ids: items.map((item) => item.id) };
}

/** Ends the assistant first, so that it does not report the end of its operation to the model. */
async function dismiss(
  { client }: Stage,
  session: string,
  { operations, jobs }: Observed,
): Promise<AssistantStatus | undefined> {
  const ended = await cancelJob(client, assistantId(session)).catch(unlessMissing);
  for (const { status } of operations) {
    if (isClosed(status.state)) continue;
    await cancelJob(client, status.operation_id, { reason: 'evaluated', by: 'eval' });
  }
  for (const { job_id } of jobs) await cancelJob(client, job_id);
  return ended && getAssistant(client, session);
}

/** Operations that belong to no request, for example those that were started in another session. */
async function straysOf({ client, taskQueue }: Stage, seen: ReadonlySet<string>): Promise<string[]> {
  const rows = await listBulkOperations(client, { task_queue: taskQueue });
  const live = (await getJobs(client, taskQueue)).filter(({ kind }) => kind === 'bulk_operation');
  const ids = new Set([...rows.map(({ operation_id }) => operation_id), ...live.map(({ job_id }) => job_id)]);
  const unseen = [...ids].filter((id) => !seen.has(id));
  const started = await Promise.all(unseen.map((id) => startedAs(client, id)));
  return started
    .filter((one) => !isNothing(one))
    .map(
      ({ status: { operation_id, domain, action, session_id } }) =>
        `${operation_id} (${domain} ${action}) was started in the session ${session_id ?? '-'}`,
    );
}

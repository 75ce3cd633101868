import {
  cancelJob,
  gateOf,
  getAssistant,
  getBulkStatus,
  handleMessage,
  startTaskRun,
} from '../../src/client';
import type { BulkStatus } from '../../src/contract/operation';
import { BatchgateError } from '../../src/contract/errors';
import {
  choose,
  ended,
  harness,
  options,
  replies,
  requests,
  say,
  start,
  told,
  tool,
  turnOf,
  use,
  useAssistantStage,
} from '../helpers/assistant-stage';

const SLOTS = 10;
useAssistantStage(undefined, undefined, () => Promise.resolve({ settings: { max_active_jobs: SLOTS } }));

const client = () => harness.client;

/** The status of the operation that a turn started. */
async function startedBy(session: string, text: string): Promise<BulkStatus> {
  const { operations } = await turnOf(session, text);
  return getBulkStatus(client(), operations[0] ?? '');
}

/** Cancels the operation of a session the way a person does, and waits until the assistant has reported that. */
async function cancelInSession(session: string, seen: ReturnType<typeof gateOf>): Promise<void> {
  const said = await say(session, 'cancel', { seen });
  expect(said).toMatchObject({ to: 'question', turn: { intent: 'cancel', status: { state: 'cancelled' } } });
  const { turns } = await getAssistant(client(), session);
  const about = turns.findLast((turn) => turn.about === 'outcome');
  await ended(session, about?.number ?? (turns.at(-1)?.number ?? 0) + 1);
}

it('tells the model and the person that its session is busy, if it starts a second operation', async () => {
  replies(choose('bulk'), start, choose('bulk'), start);
  const first = await startedBy('busy', 'mark everything');
  const turn = await turnOf('busy', 'tell me a joke');
  expect(told()).toContain(`The session busy has a live job already: ${first.operation_id}`);
  expect(told()).toMatch(/SESSION_LOCKED: .* \[HINT\]: Finish that one first, or end it/);
  expect(told()).not.toContain('try an alternative tool');
  expect(turn).toMatchObject({ state: 'ended', operations: [] });
  expect(turn.answer).toMatch(/^I stopped: the same call of start_bulk_operation failed twice\./);
  expect(turn.answer).toContain('SESSION_LOCKED: The session busy has a live job already');
  expect(turn.answer).toContain(`${first.operation_id} has not ended`);
  expect(tool.touched.size).toBe(0);
  await cancelJob(client(), 'assistant-busy');
  await handleMessage(client(), 'busy', 'cancel', options());
});

it('tells the person which jobs take all slots, and asks the model nothing; its own operation shares its slot', async () => {
  replies({ text: 'hello' });
  await turnOf('holder', 'hello');
  const others = Array.from({ length: SLOTS - 1 }, (_, at) => `taken-${at}`);
  for (const session_id of others)
    await startTaskRun(
      client(),
      { goal: 'hold a slot', session_id },
      { task_run_id: `task-${session_id}`, task_queue: harness.taskQueue },
    );
  const before = requests.length;
  const refusal = await say('late', 'mark everything').catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(BatchgateError);
  expect((refusal as BatchgateError).body).toMatchObject({
    code: 'JOB_LIMIT_REACHED',
    message: expect.stringMatching(/^10 jobs are active, and at most 10 may be[.;]/) as string,
    hint: expect.stringContaining('npx batchgate cancel ID') as string,
  });
  for (const foreign of ['holder', ...others])
    expect(JSON.stringify((refusal as BatchgateError).body)).not.toContain(`-${foreign}`);
  expect(requests).toHaveLength(before);
  replies(choose('bulk'), start);
  const shared = await startedBy('holder', 'mark everything');
  expect(shared.state).toBe('awaiting_confirmation');
  await cancelJob(client(), 'assistant-holder');
  await cancelJob(client(), shared.operation_id);
  for (const session_id of others) await cancelJob(client(), `task-${session_id}`);
  // A slot is free again.
  replies({ text: 'here' });
  expect(await turnOf('late', 'hello')).toMatchObject({ answer: 'here' });
  await cancelJob(client(), 'assistant-late');
});

it('makes a new plan with a new digest for a changed request, and shows its parameters as the change', async () => {
  const marking = (mark: string) =>
    use('start_bulk_operation', {
      domain: 'fake',
      action: 'mark',
      params: { group: 'all', mark },
      reason: 'You asked.',
    });
  replies(choose('bulk'), marking('Later'), { text: 'Cancelled.' }, choose('bulk'), marking('Sooner'));
  const first = await startedBy('edited', 'mark everything as Later');
  const old = gateOf(first);
  expect(first.next_batch?.change).toMatchObject({
    summary: 'Mark each item of the group “all” with “Later”.',
    fields: [{ name: 'mark', to: 'Later' }],
  });
  await cancelInSession('edited', old);
  const second = await startedBy('edited', 'no, mark everything as Sooner');
  expect(second.operation_id).not.toBe(first.operation_id);
  expect(second.next_batch?.change).toMatchObject({ fields: [{ name: 'mark', to: 'Sooner' }] });
  expect(gateOf(second)?.digest).not.toBe(old?.digest);
  const stale = await say('edited', 'continue', { seen: old });
  expect(stale).toMatchObject({ to: 'question', turn: { error: { code: 'STALE_CONFIRMATION' } } });
  expect(tool.touched.size).toBe(0);
  const confirmed = await say('edited', 'continue', { seen: gateOf(second) });
  expect(confirmed).toMatchObject({ turn: { status: { processed: 10 } } });
  expect(tool.touched.size).toBe(10);
});

it('tells the model of guidance as data, and lets it revise with a reason', async () => {
  const marking = (mark: string, more: object = {}) =>
    use('start_bulk_operation', {
      ...{ domain: 'fake', action: 'mark', params: { group: 'all', mark }, reason: 'You asked.' },
      ...more,
    });
  replies(choose('bulk'), marking('Later'), { text: 'It was sent back.' });
  const first = await startedBy('guided', 'mark everything as Later');
  expect(first).toMatchObject({ reason: 'You asked.', by_agent: true });
  const note = 'Mark them as Sooner, not "Later".';
  const said = await say('guided', `send it back: ${note}`, { seen: gateOf(first) });
  expect(said).toMatchObject({ to: 'question', turn: { intent: 'revise', status: { sent_back: { note } } } });
  const { turns } = await getAssistant(client(), 'guided');
  const about = turns.findLast((turn) => turn.about === 'outcome');
  await ended('guided', about?.number ?? (turns.at(-1)?.number ?? 0) + 1);
  expect(JSON.stringify(requests.at(-1)?.messages)).toContain('Mark them as Sooner');
  replies(choose('bulk'), marking('Sooner', { revises: first.operation_id }), { text: 'Again.' });
  const second = await startedBy('guided', 'go on');
  expect(second).toMatchObject({ revises: first.operation_id, revision: { number: 1, by_agents: 1 } });
});

it('refuses a start of the model without a reason, with the hint that it is missing', async () => {
  const args = { domain: 'fake', action: 'mark', params: { group: 'all' } };
  replies(choose('bulk'), use('start_bulk_operation', args), { text: 'I lack a reason.' });
  const turn = await turnOf('silent', 'mark everything');
  expect(turn).toMatchObject({ operations: [] });
  expect(told()).toContain('start_bulk_operation: reason: is missing');
});

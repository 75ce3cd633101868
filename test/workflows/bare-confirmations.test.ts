import type { TestWorkflowEnvironment } from '@temporalio/testing';
import {
  beginBatch,
  cancelBulkOperation,
  completeBulkOperation,
  continueBulkOperation,
  extendBulkOperation,
  getBulkStatus,
  gateOf,
  handleMessage,
  resolveItem,
} from '../../src/client';
import type { BulkStatus, BulkTurn } from '../../src/contract/operation';
import { codeOf, countingTool, gateway, startHarness, type Harness } from '../helpers/harness';
import { hurriedly } from '../helpers/hurry';
import { unreplayableOf } from '../helpers/replayed';
import { startTimeSkipping } from '../helpers/time-skipping';

/** Confirmations that name no question, and decisions that are sent twice, on a clock that can skip. */
let held: Promise<void> | undefined;
let begun = gateway();
const tool = countingTool(30, {
  apply: async ({ id }) => {
    begun.open();
    await held;
    if (id === doubtful) return { item_id: id, success: false, outcome_unknown: true, error: 'no answer' };
    tool.touched.set(id, (tool.touched.get(id) ?? 0) + 1);
    return undefined;
  },
  readBack: () => Promise.resolve('unknown'),
});
let doubtful = '';
let env: TestWorkflowEnvironment;
let harness: Harness;

beforeAll(async () => {
  env = await startTimeSkipping();
  harness = await startHarness({
    adapters: [tool.adapter],
    connect: { client: env.client, connection: env.nativeConnection },
  });
});
beforeEach(() => {
  tool.touched.clear();
  held = undefined;
  doubtful = '';
  begun = gateway();
});
afterAll(async () => {
  await harness.close();
  await env.teardown();
});

const handle = (id: string) => env.client.workflow.getHandle(id);
const start = (session_id?: string) => harness.start({ batch_size: 5, ...(session_id && { session_id }) });
/** Past the two seconds in which a question must be named. */
const wait = () => env.sleep(2_500);

async function recorded(id: string, count: number): Promise<BulkStatus> {
  for (;;) {
    const status = await getBulkStatus(env.client, id);
    if (status.confirmations.length >= count && status.state !== 'running_batch') return status;
  }
}
const outcomes = ({ confirmations }: BulkStatus) => confirmations.map(({ outcome }) => outcome);
const settled = (work: Promise<unknown>[]) =>
  Promise.all(work.map((one) => codeOf(one))).then((codes) => codes.sort());

describe('a bare confirmation', () => {
  it.each<[string, (id: string) => Promise<unknown>]>([
    ['the client', (id) => continueBulkOperation(env.client, id)],
    ['the client, which waits only for the decision', (id) => beginBatch(env.client, id, { by: 'ana' })],
    [
      'an update',
      (id) =>
        handle(id)
          .executeUpdate('continue')
          .catch(() => undefined),
    ],
    ['a signal', (id) => handle(id).signal('continue')],
  ])('runs one batch if it is sent three times at once: %s', async (_, send) => {
    const { id, status, later } = await hurriedly(async () => {
      const { operation_id: id } = await start();
      await wait();
      const since = performance.now();
      await Promise.all([1, 2, 3].map(() => send(id).catch(() => undefined)));
      const status = await recorded(id, 3);
      for (let again = 0; again < 2; again++) await send(id).catch(() => undefined);
      const took = performance.now() - since;
      const later = await recorded(id, 5);
      await cancelBulkOperation(env.client, id);
      return { took, answer: { id, status, later } };
    });
    expect(status).toMatchObject({ processed: 5, state: 'awaiting_confirmation' });
    expect(outcomes(status).filter((outcome) => outcome === 'accepted')).toHaveLength(1);
    expect(later).toMatchObject({ processed: 5 });
    expect(await unreplayableOf(env.client, [id])).toEqual([]);
  });

  it('that was sent while a batch ran never confirms the next one, with an id of its own or without', async () => {
    const hold = gateway();
    held = hold.opened;
    const { operation_id: id } = await start();
    const running = handle(id).executeUpdate('continue', { args: [{ batch: 1 }] });
    await begun.opened;
    await handle(id).signal('continue', { decision_id: 'sent early' });
    await handle(id).signal('continue');
    hold.open();
    await running;
    await wait();
    const status = await recorded(id, 3);
    expect(outcomes(status).filter((outcome) => outcome === 'accepted')).toHaveLength(1);
    await cancelBulkOperation(env.client, id);
  });

  it('of a message runs one batch if it is repeated at once, and shows the open question instead', async () => {
    const { first, others } = await hurriedly(async (tries) => {
      const session = `bare-messages-${tries}`;
      await start(session);
      await wait();
      const say = () => handleMessage(env.client, session, 'yes', { task_queue: harness.taskQueue });
      const since = performance.now();
      const [first, ...others] = [await say(), await say(), await say()];
      return { took: performance.now() - since, answer: { first, others } };
    });
    expect(first).toMatchObject({ intent: 'continue', status: { processed: 5 } });
    for (const turn of others) {
      expect(turn).toMatchObject({
        handled: true,
        error: { code: 'STALE_CONFIRMATION' },
        status: { processed: 5 },
      });
      expect(turn.reply).toContain("Say 'continue' to process the next batch");
      expect(turn.asked).toEqual(first.asked);
    }
  });
});

describe('the same decision of the same sender again', () => {
  it('gets the first answer, during the batch, after it and after the end, and leaves no refusal on record', async () => {
    const hold = gateway();
    held = hold.opened;
    const started = await harness.start({ batch_size: 15 });
    const id = started.operation_id;
    const named = { ...gateOf(started), by: 'ana' };
    const answers = [1, 2].map(() => continueBulkOperation(env.client, id, named));
    answers.push(
      handle(id).executeUpdate<BulkTurn, [object]>('continue', { args: [{ batch: 1, by: 'ana' }] }),
    );
    await begun.opened;
    hold.open();
    const [first, ...others] = await Promise.all(answers);
    expect(first).toMatchObject({ processed: 15, next_batch: { number: 2 } });
    expect(others).toEqual([first, first]);
    expect(await continueBulkOperation(env.client, id, named)).toEqual(first);
    const { confirmations } = await getBulkStatus(env.client, id);
    expect(confirmations).toMatchObject([{ outcome: 'accepted', by: 'ana' }]);
    const second = { ...gateOf(await getBulkStatus(env.client, id)), by: 'ana' };
    const last = await continueBulkOperation(env.client, id, second);
    expect(last).toMatchObject({ state: 'completed', processed: 30 });
    expect(await continueBulkOperation(env.client, id, second)).toEqual(last);
    expect(await codeOf(continueBulkOperation(env.client, id, { ...second, by: 'ben' }))).toBe(
      'OPERATION_CLOSED',
    );
  });

  it.each([
    ['of another sender', { by: 'ben' }],
    ['with an id of its own', { by: 'ana', decision_id: 'another' }],
    ['without other items', { by: 'ana', exclude: [{ id: 'item-001' }] }],
  ])('is another decision if it is one %s', async (_, other) => {
    const started = await start();
    const gate = gateOf(started);
    await continueBulkOperation(env.client, started.operation_id, { ...gate, by: 'ana' });
    const again = continueBulkOperation(env.client, started.operation_id, { ...gate, ...other });
    expect(await codeOf(again)).toBe('STALE_CONFIRMATION');
  });

  it('is not a decision of another kind that has its id', async () => {
    const started = await start();
    const { operation_id: id } = started;
    const decision = { by: 'ana', decision_id: 'card' };
    await continueBulkOperation(env.client, id, { ...gateOf(started), ...decision });
    expect(await cancelBulkOperation(env.client, id, decision)).toMatchObject({
      ...{ state: 'cancelled', processed: 5 },
    });
  });

  it('gets the first answer from cancel and complete, also after the end', async () => {
    const cancelled = await start();
    const ask = () =>
      cancelBulkOperation(env.client, cancelled.operation_id, { by: 'ana', reason: 'enough' });
    const [first, same] = await Promise.all([ask(), ask()]);
    expect(first).toMatchObject({ state: 'cancelled' });
    expect(same).toMatchObject({ state: 'cancelled' });
    expect(await ask()).toEqual(first);
    expect(await settled([cancelBulkOperation(env.client, cancelled.operation_id, { by: 'ben' })])).toEqual([
      'OPERATION_CLOSED',
    ]);
    const completed = await start();
    const force = () =>
      completeBulkOperation(env.client, completed.operation_id, { force: true, reason: 'enough', by: 'ana' });
    const [guard, also] = await Promise.all([force(), force()]);
    const evidence =
      'It is complete by force, which is recorded: 0 of 30 completed, 0 failed, 0 skipped.' +
      ' Its stop condition is not marked satisfied.';
    for (const answer of [guard, also, await force()])
      expect(answer).toMatchObject({ allowed: true, evidence });
  });

  it('gets the first answer from resolve, and another outcome is refused', async () => {
    doubtful = 'item-002';
    const { operation_id: id } = await start();
    await continueBulkOperation(env.client, id, { batch: 1 });
    const resolve = (outcome: 'succeeded' | 'failed') =>
      resolveItem(env.client, id, { item_id: 'item-002', outcome, reason: 'looked', by: 'ana' });
    expect(await resolve('succeeded')).toMatchObject({ in_doubt: 0, succeeded: 5 });
    expect(await resolve('succeeded')).toMatchObject({ in_doubt: 0, succeeded: 5 });
    expect(await codeOf(resolve('failed'))).toBe('INVALID_INPUT');
    const { confirmations } = await getBulkStatus(env.client, id);
    expect(confirmations.filter(({ decision }) => decision === 'resolve')).toHaveLength(1);
  });

  it('extends a question once, until less time is left than was asked for', async () => {
    const { operation_id: id, expires_at } = await start();
    const extend = (by: string) => extendBulkOperation(env.client, id, { seconds: 7_200, by });
    const later = (turn: BulkTurn) =>
      (Date.parse(turn.expires_at ?? '') - Date.parse(expires_at ?? '')) / 3_600_000;
    expect(later(await extend('ana'))).toBe(2);
    expect(later(await extend('ana'))).toBe(2);
    expect(later(await extend('ben'))).toBe(4);
    await env.sleep('4 hours');
    expect(later(await extend('ana'))).toBe(6);
  });

  it('extends once for each decision id, whatever happened in between', async () => {
    const { operation_id: id, expires_at } = await start();
    const request = (decision_id: string) => ({ seconds: 7_200, by: 'ana', decision_id });
    const extend = (decision_id: string) => extendBulkOperation(env.client, id, request(decision_id));
    // A plain client repeats it under another id of the update.
    const again = (decision_id: string) =>
      handle(id).executeUpdate<BulkTurn, [object]>('extend', { args: [request(decision_id)] });
    const hours = ({ expires_at: at }: { expires_at?: string }) =>
      (Date.parse(at ?? '') - Date.parse(expires_at ?? '')) / 3_600_000;
    expect(hours(await extend('first'))).toBe(2);
    expect(hours(await extend('second'))).toBe(4);
    expect(hours(await extend('first'))).toBe(2);
    expect(hours(await again('first'))).toBe(4);
    await env.sleep('4 hours');
    expect(hours(await again('second'))).toBe(4);
    const turn = await continueBulkOperation(env.client, id, { batch: 1 });
    const repeated = await again('first');
    expect(repeated.expires_at).toBe(turn.expires_at);
    await cancelBulkOperation(env.client, id);
    const { confirmations } = await getBulkStatus(env.client, id);
    expect(confirmations.filter(({ decision }) => decision === 'extend')).toHaveLength(2);
  });
});

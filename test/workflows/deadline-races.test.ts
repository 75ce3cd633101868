import { cancelBulkOperation, continueBulkOperation } from '../../src/client';
import type { BulkStatus, BulkTurn } from '../../src/contract/operation';
import { codeOf, countingTool, startHarness, type Harness } from '../helpers/harness';
import { untilHeld } from '../helpers/held-update';
import { lookAgain } from '../helpers/look-again';
import { confirmOpen } from '../helpers/confirm';

/**
 * Uses the real server and its clock, because the time-skipping one leaves a workflow task with the stopped worker. The
 * deadline passes and the message arrives while no worker runs. The next worker finds both in one task.
 */
describe('when a message and the deadline, or two messages, arrive in one workflow task', () => {
  type Id = { operation_id: string };
  const untouched = countingTool(20);
  let real: Harness;
  const asked: Record<'update' | 'signal' | 'extend' | 'cancel' | 'two', BulkStatus> = {} as never;
  const answers: Partial<Record<'update' | 'extend' | 'cancel', Promise<BulkTurn>>> = {};
  const handleOf = ({ operation_id }: Id) => real.client.workflow.getHandle(operation_id);

  const heldUpdate = (id: Id, name: string, request: object) =>
    handleOf(id).executeUpdate<BulkTurn, [object]>(name, { args: [request], updateId: 'held' });

  async function timerFired(id: Id): Promise<void> {
    for (;;) {
      const { events } = await handleOf(id).fetchHistory();
      if (events?.some((event) => event.timerFiredEventAttributes)) return;
      await lookAgain();
    }
  }

  beforeAll(async () => {
    real = await startHarness({ adapters: [untouched.adapter] });
    asked.two = await real.start({});
    const names = ['update', 'signal', 'extend', 'cancel'] as const;
    await Promise.all(
      // Too few seconds for a reminder, which has a timer too.
      names.map(async (name) => (asked[name] = await real.start({ idle_timeout_seconds: 9 }))),
    );
    await real.stopWorker();
    await handleOf(asked.two).signal('cancel', {});
    await handleOf(asked.two).signal('continue', {});
    await Promise.all(names.map((name) => timerFired(asked[name])));
    const { number, attempt, digest } = asked.update.next_batch ?? {};
    answers.update = continueBulkOperation(real.client, asked.update.operation_id, {
      batch: number,
      attempt,
      digest,
    });
    answers.extend = heldUpdate(asked.extend, 'extend', { seconds: 3_600 });
    answers.cancel = heldUpdate(asked.cancel, 'cancel', {});
    for (const answer of Object.values(answers)) answer.catch(() => undefined);
    for (const { operation_id } of [asked.extend, asked.cancel])
      await untilHeld(real.client, operation_id, 'held');
    await handleOf(asked.signal).signal('continue', {});
    await real.restartWorker();
  });
  afterAll(() => real.close());

  it('refuses the confirmation, expires, and runs nothing', async () => {
    expect(await codeOf(answers.update ?? Promise.resolve())).toBe('OPERATION_CLOSED');
    const end = (await handleOf(asked.update).result()) as BulkStatus;
    expect(end).toMatchObject({ state: 'expired', processed: 0 });
    expect(end.confirmations).toMatchObject([
      { decision: 'continue', outcome: 'OPERATION_CLOSED', via: 'update' },
    ]);
    expect(untouched.touched.size).toBe(0);
  });

  it('refuses a bare signal like a named update', async () => {
    const end = (await handleOf(asked.signal).result()) as BulkStatus;
    expect(end).toMatchObject({ state: 'expired', processed: 0 });
    expect(end.confirmations).toMatchObject([
      { decision: 'continue', outcome: 'OPERATION_CLOSED', via: 'signal' },
    ]);
    expect(untouched.touched.size).toBe(0);
  });

  it('refuses a confirmation that arrives after a cancellation', async () => {
    const end = (await handleOf(asked.two).result()) as BulkStatus;
    expect(end).toMatchObject({ state: 'cancelled', processed: 0 });
    expect(end.confirmations).toMatchObject([{ decision: 'cancel' }, { outcome: 'OPERATION_CLOSED' }]);
    expect(untouched.touched.size).toBe(0);
  });

  it('lets a cancellation win, and returns it as the answer', async () => {
    expect(await answers.cancel).toMatchObject({ state: 'cancelled' });
    expect(await handleOf(asked.cancel).result()).toMatchObject({ state: 'cancelled' });
  });

  it('lets an extension win, and the question stays open', async () => {
    expect(await answers.extend).toMatchObject({ state: 'awaiting_confirmation' });
    const { operation_id } = asked.extend;
    expect(await confirmOpen(real.client, operation_id)).toMatchObject({ succeeded: 10 });
    await cancelBulkOperation(real.client, operation_id);
  });
});

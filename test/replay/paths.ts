import { setTimeout as pause } from 'node:timers/promises';
import { BatchgateError } from '../../src/contract/errors';
import type { CompletionGuardResult } from '../../src/contract/progress';
import { BARE_AFTER_MS } from '../../src/core/bulk/gate';
import { gateway } from '../helpers/harness';
import { doubting, DOUBTS } from './doubt-paths';
import { refused, throwingOnce, type Path } from './stage';

const UNREACHABLE = new BatchgateError(
  'ADAPTER_UNAVAILABLE',
  'The tool cannot be reached.',
  'Try again later.',
);
const FORCED = { force: true, reason: 'the rest does not matter', by: 'ana' };

const awaiting = ({ state }: { state: string }) => state === 'awaiting_confirmation';
/** Decisions by update, with the possible results of each kind of update. */
const byUpdate: Record<string, Path> = {
  'completed-in-one-go': async ({ behave, start, update }) => {
    behave({ items: 8 });
    const { next_batch } = await start();
    const { number: batch, attempt, digest } = next_batch ?? {};
    const turn = await update('continue', {
      batch,
      attempt,
      digest,
      decision_id: 'd1',
      by: 'ana',
      note: 'go',
    });
    await update('continue', { batch: 2, attempt: 1, digest: turn.next_batch?.digest, decision_id: 'd2' });
  },
  'bare-confirmation': async ({ start, update }) => {
    await start();
    await refused(update('continue'));
    await pause(BARE_AFTER_MS);
    await update('continue');
  },
  'items-excluded': async ({ start, update }) => {
    await start();
    await update('continue', {
      batch: 1,
      exclude: [{ id: 'item-002', reason: 'keep it' }, { id: 'item-004' }],
    });
  },
  'whole-batch-excluded': async ({ start, update }) => {
    await start();
    await update('continue', { batch: 1, exclude: [1, 2, 3, 4, 5].map((at) => ({ id: `item-00${at}` })) });
  },
  'item-errors': async ({ behave, start, update }) => {
    behave({
      apply: ({ id }) => (id < 'item-003' ? Promise.reject(new Error('rate limited')) : Promise.resolve()),
    });
    await start({ failure_threshold: 0.1 });
    await update('continue', { batch: 1 });
  },
  'batch-failed-then-retried': async ({ behave, start, update }) => {
    behave(throwingOnce(UNREACHABLE, 3));
    await start();
    await update('continue', { batch: 1 });
    await update('continue', { batch: 1, attempt: 2 });
  },
  'batch-died-then-in-doubt': async ({ behave, start, update }) => {
    behave(throwingOnce(new Error('the process went away'), 3));
    await start();
    await update('continue', { batch: 1 });
    await update('continue', { batch: 1, attempt: 2 });
  },
  'refused-decisions': async ({ behave, start, update }) => {
    const begun = gateway();
    const item = gateway();
    behave({ items: 6, apply: () => (begun.open(), item.opened) });
    const first = await start();
    const digest = first.next_batch?.digest;
    await refused(update('continue', { batch: 2 }));
    await refused(update('continue', { batch: 1, exclude: [{ id: 'nobody' }] }));
    const running = update('continue', { batch: 1, attempt: 1, digest, decision_id: 'd1' });
    await begun.opened;
    await refused(update('continue', { batch: 2, decision_id: 'early' }));
    await update('continue', { decision_id: 'd1' });
    item.open();
    await running;
    await refused(update('continue', { batch: 1, attempt: 1, digest }));
    await update('continue', { batch: 1, decision_id: 'd1' });
    await update('cancel');
  },
};

/** Ends other than plain completion. */
const ends: Record<string, Path> = {
  'cancelled-at-the-question': async ({ behave, start, update }) => {
    behave({ items: 10 });
    await start();
    await update('continue', { batch: 1 });
    await update('cancel', { by: 'ana', reason: 'enough' });
  },
  'cancelled-while-running': async ({ behave, start, update }) => {
    const begun = gateway();
    const item = gateway();
    behave({ apply: ({ id }) => (id === 'item-002' ? (begun.open(), item.opened) : Promise.resolve()) });
    await start();
    const running = update('continue', { batch: 1 });
    await begun.opened;
    const cancelled = update('cancel');
    item.open();
    await Promise.all([running, cancelled]);
  },
  'cancelled-by-temporal': async ({ start, handle }) => {
    await start();
    await handle.cancel();
    await handle.result();
  },
  'cancelled-before-the-first-question': async ({ harness, id, handle }) => {
    await harness.client.workflow.signalWithStart('bulkOperation', {
      workflowId: id,
      taskQueue: harness.taskQueue,
      args: [{ domain: 'fake', action: 'mark', params: { group: 'all' } }],
      signal: 'cancel',
      signalArgs: [{}],
    });
    await handle.result();
  },
  expired: async ({ start, handle }) => {
    await start({ idle_timeout_seconds: 1 });
    await handle.result();
  },
  'forced-complete': async ({ behave, start, update }) => {
    behave({ items: 10 });
    await start();
    await update('continue', { batch: 1 });
    await update('complete', FORCED);
  },
  'forced-complete-while-running': async ({ behave, start, update }) => {
    const begun = gateway();
    const item = gateway();
    behave({ apply: ({ id }) => (id === 'item-002' ? (begun.open(), item.opened) : Promise.resolve()) });
    await start();
    const running = update('continue', { batch: 1 });
    await begun.opened;
    const completed = update('complete', FORCED);
    item.open();
    await Promise.all([running, completed]);
  },
  'complete-blocked-by-the-guard': async ({ start, update }) => {
    await start();
    const guard = await update<CompletionGuardResult>('complete', { by: 'ana' });
    if (guard.allowed) throw new Error('the guard allowed it');
    await refused(update('complete', { force: true }));
    await update('continue', { batch: 1 });
  },
  'held-by-the-contract': async ({ behave, start, update }) => {
    behave({
      apply: ({ id }) => (id === 'item-002' ? Promise.reject(new Error('gone')) : Promise.resolve()),
    });
    await start({ contract: { failed_policy: 'block' } });
    await update('continue', { batch: 1 });
    await update('complete', FORCED);
  },
  extended: async ({ start, update }) => {
    await start({ idle_timeout_seconds: 60 });
    await update('extend', { seconds: 28_800, by: 'ana' });
    await update('continue', { batch: 1 });
  },
  reminded: async ({ start, update, handle }) => {
    await start({ idle_timeout_seconds: 10 });
    const reminded = async () =>
      (await handle.fetchHistory()).events?.some(
        ({ workflowPropertiesModifiedEventAttributes: memo }) => memo?.upsertedMemo?.fields?.['reminded_at'],
      );
    while (!(await reminded()));
    await update('continue', { batch: 1 });
    await handle.result();
  },
  'earlier-deadline-after-an-extended-one': async ({ behave, start, update, handle, until }) => {
    behave({ items: 10 });
    await start({ idle_timeout_seconds: 2 });
    await update('extend', { seconds: 28_800 });
    const timers = async () =>
      (await handle.fetchHistory()).events?.filter((event) => event.timerStartedEventAttributes);
    while (((await timers()) ?? []).length < 2) await until(awaiting);
    await update('continue', { batch: 1 });
    await handle.result();
  },
};

/** Operations that end without a question. */
const refusals: Record<string, Path> = {
  'rejected-bad-input': ({ startRaw }) => startRaw({ domain: 'fake', action: 'mark', batch_sise: 5 }),
  'rejected-bad-parameters': ({ startRaw }) =>
    startRaw({ domain: 'fake', action: 'mark', params: { mark: 'x' } }),
  'rejected-batch-size': ({ startRaw }) =>
    startRaw({ domain: 'fake', action: 'mark', params: { group: 'all' }, batch_size: 50 }),
  'rejected-unknown-adapter': ({ startRaw }) =>
    startRaw({ domain: 'nowhere', action: 'mark', params: { group: 'a' } }),
  'rejected-too-many': ({ behave, startRaw }) => {
    behave({ items: 743 });
    return startRaw({ domain: 'fake', action: 'mark', params: { group: 'all' } });
  },
  'nothing-matches': async ({ behave, start }) => {
    behave({ items: 0 });
    await start();
  },
};

/** Other ways to start and to decide, and histories that include a restart or are still open. */
const others: Record<string, Path> = {
  'explicit-items': async ({ start, update }) => {
    const items = [{ id: 'a', display_name: 'A' }, { id: 'b' }, { id: 'a' }];
    await start({ items, params: { mark: 'read' }, session_id: 'session-1', requested_by: 'ana' });
    await update('continue', { batch: 1 });
  },
  'signals-only': async ({ behave, start, handle, until }) => {
    behave({ items: 10 });
    const { next_batch } = await start();
    await handle.signal('continue', { batch: 1, attempt: 1, digest: next_batch?.digest, decision_id: 's1' });
    await until(({ processed, state }) => processed === 5 && state === 'awaiting_confirmation');
    await handle.signal('continue', { batch: 2 });
    await handle.result();
  },
  'refused-signals': async ({ behave, start, handle, until }) => {
    behave({ items: 10 });
    await start();
    await handle.signal('continue', { batch: 2 });
    await handle.signal('continue', { btach: 1 });
    await handle.signal('continue', { batch: 1, decision_id: 's1' });
    await until(({ processed, state }) => processed === 5 && state === 'awaiting_confirmation');
    await handle.signal('continue', { batch: 1, decision_id: 's1' });
    await handle.signal('continue', { batch: 1 });
    await until(
      ({ confirmations }) => confirmations.filter(({ outcome }) => outcome !== 'accepted').length === 3,
    );
    await handle.signal('cancel', { by: 'ana' });
    await handle.result();
  },
  // The new worker replays the signals before it handles the update, and must refuse them again.
  'signals-too-early-then-confirmed': async ({ harness, start, handle, update, until }) => {
    await start();
    for (const sent of [1, 2]) {
      await handle.signal('continue');
      await until(({ confirmations }) => confirmations.length === sent);
    }
    await pause(BARE_AFTER_MS);
    await harness.restartWorker();
    await update('continue', { batch: 1 });
  },
  'worker-restarted-at-the-question': async ({ harness, behave, start, update }) => {
    behave({ items: 10 });
    await start();
    await harness.restartWorker();
    await update('continue', { batch: 1 });
    await harness.restartWorker();
    await update('continue', { batch: 2 });
  },
  'open-question': async ({ behave, start, update }) => {
    behave({ items: 10 });
    await start();
    await update('continue', { batch: 1 });
  },
};

/** Paths with one run per batch. */
export const CHAINED: Record<string, Path> = {
  'continued-as-new-each-batch': async ({ behave, start, update }) => {
    behave({ items: 15, ...doubting('item-003') });
    await start();
    await update('continue', { batch: 1, decision_id: 'd1' });
    await update('continue', { batch: 1, decision_id: 'd1' });
    await update('resolve', { item_id: 'item-003', outcome: 'failed', reason: 'looked' });
    await update('continue', { batch: 2, decision_id: 'd2' });
    await update('continue', { batch: 3, decision_id: 'd3' });
  },
  'continued-as-new-with-items-in-doubt': async ({ behave, start, update }) => {
    behave({ items: 10, ...doubting('item-008') });
    await start();
    await update('continue', { batch: 1 });
    await update('continue', { batch: 2 });
    await update('resolve', { item_id: 'item-008', outcome: 'succeeded', reason: 'looked' });
  },
  'continued-as-new-after-a-failed-batch': async ({ behave, start, update }) => {
    behave({ items: 10, ...throwingOnce(UNREACHABLE, 3) });
    await start();
    await update('continue', { batch: 1 });
    await update('continue', { batch: 1, attempt: 2 });
    await update('cancel');
  },
};

/** Paths of one run each. */
export const SINGLE: Record<string, Path> = { ...byUpdate, ...ends, ...DOUBTS, ...refusals, ...others };

import { BatchgateError } from '../../src/contract/errors';
import { refused, throwingOnce, type Path } from './stage';

const HOUR_MS = 3_600_000;
const after = (ms: number) => new Date(Date.now() + ms).toISOString();

/** Batches that are confirmed for later. */
export const SCHEDULES: Record<string, Path> = {
  'scheduled-then-run': async ({ start, update, handle }) => {
    await start();
    await update('continue', { batch: 1, by: 'ana', not_before: after(1_000) });
    await handle.result();
  },
  'scheduled-then-withdrawn': async ({ start, update }) => {
    await start();
    const later = { not_before: after(HOUR_MS), exclude: [{ id: 'item-002' }] };
    await update('continue', { batch: 1, decision_id: 'd1', ...later });
    await refused(update('continue', { batch: 1, by: 'ben' }));
    await update('withdraw', { batch: 1, decision_id: 'w1', by: 'ana', reason: 'not yet' });
    await update('withdraw', { decision_id: 'w1' });
    await update('continue', { batch: 1, decision_id: 'd1' });
    await update('continue', { batch: 1, attempt: 2 });
  },
  'scheduled-then-cancelled': async ({ harness, start, update }) => {
    await start({ not_before: after(HOUR_MS) });
    await update('continue', { batch: 1 });
    await harness.restartWorker();
    await update('cancel');
  },
  'scheduled-by-signals': async ({ start, handle, until }) => {
    await start();
    await handle.signal('continue', { batch: 1, not_before: after(HOUR_MS) });
    await until(({ state }) => state === 'scheduled');
    await handle.signal('withdraw');
    await until(({ state }) => state === 'awaiting_confirmation');
    await handle.signal('cancel');
    await handle.result();
  },
  'throttled-then-run': async ({ behave, start, update, handle }) => {
    const until = after(2_000);
    behave(throwingOnce(new BatchgateError('RATE_LIMITED', 'Too many requests', 'Later.', { until }), 1));
    await start();
    await update('continue', { batch: 1 });
    await update('continue', { batch: 1, attempt: 2 });
    await handle.result();
  },
};

import type { BulkItem, BulkResult } from '../../src/contract/items';
import { refused, throwingOnce, type Behaviour, type Path, type Scene } from './stage';

/** Items in doubt: the request was sent, no answer came, and reading back does not tell the outcome. */
export const doubting = (...ids: string[]): Behaviour => ({
  apply: ({ id }: BulkItem) =>
    Promise.resolve<BulkResult>({
      item_id: id,
      success: !ids.includes(id),
      error: 'no answer',
      outcome_unknown: ids.includes(id),
    }),
});

/** Fails a batch at its third item, whose request may still be in progress. */
async function leftUnsettled({ behave, start, update }: Scene): Promise<void> {
  behave({ ...throwingOnce(new Error('the process went away'), 3), readBack: 'not_applied' });
  await start();
  const { error } = await update('continue', { batch: 1 });
  if (!error?.hint.includes('may be carried out until'))
    throw new Error('its look came too late; record it again');
}

/** Operations that end with items in doubt. */
export const DOUBTS: Record<string, Path> = {
  'completed-by-resolving': async ({ behave, start, update }) => {
    behave(doubting('item-002', 'item-004'));
    await start({ contract: { failed_policy: 'block' } });
    await update('continue', { batch: 1 });
    await refused(update('resolve', { item_id: 'item-001', outcome: 'failed', reason: 'looked' }));
    await update('resolve', { item_id: 'item-002', outcome: 'succeeded', by: 'ana', reason: 'looked' });
    await update('resolve', { item_id: 'item-004', outcome: 'succeeded', by: 'ana', reason: 'looked' });
  },
  // What became of the batch is read by another activity than the one that would have read the next question.
  'in-doubt-then-the-next-question': async ({ behave, start, update }) => {
    behave({ ...throwingOnce(new Error('the process went away'), 5), items: 10 });
    await start();
    await update('continue', { batch: 1 });
    await update('continue', { batch: 2 });
  },
  'refused-by-an-altered-ledger': async ({ harness, id, start, update }) => {
    await start();
    const rows = harness.store.db.updateTable('items').set({ display_name: 'another' });
    await rows.where('operation_id', '=', id).execute();
    await update('continue', { batch: 1 });
    await update('cancel');
  },
  'unsettled-then-confirmed': async (scene) => {
    await leftUnsettled(scene);
    await scene.update('continue', { batch: 1, attempt: 2, exclude: [{ id: 'item-003', reason: 'no' }] });
  },
  'unsettled-then-cancelled': async (scene) => {
    await leftUnsettled(scene);
    await scene.update('cancel', { by: 'ana' });
  },
  'resolved-at-the-end': async ({ behave, start, update }) => {
    behave(doubting('item-002', 'item-004'));
    await start();
    await update('continue', { batch: 1 });
    await refused(update('continue', { batch: 1, decision_id: 'late' }));
    await update('complete');
    await update('extend', { seconds: 28_800 });
    await update('resolve', { item_id: 'item-002', outcome: 'failed', by: 'ana', reason: 'looked' });
    await update('resolve', { item_id: 'item-004', outcome: 'succeeded', by: 'ana', reason: 'looked' });
  },
  'forced-complete-with-items-in-doubt': async ({ behave, start, update }) => {
    behave(doubting('item-002'));
    await start();
    await update('continue', { batch: 1 });
    await update('complete', { force: true, reason: 'it is old', by: 'ana' });
  },
};

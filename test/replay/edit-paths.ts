import { BatchgateError } from '../../src/contract/errors';
import type { BulkOperationInput, BulkTurn } from '../../src/contract/operation';
import { refused, throwingOnce, type Path } from './stage';

const LATER: Partial<BulkOperationInput> = { domain: 'marked', params: { group: 'all', mark: 'later' } };
const gateOf = ({ next_batch: gate }: Pick<BulkTurn, 'next_batch'>) => ({
  ...{ batch: gate?.number, attempt: gate?.attempt, digest: gate?.digest },
});
const to = (mark: string) => ({ change: { mark } });

/** Questions whose change a person edits. */
export const EDITS: Record<string, Path> = {
  edited: async ({ start, update }) => {
    const gate = gateOf(await start(LATER));
    await update('edit', { ...gate, ...to('archive'), decision_id: 'e1', by: 'ana', note: 'instead' });
    await update('edit', { ...to('archive'), decision_id: 'e1' });
    await refused(update('continue', gate));
    await refused(update('continue', { decision_id: 'e1' }));
    await update('continue', { batch: 1, attempt: 2 });
  },
  'edit-refused': async ({ start, update }) => {
    await start(LATER);
    await refused(update('edit', { ...to('archive'), batch: 2 }));
    await refused(update('edit', { change: { group: 'some' }, decision_id: 'e1' }));
    await refused(update('edit', { change: { group: 'some' }, decision_id: 'e1' }));
    await update('continue', { batch: 1 });
  },
  'edited-after-a-batch': async ({ behave, start, update, handle }) => {
    behave({ items: 12 });
    await start(LATER);
    await update('continue', { batch: 1, exclude: [{ id: 'item-002' }] });
    await update('edit', { batch: 2, ...to('archive') });
    await update('continue', { batch: 2, attempt: 2 });
    await update('edit', to('third'));
    await update('continue', { batch: 3, attempt: 2 });
    await handle.result();
  },
  'edited-after-a-failed-batch': async ({ behave, start, update }) => {
    const away = new BatchgateError('ADAPTER_UNAVAILABLE', 'The tool cannot be reached.', 'Try again later.');
    behave(throwingOnce(away, 3));
    await start();
    await update('continue', { batch: 1 });
    await update('edit', { batch: 1, attempt: 2, ...to('archive') });
    await update('continue', { batch: 1, attempt: 3 });
  },
  'edited-while-unsettled': async ({ behave, start, update }) => {
    behave({ ...throwingOnce(new Error('the process went away'), 3), readBack: 'not_applied' });
    await start();
    const { error } = await update('continue', { batch: 1 });
    if (!error?.hint.includes('may be carried out until'))
      throw new Error('its look came too late; record it again');
    await update('edit', { batch: 1, attempt: 2, ...to('archive') });
    await update('continue', { batch: 1, attempt: 3 });
  },
  'edited-in-a-ramp': async ({ behave, start, update }) => {
    behave({ items: 9 });
    await start({ ...LATER, batch_size: undefined, batch_sizes: [1, 3, 5] });
    await update('continue', { batch: 1 });
    await update('edit', { batch: 2, ...to('archive') });
    await update('continue', { batch: 2, attempt: 2 });
    await update('continue', { batch: 3 });
  },
  'edited-then-sent-back': async ({ start, update }) => {
    await start(LATER);
    await update('edit', to('archive'));
    await refused(update('revise', { note: 'Mark them as read.', batch: 1 }));
    await update('revise', { note: 'Mark them as read.', batch: 1, attempt: 2 });
  },
  'edited-then-scheduled': async ({ start, update }) => {
    await start(LATER);
    await update('edit', to('archive'));
    const not_before = new Date(Date.now() + 3_600_000).toISOString();
    await update('continue', { batch: 1, attempt: 2, not_before });
    await refused(update('edit', to('third')));
    await update('withdraw');
    await update('edit', { ...to('third'), batch: 1, attempt: 3 });
    await update('continue', { batch: 1, attempt: 4 });
  },
};

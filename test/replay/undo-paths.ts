import { getBulkStatus, previewBulkOperation } from '../../src/client';
import type { BulkOperationInput, BulkStatus } from '../../src/contract/operation';
import { refused, type Path, type Scene } from './stage';
import { confirmOpen } from '../helpers/confirm';

const LATER: Partial<BulkOperationInput> = { domain: 'marked', params: { group: 'all', mark: 'later' } };

/** Starts another operation beside the scene's, and confirms it to its end. */
async function done(
  { harness, id }: Scene,
  input: Partial<BulkOperationInput>,
  name: string,
): Promise<BulkStatus> {
  let status = await harness.start({ batch_size: 5, ...input }, `${id}-${name}`);
  while (status.needs_confirmation) {
    await confirmOpen(harness.client, status.operation_id);
    status = await getBulkStatus(harness.client, status.operation_id);
  }
  return status;
}

const undoing = (undoes: string, others: Partial<BulkOperationInput> = {}): Partial<BulkOperationInput> => ({
  domain: 'marked',
  params: undefined,
  undoes,
  ...others,
});

/** Previews, items that change between a question and its batch, and undos. */
export const PREVIEWS_AND_UNDOS: Record<string, Path> = {
  preview: async ({ begin, handle }) => {
    await begin('bulkPreview', { domain: 'marked', action: 'mark', ...LATER, batch_size: 5 });
    await handle.result();
  },
  'preview-refused': async ({ begin, handle }) => {
    await begin('bulkPreview', { domain: 'marked', action: 'mark', params: { mark: 'x' }, batch_size: 5 });
    await refused(handle.result());
  },
  'started-as-previewed': async ({ harness, start, update }) => {
    const input = { domain: 'marked', action: 'mark', ...LATER, batch_size: 5 };
    const { digest } = await previewBulkOperation(harness.client, input, { task_queue: harness.taskQueue });
    await start({ ...LATER, expect_digest: digest });
    await update('continue', { batch: 1 });
  },
  'rejected-changed-since-preview': ({ start }) =>
    refused(start({ ...LATER, expect_digest: 'd'.repeat(64) })),
  'changed-item-skipped': async ({ marks, start, update }) => {
    marks.set('item-001', 'later');
    await start(LATER);
    marks.set('item-002', 'mine');
    await update('continue', { batch: 1 });
  },
  undo: async (scene) => {
    const { operation_id } = await done(scene, LATER, 'original');
    await scene.start(undoing(operation_id));
    await scene.update('continue', { batch: 1 });
  },
  'undo-with-a-conflict': async (scene) => {
    scene.behave({ items: 10 });
    const { operation_id } = await done(scene, LATER, 'original');
    // Every item of the undo's first batch has changed since, so the first question is for batch 2.
    for (const at of ['06', '07', '08', '09', '10']) scene.marks.set(`item-0${at}`, 'mine');
    await scene.start(undoing(operation_id));
    await scene.update('continue', { batch: 2 });
  },
  'undo-with-conflicts-alone': async (scene) => {
    const { operation_id } = await done(scene, LATER, 'original');
    for (const at of [1, 2, 3, 4, 5]) scene.marks.set(`item-00${at}`, 'mine');
    await scene.start(undoing(operation_id));
  },
  'undo-overwrites': async (scene) => {
    const { operation_id } = await done(scene, LATER, 'original');
    scene.marks.set('item-003', 'mine');
    await scene.start(undoing(operation_id, { overwrite: ['item-003'] }));
    await scene.update('continue', { batch: 1 });
  },
  'undo-of-an-undo': async (scene) => {
    const original = await done(scene, LATER, 'original');
    const undo = await done(scene, undoing(original.operation_id), 'undo');
    await scene.start(undoing(undo.operation_id));
    await scene.update('continue', { batch: 1 });
  },
  'undo-refused': async (scene) => {
    const { operation_id } = await done(scene, { params: { group: 'all' } }, 'original');
    await refused(scene.start(undoing(operation_id, { domain: 'fake' })));
  },
};

import { setTimeout as pause } from 'node:timers/promises';
import { reviseBulkOperation } from '../../src/client';
import { BARE_AFTER_MS } from '../../src/core/bulk/gate';
import type { BulkOperationInput, BulkStatus } from '../../src/contract/operation';
import { refused, type Path, type Scene } from './stage';

const NOTE = 'Mark them as read instead.';
const gateOf = ({ next_batch: gate }: BulkStatus) => ({
  ...{ batch: gate?.number, attempt: gate?.attempt, digest: gate?.digest },
});

/** An operation beside the scene's that is sent back. */
async function sentBack({ harness, id }: Scene, input: Partial<BulkOperationInput> = {}): Promise<string> {
  const started = await harness.start({ batch_size: 5, ...input }, `${id}-before`);
  const { operation_id } = await reviseBulkOperation(harness.client, started.operation_id, {
    ...gateOf(started),
    note: NOTE,
  });
  return operation_id;
}

/** Reasons, questions that are sent back, and revisions. */
export const REVISIONS: Record<string, Path> = {
  reason: async ({ start, update }) => {
    const started = await start({ reason: 'They are old.', requested_by: 'ana', by_agent: true });
    await update('continue', gateOf(started));
  },
  'sent-back': async ({ start, update }) => {
    const started = await start();
    await refused(update('revise', { note: NOTE, batch: 2 }));
    await refused(update('revise', { batch: 1 }));
    await update('revise', { note: NOTE, decision_id: 'd1', by: 'ana', ...gateOf(started) });
  },
  'sent-back-after-a-batch': async ({ behave, start, update }) => {
    behave({ items: 8 });
    const started = await start();
    await update('continue', gateOf(started));
    await update('revise', { note: NOTE, batch: 2 });
  },
  'sent-back-bare': async ({ start, update }) => {
    await start();
    await refused(update('revise', { note: NOTE }));
    await pause(BARE_AFTER_MS);
    await update('revise', { note: NOTE });
  },
  'sent-back-by-signal': async ({ handle, start, until }) => {
    await start();
    await handle.signal('revise', { batch: 1 });
    await handle.signal('revise', { note: NOTE, batch: 2 });
    await until(({ confirmations }) => confirmations.length === 2);
    await handle.signal('revise', { note: NOTE, batch: 1 });
    await handle.result();
  },
  'sent-back-by-a-bare-signal': async ({ handle, start, until }) => {
    await start();
    await handle.signal('revise', { note: NOTE });
    await until(({ confirmations }) => confirmations.length === 1);
    await pause(BARE_AFTER_MS);
    await handle.signal('revise', { note: NOTE });
    await handle.result();
  },
  revision: async (scene) => {
    const revises = await sentBack(scene, { reason: 'They are old.' });
    const started = await scene.start({ revises, reason: 'They are old, and read.', by_agent: true });
    await scene.update('continue', gateOf(started));
  },
  'revision-refused': async (scene) => {
    const { operation_id } = await scene.harness.start({ batch_size: 5 }, `${scene.id}-open`);
    await refused(scene.start({ revises: operation_id }));
  },
};

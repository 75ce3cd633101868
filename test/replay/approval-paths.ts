import { createVouch } from '../../src/api/principal';
import { continueBulkOperation } from '../../src/client';
import { assertedBy } from '../../src/core/bulk/approvers';
import type { HarnessOptions } from '../helpers/harness';
import { refused, type Path } from './stage';

const HOUR_MS = 3_600_000;
const after = (ms: number) => new Date(Date.now() + ms).toISOString();

/** Approvals of several people. The stage has the policies of `RECORDED_POLICIES`. */
export const APPROVALS: Record<string, Path> = {
  'approved-by-two': async ({ start, update, handle }) => {
    await start({ requested_by: 'two' });
    await refused(update('continue', { batch: 1, by: 'eve' }));
    await update('continue', { batch: 1, by: 'ana', decision_id: 'd1' });
    await update('continue', { batch: 1, by: 'ana', decision_id: 'd1' });
    await handle.signal('continue', { batch: 1, by: 'ben' });
    await handle.result();
  },
  'approved-without-an-item': async ({ start, update }) => {
    await start({ requested_by: 'two' });
    await update('continue', { batch: 1, by: 'ana' });
    await update('continue', { batch: 1, by: 'ben', exclude: [{ id: 'item-002' }] });
    await update('continue', { batch: 1, attempt: 2, by: 'ana' });
    await update('continue', { batch: 1, attempt: 2, by: 'ben' });
  },
  'held-then-refused': async ({ harness, start, update }) => {
    await start({ requested_by: 'held' });
    await update('cancel', { by: 'ana', reason: 'why?' });
    await harness.restartWorker();
    await update('cancel', { by: 'ben' });
  },
  'escalated-and-delegated': async ({ start, update, until }) => {
    await start({ requested_by: 'slow' });
    await update('delegate', { by: 'ana', to: 'fay', until: after(HOUR_MS) });
    await update('continue', { batch: 1, by: 'fay' });
    await until(({ approvals }) => approvals?.from.includes('person:dora') ?? false);
    await update('continue', { batch: 1, by: 'dora' });
  },
  'approved-by-a-revoked-key': async ({ harness, id, start, update }) => {
    const { access } = harness.store;
    await start({ requested_by: 'two' });
    const { key_id: key } = await access.createKey({ name: 'door', role: 'approver', hash: 'a'.repeat(64) });
    const approver = { ...assertedBy('ana'), roles: ['approver'], key };
    const vouched = { vouch: await createVouch(access), approver };
    await continueBulkOperation(harness.client, id, { batch: 1, by: 'ana' }, vouched);
    await access.revokeKey(key);
    await update('continue', { batch: 1, by: 'ben' });
    await update('continue', { batch: 1, by: 'ana' });
  },
};

const two = { approvals: 2, from: ['person:ana', 'person:ben'] };

/** By the name of the requester. */
export const RECORDED_POLICIES: HarnessOptions['policies'] = [
  { name: 'two', when: 'requester == "two"', require: two },
  { name: 'held', when: 'requester == "held"', require: { ...two, on_refusal: 'hold' } },
  {
    name: 'slow',
    when: 'requester == "slow"',
    require: { ...two, escalate: [{ after: 1, to: ['person:dora'] }] },
  },
];

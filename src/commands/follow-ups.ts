import { z } from 'zod';
import { retryFailedItems, startRemainingItems, undoBulkOperation } from '../client';
import { bulkOperationInputSchema, bulkStatusSchema } from '../contract/operation';
import { MAY } from '../core/access/permissions';
import { command, described, type AnyCommand, type Caller } from './command';
import { operation_id } from './fields';

/** Follow-ups of an ended operation. Their ids derive from its id, so a repeated call returns the same operation. */
const follows = {
  group: 'operations',
  output: bulkStatusSchema,
  may: MAY.start,
  effect: 'plans',
  idempotent: true,
  keeps_answer: true,
} as const;

const ASKING = {
  reason: 'Why it is wanted, in words for the person who decides',
  requested_by: 'The person for whom a backend requests it; anyone else requests under their own name',
};
const SAYS = described(bulkOperationInputSchema.pick({ reason: true, requested_by: true }), ASKING);

/** The same, for the same change again, which keeps its requester. */
const KEEPING = described(bulkOperationInputSchema.pick({ reason: true, requested_by: true }), {
  ...ASKING,
  requested_by:
    'The person for whom a backend requests it, if there is a new reason or the operation has no requester; else its own requester stays',
});

/** Returns the requester and the reason. */
const askingBy = (caller: Caller, { reason, requested_by }: z.output<typeof SAYS>) => ({
  ...(reason !== undefined && { reason }),
  ...(caller.is_agent && { by_agent: true as const }),
  ...{ requested_by: caller.nameOf(requested_by), requested_subject: caller.subjectOf() },
  ...{ ...caller.waits, via: caller.decision.door },
});

export const retryCommand = command({
  ...follows,
  name: 'retryFailedItems',
  title: 'Retry failed items',
  does: 'Plans a new operation over the failed items of an ended one that may be tried again. It asks a person again before anything runs. Called again, it answers the same operation.',
  input: z.strictObject({ operation_id }).extend(KEEPING.shape),
  http: {
    route: 'POST /v1/operations/{operation_id}/retry-failed',
    optional_body: true,
    creates: true,
  },
  agent: { name: 'retry_failed_items', takes: ['operation_id', 'reason'] },
  // The original reason and requester are kept, unless an agent asks, there is a new reason, or it had no requester.
  run: (client, { operation_id: id, ...input }, caller) =>
    retryFailedItems(client, id, askingBy(caller, input)),
});

const resumeCommand = command({
  ...follows,
  name: 'startRemainingItems',
  title: 'Start with the remaining items',
  does: 'Plans a new operation over the items that an ended one, for example an expired one, did not run. Called again, it answers the same operation.',
  input: z.strictObject({ operation_id }).extend(KEEPING.pick({ requested_by: true }).shape),
  http: { route: 'POST /v1/operations/{operation_id}/resume', optional_body: true, creates: true },
  run: (client, { operation_id: id, ...input }, caller) =>
    startRemainingItems(client, id, askingBy(caller, input)),
});

export const undoCommand = command({
  ...follows,
  name: 'undoBulkOperation',
  title: 'Undo a bulk operation',
  does: 'Plans a new operation that takes an ended one back: it restores what the items were before, each batch after a person confirmed it. Called again, it answers the same operation.',
  input: z.strictObject({ operation_id, ...SAYS.shape }).extend(
    described(
      bulkOperationInputSchema.pick({
        overwrite: true,
        batch_size: true,
        session_id: true,
        batch_sizes: true,
      }),
      {
        overwrite: 'The ids to restore although somebody changed them since, or "all"',
        batch_size: 'Items per batch; by default as in the operation',
        session_id: 'The conversation in which the person is asked; by default that of the operation',
        batch_sizes: 'Instead of batch_size: the sizes of batches that grow; by default as in the operation',
      },
    ).shape,
  ),
  http: { route: 'POST /v1/operations/{operation_id}/undo', optional_body: true, creates: true },
  agent: { name: 'undo_bulk_operation', takes: ['operation_id', 'overwrite', 'reason'] },
  run: (client, { operation_id: id, ...input }, caller) =>
    undoBulkOperation(client, id, { ...input, ...askingBy(caller, input) }),
});

export const FOLLOW_UPS: readonly AnyCommand[] = [retryCommand, resumeCommand, undoCommand];

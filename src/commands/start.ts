import type { z } from 'zod';
import { previewBulkOperation, startBulkOperation } from '../client';
import { bulkOperationInputSchema, bulkStatusSchema } from '../contract/operation';
import { bulkPreviewSchema } from '../contract/preview';
import { MAY } from '../core/access/permissions';
import { command, described, type AnyCommand, type Caller } from './command';

// Only a follow-up names the editors of its change.
const input = described(bulkOperationInputSchema.omit({ editors: true }), {
  domain: 'The adapter, for example gmail',
  action: 'The action of the adapter, for example label',
  params: 'Which items, and what to do to them: the parameters of the action',
  items: 'The items themselves, instead of a search in params',
  batch_size: 'Items per batch, 5 to 20 unless the operator allows others; default 10',
  metadata: 'Stored with the operation and passed to the adapter',
  session_id: 'The conversation in which the person is asked. It has one live job at a time',
  requested_by: 'The person for whom a backend requests it; anyone else requests under their own name',
  idle_timeout_seconds: 'How long a question stays open; default 3600',
  contract: 'When it counts as complete; by default once every item has an outcome',
  failure_threshold: 'The share of failed items, 0 to 1, above which the question begins with a warning',
  expect_digest: 'The digest of a preview. The start is refused unless it would do exactly that',
  undoes: 'The ended operation to undo; leave params out then',
  reason: 'Why, in words for the person who decides: shown beside each question as the requester’s',
  by_agent: 'An agent requests it, for whom a backend speaks; for any other agent this is set',
  revises: 'The operation that a person sent back, and that this one replaces',
  overwrite: 'In an undo: the ids to restore although somebody changed them since, or "all"',
  batch_sizes:
    'Instead of batch_size, batches that grow: [1, 5, 20] asks about 1 item, then 5, then 20 at a time. The last size repeats and has the limits of batch_size; those before it may be smaller. A batch in which more items failed than failure_threshold (default 0.1) starts again with the first size',
  not_before: 'No batch begins before this time: ISO 8601 with its offset from UTC, at most 30 days ahead',
  approvers:
    'The only ones who may approve, among those whom the policy of the operator names: person:NAME, group:NAME or role:NAME',
  requested_subject:
    'The person for whom a backend requests it, as an identity provider names them: ISSUER|SUBJECT; anyone else has their own',
});

/** The fields of a plan that tools take. */
const PLAN = [
  ...(['domain', 'action', 'params', 'items', 'batch_size', 'contract', 'session_id'] as const),
  'reason',
  'revises',
  'batch_sizes',
  'approvers',
] as const;

/** The requester, as far as the caller may name them, and whether it is an agent. */
const requesterIn = (
  { requested_by, requested_subject }: Pick<z.output<typeof input>, 'requested_by' | 'requested_subject'>,
  caller: Caller,
) => ({
  requested_by: caller.nameOf(requested_by),
  requested_subject: caller.subjectOf(requested_subject),
  ...(caller.is_agent && { by_agent: true as const }),
});

export const previewCommand = command({
  name: 'previewBulkOperation',
  group: 'operations',
  title: 'Preview a bulk operation',
  does: 'Shows what an operation would do to each item, before and after. Changes nothing and starts nothing.',
  input,
  output: bulkPreviewSchema,
  may: MAY.start,
  effect: 'reads',
  idempotent: true,
  http: { route: 'POST /v1/previews' },
  agent: {
    name: 'preview_bulk_operation',
    does: 'Shows what an operation would do to each item, before and after. Changes nothing and starts nothing. Use it first when the person wants to see the effect. Pass its digest to start_bulk_operation as expect_digest to start exactly that. describe_tools has the JSON Schema of params.',
    takes: PLAN,
    said: ({ total, batches_total, batches_text, already, expected_errors }) =>
      [
        `It would touch ${total} items${batches_text === undefined ? ` in ${batches_total} batches` : `, ${batches_text}`}.`,
        ...(expected_errors > 0 ? [`${expected_errors} of them will probably fail.`] : []),
        ...(already > 0 ? [`${already} of them need no change.`] : []),
        'Nothing was changed; `groups` has the items by what happens to them.',
      ].join(' '),
  },
  run(client, input, caller) {
    const { session_id } = caller.place('bulk', input.session_id);
    return previewBulkOperation(
      client,
      { ...input, session_id, ...requesterIn(input, caller) },
      { task_queue: caller.task_queue, via: caller.decision.door },
    );
  },
});

export const startCommand = command({
  name: 'startBulkOperation',
  group: 'operations',
  title: 'Start a bulk operation',
  does: 'Plans one action on many items and asks a person about the first batch. Nothing is changed before the person confirms.',
  input,
  output: bulkStatusSchema,
  may: MAY.start,
  effect: 'plans',
  idempotent: false,
  starts: 'bulk',
  http: { route: 'POST /v1/operations', creates: true },
  agent: {
    name: 'start_bulk_operation',
    does: 'Plans one action on many items (emails, events, cards, rows, requests) and asks a person about the first batch. It never changes an item: each batch runs only after a person confirmed it. Use it for every change to more than a few items. describe_tools has the JSON Schema of params. Answers with the change, the items of batch 1 and approval_url, the page where the person decides: show all of it to the person, then call continue_bulk_operation.',
    takes: [...PLAN, 'metadata', 'failure_threshold', 'idle_timeout_seconds', 'expect_digest', 'not_before'],
    requires: ['reason'],
  },
  gateway: {
    name: 'start_bulk_operation',
    takes: [...PLAN, 'metadata', 'failure_threshold', 'idle_timeout_seconds', 'not_before'],
    requires: ['reason'],
    free: ['params', 'items', 'metadata'],
  },
  run(client, input, caller) {
    const { id: operation_id, session_id, parent } = caller.place('bulk', input.session_id);
    const whole = { ...input, session_id, ...requesterIn(input, caller) };
    return startBulkOperation(client, whole, {
      ...{ operation_id, task_queue: caller.task_queue, parent },
      ...{ ...caller.waits, via: caller.decision.door },
    });
  },
});

export const STARTS: readonly AnyCommand[] = [previewCommand, startCommand];

import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { z } from 'zod';
import {
  cancelBulkOperation,
  getBulkStatus,
  listBulkOperations,
  openReport,
  previewBulkOperation,
  retryFailedItems,
  startBulkOperation,
  undoBulkOperation,
} from '../../client';
import {
  itemOutcomeSchema,
  bulkOperationInputSchema,
  bulkStateSchema,
  type BulkStatus,
  type ItemOutcome,
} from '../../contract/operation';
import { bulkPreviewSchema } from '../../contract/preview';
import { reportRowSchema, type ReportRow } from '../../contract/report';
import { operationRowSchema } from '../../contract/rows';
import { upTo } from '../../contract/text';
import { checkReach, sessionOf } from '../caller';
import { approvalUrl } from '../context';
import { CHANGES, LOOKS, mcpTool, PLANS, type McpTool } from '../tool';
import { operationViewSchema, viewOf } from '../views';

export const operation_id = upTo(1_000).min(1).describe('As the call that started it answered');
export const session_id = upTo(100)
  .min(1)
  .optional()
  .describe('A name for another conversation; by default this one. One live operation at a time');

const pageSchema = z.strictObject({
  offset: z.number().int().min(0).max(1_000_000).default(0),
  limit: z.number().int().min(1).max(200).default(50),
});

const wanted = bulkOperationInputSchema
  .pick({
    params: true,
    items: true,
    batch_size: true,
    metadata: true,
    contract: true,
    failure_threshold: true,
  })
  .extend({
    domain: upTo(150).min(1).describe('The adapter, for example gmail; describe_tools lists them'),
    action: upTo(150).min(1).describe('For example label'),
    params: bulkOperationInputSchema.shape.params.describe(
      'Which items, and what to do to them: the JSON Schema of describe_tools',
    ),
    items: bulkOperationInputSchema.shape.items.describe(
      'The items themselves, instead of a search in params',
    ),
    batch_size: bulkOperationInputSchema.shape.batch_size.describe('5 to 20, by default 10'),
    contract: bulkOperationInputSchema.shape.contract.describe(
      'When it counts as complete; by default once every item has an outcome',
    ),
    session_id,
  });

/** Starting and reading operations. */
export const OPERATION_TOOLS: readonly McpTool[] = [
  mcpTool({
    name: 'preview_bulk_operation',
    title: 'Preview a bulk operation',
    description:
      'Shows what an operation would do to each item, before and after. Changes nothing and starts nothing. Use it first when the person wants to see the effect. Pass its digest to start_bulk_operation as expect_digest to start exactly that.',
    input: wanted.omit({ metadata: true, failure_threshold: true }),
    output: bulkPreviewSchema,
    traits: LOOKS,
    async run(args, call) {
      const { client, context, caller } = call;
      const input = { ...args, session_id: sessionOf(caller, args.session_id) };
      const preview = await previewBulkOperation(client, input, { task_queue: context.taskQueue });
      const said = `It would touch ${preview.total} items in ${preview.batches_total} batches. Nothing was changed.`;
      return { said, data: preview };
    },
  }),
  mcpTool({
    name: 'start_bulk_operation',
    title: 'Start a bulk operation',
    description:
      'Plans one action on many items (emails, events, cards, rows, requests) and asks a person about the first batch. It never changes an item: each batch runs only after a person confirmed it. Use it for every change to more than a few items. Answers with the change, the items of batch 1 and approval_url, the page where the person decides: show all of it to the person, then call continue_bulk_operation.',
    input: wanted.extend({
      idle_timeout_seconds: bulkOperationInputSchema.shape.idle_timeout_seconds.describe(
        'How long a question stays open, by default 3600',
      ),
      expect_digest: bulkOperationInputSchema.shape.expect_digest.describe('The digest of a preview'),
    }),
    output: operationViewSchema,
    traits: PLANS,
    async run(args, call) {
      const input = {
        ...args,
        session_id: sessionOf(call.caller, args.session_id),
        requested_by: call.caller.name,
      };
      const options = { operation_id: `bulk-${randomUUID()}`, task_queue: call.context.taskQueue };
      return viewOf(call, await startBulkOperation(call.client, input, options));
    },
  }),
  mcpTool({
    name: 'get_bulk_status',
    title: 'Status of a bulk operation',
    description:
      'Where an operation stands: its state, counts, errors, the open question with its items, and who decided what. next_step says what to do.',
    input: z.strictObject({ operation_id }),
    output: operationViewSchema,
    traits: LOOKS,
    async run(args, call) {
      await checkReach(call.client, call.caller, args.operation_id);
      return viewOf(call, await getBulkStatus(call.client, args.operation_id));
    },
  }),
  mcpTool({
    name: 'list_bulk_operations',
    title: 'List bulk operations',
    description:
      'Your operations, live ones first, also those of earlier conversations. Use it to find an interrupted one. The list lags by moments.',
    input: z.strictObject({
      state: bulkStateSchema.optional(),
      live: z.boolean().optional().describe('Only those that have not ended'),
      limit: z.number().int().min(1).max(1_000).optional(),
    }),
    output: z.object({ items: z.array(operationRowSchema.extend({ approval_url: z.string() })) }),
    traits: LOOKS,
    async run(args, { client, caller, context }) {
      const asked = { ...args, session_prefix: caller.sessions, task_queue: context.taskQueue };
      const rows = await listBulkOperations(client, asked);
      const items = await Promise.all(
        rows.map(async (row) => ({ ...row, approval_url: await approvalUrl(context, row.operation_id) })),
      );
      return { said: `${items.length} operations.`, data: { items } };
    },
  }),
  mcpTool({
    name: 'get_bulk_report',
    title: 'Report of a bulk operation',
    description:
      'One row for each item, page by page: its outcome, error, batch, who confirmed it and when. For all items, also those that have not run.',
    input: pageSchema.extend({ operation_id, outcome: itemOutcomeSchema.optional() }),
    output: z.object({
      rows: z.array(reportRowSchema),
      total: z.number().int(),
      next_offset: z.number().int().optional(),
    }),
    traits: LOOKS,
    async run({ operation_id: id, ...page }, { client, caller }) {
      await checkReach(client, caller, id);
      const total = rowsWith(page.outcome, await getBulkStatus(client, id));
      const { rows, more } = await reportPage(client, id, page);
      const data = { rows, total, ...(more && { next_offset: page.offset + rows.length }) };
      return { said: `${rows.length} of ${total} rows.`, data };
    },
  }),
  mcpTool({
    name: 'retry_failed_items',
    title: 'Retry failed items',
    description:
      'Plans a new operation over the failed items of an ended one that may be tried again. It asks a person again before anything runs. Called again, it answers the same operation.',
    input: z.strictObject({ operation_id }),
    output: operationViewSchema,
    traits: { ...PLANS, idempotentHint: true },
    async run(args, call) {
      await checkReach(call.client, call.caller, args.operation_id);
      return viewOf(call, await retryFailedItems(call.client, args.operation_id));
    },
  }),
  mcpTool({
    name: 'undo_bulk_operation',
    title: 'Undo a bulk operation',
    description:
      'Plans a new operation that takes an ended one back: it restores what the items were before, each batch after a person confirmed it. Called again, it answers the same operation.',
    input: z.strictObject({
      operation_id,
      overwrite: bulkOperationInputSchema.shape.overwrite.describe(
        'Ids to restore although somebody changed them since, or "all"',
      ),
    }),
    output: operationViewSchema,
    traits: { ...PLANS, idempotentHint: true },
    async run({ operation_id: id, overwrite }, call) {
      await checkReach(call.client, call.caller, id);
      const options = { requested_by: call.caller.name, overwrite };
      return viewOf(call, await undoBulkOperation(call.client, id, options));
    },
  }),
  mcpTool({
    name: 'cancel_bulk_operation',
    title: 'Cancel a bulk operation',
    description:
      'Stops an operation for good: at once while it waits, else at the next item. What was done stays done. Use it when the person asks to stop.',
    input: z.strictObject({ operation_id, reason: upTo(500).optional() }),
    output: operationViewSchema,
    traits: { ...CHANGES, destructiveHint: false, idempotentHint: true },
    async run({ operation_id: id, reason }, call) {
      const { client, caller } = call;
      await checkReach(client, caller, id);
      await cancelBulkOperation(client, id, { by: caller.name, reason });
      return viewOf(call, await getBulkStatus(client, id));
    },
  }),
];

/** The number of report rows with this outcome, by default of all rows. */
function rowsWith(outcome: ItemOutcome | undefined, status: BulkStatus): number {
  if (outcome === undefined) return status.total;
  return outcome === 'pending' ? status.remaining : status[outcome];
}

/** Reads only as much of the report as the page needs, and one row more to tell whether more follow. */
async function reportPage(
  client: Client,
  id: string,
  { offset, limit, outcome }: { offset: number; limit: number; outcome?: ItemOutcome | undefined },
): Promise<{ rows: ReportRow[]; more: boolean }> {
  const rows: ReportRow[] = [];
  let before = outcome === undefined ? 0 : offset;
  for await (const row of (await openReport(client, id, offset - before)).rows) {
    if (outcome !== undefined && row.outcome !== outcome) continue;
    if (before-- > 0) continue;
    if (rows.length === limit) return { rows, more: true };
    rows.push(row);
  }
  return { rows, more: false };
}

import type { Client } from '@temporalio/client';
import { z } from 'zod';
import { idSchema, upTo } from '../../contract/text';
import {
  getBulkErrors,
  getBulkItems,
  getBulkStatus,
  getCompletionGuard,
  listBulkOperations,
  startBulkOperation,
} from '../../client';
import { bulkItemInputSchema } from '../../contract/items';
import { itemsRequestSchema, pageRequestSchema } from '../../contract/messages';
import { bulkOperationInputSchema, bulkStateSchema } from '../../contract/operation';
import { defineTool, type ToolDefinition } from '../../contract/tools';
import { START_TOOL } from '../../core/bulk/operation';
import { startedBy } from '../../core/shared/canonical';

const operation_id = z
  .string()
  .min(1)
  .describe('The id returned by start_bulk_operation or list_bulk_operations');
const reading = { read_only: true, idempotent: true, transactional: false } as const;
const bulk = { ...reading, category: 'bulk' };

/** The client through which operations are started and read. */
export interface OperationsDoor {
  readonly client: Client;
  readonly taskQueue: string;
}

/** Tools that start a bulk operation, which then waits for a person, and that show one. Only a person confirms. */
export function createOperationTools(door: () => OperationsDoor): ToolDefinition[] {
  return [startTool(door), ...bulkTools(door)];
}

function startTool(door: () => OperationsDoor): ToolDefinition {
  return defineTool({
    ...{ name: START_TOOL, category: 'bulk' },
    ...{ read_only: false, idempotent: true, transactional: false },
    description:
      'Plans one action on many items and asks a person about the first batch. Nothing is changed before the person confirms.',
    args: bulkOperationInputSchema
      .pick({ batch_size: true, failure_threshold: true, idle_timeout_seconds: true })
      .extend({
        domain: upTo(150).min(1).describe('The adapter, for example gmail'),
        action: upTo(150).min(1).describe('What to do, for example label'),
        params: bulkOperationInputSchema.shape.params.describe(
          'The parameters of the query and of the change, as described by the adapter',
        ),
        items: z
          .array(bulkItemInputSchema)
          .min(1)
          .optional()
          .meta({ clamp: 'none' })
          .describe('An explicit list of items, instead of a query'),
        metadata: bulkOperationInputSchema.shape.metadata
          .meta({ clamp: 'none' })
          .describe('Stored with the operation and passed to the adapter'),
        contract: bulkOperationInputSchema.shape.contract.describe(
          'The conditions for completion; by default every item must have an outcome',
        ),
        session_id: z
          .string()
          .min(1)
          .max(150)
          .optional()
          .describe('The session in which the person is asked; by default the session of the caller'),
      }),
    async handler(args, { idempotency_key, signal, session_id, job }) {
      const { client, taskQueue } = door();
      const asked = { ...args, session_id: args.session_id ?? session_id };
      const options = {
        operation_id: startedBy('bulk', idempotency_key),
        task_queue: taskQueue,
        // In another session it is a job of its own.
        ...(job && asked.session_id === session_id && { parent: job }),
      };
      return client.withAbortSignal(signal, () => startBulkOperation(client, asked, options));
    },
  });
}

function bulkTools(door: () => OperationsDoor): ToolDefinition[] {
  const one = z.strictObject({ operation_id });
  return [
    defineTool({
      ...{ ...bulk, name: 'get_bulk_status', args: one },
      description: 'Shows a bulk operation: its state, counts and open question.',
      handler: (args, context) => asked(door, context, (client) => getBulkStatus(client, args.operation_id)),
    }),
    defineTool({
      ...{ ...bulk, name: 'get_bulk_items', args: one.extend(itemsRequestSchema.shape) },
      description: 'Lists the items of a bulk operation with their outcomes, page by page.',
      handler: ({ operation_id: id, ...page }, context) =>
        asked(door, context, (client) => getBulkItems(client, id, page)),
    }),
    defineTool({
      ...{ ...bulk, name: 'get_bulk_errors', args: one.extend(pageRequestSchema.shape) },
      description: 'Lists the failed items of a bulk operation with their errors, page by page.',
      handler: ({ operation_id: id, ...page }, context) =>
        asked(door, context, (client) => getBulkErrors(client, id, page)),
    }),
    defineTool({
      ...{ ...bulk, name: 'get_completion_guard', args: one },
      description: 'Checks whether a bulk operation can be completed, and what is missing.',
      handler: (args, context) =>
        asked(door, context, (client) => getCompletionGuard(client, args.operation_id)),
    }),
    defineTool({
      ...{ ...bulk, name: 'list_bulk_operations' },
      description: 'Lists bulk operations: live ones first, then ended ones.',
      args: z.strictObject({
        state: bulkStateSchema.optional(),
        session_id: idSchema(150).optional(),
        live: z.boolean().optional().describe('Only those that have not ended'),
        limit: z.number().int().min(1).optional(),
      }),
      handler: async (args, context) => ({
        items: await asked(door, context, (client) => listBulkOperations(client, args)),
      }),
    }),
  ];
}

/** One call of the client, which ends with the tool's call. */
export function asked<T>(
  door: () => OperationsDoor,
  { signal }: { signal: AbortSignal },
  question: (client: Client) => Promise<T>,
): Promise<T> {
  const { client } = door();
  return client.withAbortSignal(signal, () => question(client));
}

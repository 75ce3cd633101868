import { z } from 'zod';
import {
  getBulkErrors,
  getBulkGroups,
  getBulkItems,
  getBulkProgress,
  getBulkStatus,
  getCompletionGuard,
  listBulkOperations,
} from '../client';
import {
  bulkStateSchema,
  bulkStatusSchema,
  itemErrorSchema,
  itemOutcomeSchema,
  itemRowSchema,
} from '../contract/operation';
import { itemGroupSchema } from '../contract/preview';
import { bulkProgressContractSchema, completionGuardResultSchema } from '../contract/progress';
import { operationRowSchema } from '../contract/rows';
import { MAY } from '../core/access/permissions';
import { command, type AnyCommand } from './command';
import { limit, live, offset, operation_id, session_id } from './fields';

const looks = { group: 'operations', may: MAY.look, effect: 'reads', idempotent: true } as const;
const operationInput = z.strictObject({ operation_id });
const total = z.number().int().describe('How many there are in all');

const statusCommand = command({
  ...looks,
  name: 'getBulkStatus',
  title: 'Status of a bulk operation',
  does: 'Shows an operation: its state, counts, errors, the open question with its items, and who decided what.',
  input: operationInput,
  output: bulkStatusSchema,
  http: { route: 'GET /v1/operations/{operation_id}' },
  agent: {
    name: 'get_bulk_status',
    does: 'Shows an operation: its state, counts, errors, the open question with its items, and who decided what. next_step is what to do.',
  },
  gateway: { name: 'get_bulk_status' },
  run: (client, input) => getBulkStatus(client, input.operation_id),
});

export const listCommand = command({
  ...looks,
  name: 'listBulkOperations',
  title: 'List bulk operations',
  does: 'Lists operations: live ones first, then those that ended, each group newest first. The list lags by moments.',
  input: z.strictObject({
    state: bulkStateSchema.optional().describe('Only those in this state'),
    ...{ session_id, live, offset, limit },
  }),
  output: z.object({ items: z.array(operationRowSchema) }),
  http: { route: 'GET /v1/operations', takes: ['state', 'session_id'], paged: true },
  agent: {
    name: 'list_bulk_operations',
    does: 'Your operations, live ones first, also those of earlier conversations. Use it to find an interrupted one. The list lags by moments.',
    takes: ['state', 'live', 'limit'],
  },
  gateway: { name: 'list_bulk_operations', takes: ['state', 'session_id', 'live', 'limit'] },
  run: async (client, filter, { task_queue, session_prefix }) => ({
    items: await listBulkOperations(client, { ...filter, task_queue, session_prefix }),
  }),
});

export const itemsCommand = command({
  ...looks,
  name: 'getBulkItems',
  title: 'Items of a bulk operation',
  does: 'Lists the items of an operation with their outcomes, page by page.',
  input: operationInput.extend({
    outcome: itemOutcomeSchema.optional().describe('Only those with this outcome'),
    ...{ offset, limit },
  }),
  output: z.object({ items: z.array(itemRowSchema), total }),
  http: { route: 'GET /v1/operations/{operation_id}/items', takes: ['outcome'], paged: true },
  gateway: { name: 'get_bulk_items' },
  run: (client, { operation_id: id, ...page }) => getBulkItems(client, id, page),
});

const groupsCommand = command({
  ...looks,
  name: 'getBulkGroups',
  title: 'Groups of the items of a bulk operation',
  does: 'Lists all items of an operation by what happens to them, outliers first, page by page. Each group has the ids of all of its items.',
  input: operationInput.extend({ offset, limit }),
  output: z.object({ groups: z.array(itemGroupSchema), total }),
  http: { route: 'GET /v1/operations/{operation_id}/groups', takes: [], paged: true },
  gateway: { name: 'get_bulk_groups' },
  run: (client, { operation_id: id, ...page }) => getBulkGroups(client, id, page),
});

export const errorsCommand = command({
  ...looks,
  name: 'getBulkErrors',
  title: 'Failed items of a bulk operation',
  does: 'Lists the failed items of an operation with their errors, page by page.',
  input: operationInput.extend({ offset, limit }),
  output: z.object({ errors: z.array(itemErrorSchema), total }),
  http: { route: 'GET /v1/operations/{operation_id}/errors', takes: [], paged: true },
  gateway: { name: 'get_bulk_errors' },
  run: (client, { operation_id: id, ...page }) => getBulkErrors(client, id, page),
});

export const guardCommand = command({
  ...looks,
  name: 'getCompletionGuard',
  title: 'Whether a bulk operation can be completed',
  does: 'Shows whether an operation can be completed, and what is missing.',
  input: operationInput,
  output: completionGuardResultSchema,
  http: { route: 'GET /v1/operations/{operation_id}/guard' },
  gateway: { name: 'get_completion_guard' },
  run: (client, input) => getCompletionGuard(client, input.operation_id),
});

const progressCommand = command({
  ...looks,
  name: 'getBulkProgress',
  title: 'Progress contract of a bulk operation',
  does: 'Shows the progress contract: what must be done before the operation counts as complete, and what was done.',
  input: operationInput,
  output: bulkProgressContractSchema,
  http: { route: 'GET /v1/operations/{operation_id}/progress' },
  run: (client, input) => getBulkProgress(client, input.operation_id),
});

export const LOOKS: readonly AnyCommand[] = [
  statusCommand,
  listCommand,
  itemsCommand,
  groupsCommand,
  errorsCommand,
  guardCommand,
  progressCommand,
];

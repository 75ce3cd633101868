import type { Client } from '@temporalio/client';
import type { Batchgate } from './batchgate';
import * as client from './client';
import type { BulkOperationInput } from './contract/operation';
import type { toolDescriptionSchema } from './contract/tools';
import type { z } from 'zod';
import type { describeTools as describe } from './worker/tools';

/**
 * The methods of `Batchgate` as functions, under their earlier names. They remain until 1.0. `task_queue` is the queue
 * of the workers; default: `batchgate`.
 */

/** `Batchgate.start`. */
export const startBulkOperation: (
  client: Client,
  input: BulkOperationInput,
  options?: Parameters<Batchgate['start']>[1] & { task_queue?: string },
) => ReturnType<Batchgate['start']> = client.startBulkOperation;

/** `Batchgate.preview`. */
export const previewBulkOperation: (
  client: Client,
  input: BulkOperationInput,
  options?: Parameters<Batchgate['preview']>[1] & { task_queue?: string },
) => ReturnType<Batchgate['preview']> = client.previewBulkOperation;

/** `Batchgate.continue`. */
export const continueBulkOperation: (
  client: Client,
  ...args: Parameters<Batchgate['continue']>
) => ReturnType<Batchgate['continue']> = client.continueBulkOperation;

/** `Batchgate.cancel`. */
export const cancelBulkOperation: (
  client: Client,
  ...args: Parameters<Batchgate['cancel']>
) => ReturnType<Batchgate['cancel']> = client.cancelBulkOperation;

/** `Batchgate.complete`. */
export const completeBulkOperation: (
  client: Client,
  ...args: Parameters<Batchgate['complete']>
) => ReturnType<Batchgate['complete']> = client.completeBulkOperation;

/** `Batchgate.extend`. */
export const extendBulkOperation: (
  client: Client,
  ...args: Parameters<Batchgate['extend']>
) => ReturnType<Batchgate['extend']> = client.extendBulkOperation;

/** `Batchgate.resolve`. */
export const resolveItem: (
  client: Client,
  ...args: Parameters<Batchgate['resolve']>
) => ReturnType<Batchgate['resolve']> = client.resolveItem;

/** `Batchgate.retryFailed`. */
export const retryFailedItems: (
  client: Client,
  ...args: Parameters<Batchgate['retryFailed']>
) => ReturnType<Batchgate['retryFailed']> = client.retryFailedItems;

/** `Batchgate.undo`. */
export const undoBulkOperation: (
  client: Client,
  operationId: string,
  options?: Parameters<Batchgate['undo']>[1] & { task_queue?: string },
) => ReturnType<Batchgate['undo']> = client.undoBulkOperation;

/** `Batchgate.status`. */
export const getBulkStatus: (
  client: Client,
  ...args: Parameters<Batchgate['status']>
) => ReturnType<Batchgate['status']> = client.getBulkStatus;

/** `Batchgate.list`. */
export const listBulkOperations: (
  client: Client,
  ...args: Parameters<Batchgate['list']>
) => ReturnType<Batchgate['list']> = client.listBulkOperations;

/** `Batchgate.say`. */
export const handleMessage: (
  client: Client,
  sessionId: string,
  text: string,
  context?: Parameters<Batchgate['say']>[2] & { task_queue?: string },
) => ReturnType<Batchgate['say']> = client.handleMessage;

/**
 * Returns the tools of a worker with the configuration of this folder: the built-in tools and those of its modules.
 * Needs no server. @throws BatchgateError `NOT_CONFIGURED` if a module cannot be loaded.
 */
export async function describeTools(
  query: {
    /** Only tools that this caller may use. */
    caller?: 'macro' | 'assistant' | 'http' | 'mcp';
    /** Only tools of this category. */
    category?: string;
  } = {},
): Promise<z.infer<typeof toolDescriptionSchema>[]> {
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- only here are the tools and their packages loaded
  const tools = require('./worker/tools') as { describeTools: typeof describe };
  return tools.describeTools(undefined, query);
}

import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { TASK_QUEUE, WORKFLOW_TYPES } from '../contract/messages';
import type { BulkOperationInput } from '../contract/operation';
import type { BulkPreview } from '../contract/preview';
import type { Door } from '../contract/record';
import { parseOperationInput } from '../core/bulk/input';
import { refusePlainSecrets } from '../core/shared/plain-secrets';
import { runOnce, telling, WAIT_MS, type WaitOptions } from './waiting';

export interface PreviewOptions extends WaitOptions {
  task_queue?: string;
  /** The door through which it is asked for, for the policies. */
  via?: Door | undefined;
}

/**
 * Returns what an operation with this input would do to each item. Nothing is changed, and no slot is taken. A start
 * with the preview's digest as `expect_digest` does exactly this or is refused.
 * @throws BatchgateError with the code of the refusal that the start would get.
 */
export async function previewBulkOperation(
  client: Client,
  input: BulkOperationInput,
  { task_queue = TASK_QUEUE, wait_ms = WAIT_MS, onWaiting, signal, via }: PreviewOptions = {},
): Promise<BulkPreview> {
  const { items: _, ...asked } = parseOperationInput(input);
  refusePlainSecrets(asked);
  const workflowId = `preview-${randomUUID()}`;
  const question = {
    type: WORKFLOW_TYPES.bulkPreview,
    id: 'preview',
    taskQueue: task_queue,
    input,
    staticSummary: `Preview: ${input.action} on ${input.domain}`.slice(0, 180),
    // Once the caller stops waiting, nothing needs the answer.
    workflowExecutionTimeout: wait_ms,
    ...(via && { memo: { via } }),
  };
  const ask = () => runOnce<BulkPreview>(client, question, wait_ms, workflowId);
  return telling(client, workflowId, onWaiting, () => (signal ? client.withAbortSignal(signal, ask) : ask()));
}

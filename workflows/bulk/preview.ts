import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { BulkActivities } from '../../src/contract/activities';
import { BatchgateError } from '../../src/contract/errors';
import type { BulkOperationInput } from '../../src/contract/operation';
import type { BulkPreview } from '../../src/contract/preview';
import { parseRecordedInput } from '../../src/core/bulk/input';
import { beginOperation } from '../../src/core/bulk/lifecycle';
import { fromActivityFailure, toFailure } from '../shared/failures';
import { touchSentinel } from '../shared/visibility';
import { frozenPlan, reading } from './plan';

const { readSettings } = proxyActivities<Pick<BulkActivities, 'readSettings'>>({
  startToCloseTimeout: '10s',
  retry: { maximumAttempts: 3 },
  summary: 'Read the settings',
});

/**
 * Returns the effect of an operation with this input on each item. It makes the same plan as the operation. It takes no
 * slot, asks nothing and changes nothing.
 */
export async function bulkPreview(value: BulkOperationInput): Promise<BulkPreview> {
  const { workflowId, firstExecutionRunId, startTime } = workflowInfo();
  try {
    const { expect_digest: _, session_id: preview_session, ...input } = parseRecordedInput(value);
    touchSentinel();
    const settings = await readSettings();
    const state = beginOperation(
      { operation_id: workflowId, first_run_id: firstExecutionRunId },
      input,
      startTime.getTime(),
    );
    const session = preview_session === undefined ? {} : { preview_session };
    const planned = await frozenPlan({ ...state, settings }, undefined, session);
    if ('error' in planned) throw BatchgateError.from(planned.error);
    const preview = await reading('Keep the preview', settings).keepPreview({ preview_id: workflowId });
    const { revision } = planned.state;
    return { ...preview, ...(revision && { revises: input.revises, revision }) };
  } catch (error) {
    throw toFailure(error instanceof BatchgateError ? error.body : fromActivityFailure(error));
  }
}

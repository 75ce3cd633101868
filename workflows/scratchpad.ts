import { proxyActivities } from '@temporalio/workflow';
import type {
  ScratchpadActivities,
  ScratchpadAnswer,
  ScratchpadRequest,
} from '../src/contract/scratchpad-access';

const { accessScratchpad, dropUpload } = proxyActivities<ScratchpadActivities>({
  startToCloseTimeout: '10s',
  retry: { maximumAttempts: 3, nonRetryableErrorTypes: ['INVALID_INPUT', 'NOT_FOUND'] },
});

/** One read or one change of a session's scratchpad: only workers open the store. */
export async function scratchpad(request?: ScratchpadRequest): Promise<ScratchpadAnswer> {
  try {
    return await accessScratchpad(request as ScratchpadRequest);
  } finally {
    // After the value is saved, so that a retry still finds the parts. Hygiene deletes parts that are left over.
    if (request?.verb === 'join') await dropUpload(request).catch(() => undefined);
  }
}

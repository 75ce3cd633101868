import { getExternalWorkflowHandle, workflowInfo } from '@temporalio/workflow';
import { SIGNALS } from '../src/contract/messages';
import { sentinelId } from '../src/contract/sentinel';

/** Says to the sentinel that somebody is here. Where there is none, nothing is kept away either. */
export function touchSentinel(by?: string): void {
  const sentinel = getExternalWorkflowHandle(sentinelId(workflowInfo().taskQueue));
  sentinel.signal(SIGNALS.touch, { ...(by !== undefined && { by }) }).catch(() => undefined);
}

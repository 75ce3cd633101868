import { proxyActivities } from '@temporalio/workflow';
import type { BulkActivities } from '../../src/contract/activities';
import type { SuggestionRequest } from '../../src/contract/suggestions';

/** A person who is typing waits for the answer, so a failure is final. */
const { suggest } = proxyActivities<Pick<BulkActivities, 'suggest'>>({
  startToCloseTimeout: '10s',
  retry: { maximumAttempts: 1 },
});

/** The values that a parameter can have in its tool: only workers reach the tool. */
export async function suggestions(request: SuggestionRequest): Promise<string[]> {
  return suggest(request);
}

import { CancellationScope, condition } from '@temporalio/workflow';

/**
 * Waits in a handler. Temporal's own Cancel ends this operation in an orderly way, so it must not reach the handlers:
 * interrupting their wait would fail the update, or end the execution without its result.
 */
export function waitFor(test: () => boolean): Promise<void> {
  return CancellationScope.nonCancellable(() => condition(test));
}

/**
 * Resolves once everything else that arrived in the same activation has been applied. The SDK passes updates and
 * signals to their handlers before the activity results they came with; after a lost workflow task, a replay may
 * combine two activations into one. A decision that names its gate is therefore judged after the results, so that the
 * order inside an activation never changes the verdict.
 */
export async function settled(): Promise<void> {
  // The first wait yields to the jobs of this activation, the second to all that those start.
  await nextRound();
  await nextRound();
}

async function nextRound(): Promise<void> {
  let looks = 0;
  await waitFor(() => looks++ > 0);
}

import { Context } from '@temporalio/activity';
import type { Begun } from '../../src/contract/activities';
import { planTrySchema, type BeginInput } from '../../src/contract/plans';
import { ADMISSION_TRY_MS } from '../../src/contract/sentinel';
import { waitUnder } from '../../src/core/bulk/deadlines';
import { limitError } from '../../src/core/bulk/input';
import { planTryMs } from '../../src/core/bulk/patience';
import { admission, admit, askLater } from '../sentinel/admission';
import type { ActivityDependencies } from '../shared/dependencies';
import { readingAgain } from '../shared/failures';
import { plan } from './planning';
import { planBefore } from './resets';

/**
 * Admits an operation, then plans it: without a slot the tool is not read. The first heartbeat reports the slot, so
 * that a new sentinel learns of it. A try without a slot ends after ADMISSION_TRY_MS.
 */
export async function begin(dependencies: ActivityDependencies, input: BeginInput): Promise<Begun> {
  const startedAt = Date.now();
  const before = planTrySchema.safeParse(Context.current().info.heartbeatDetails);
  if (before.success)
    return planned(dependencies, input, admission(dependencies, input), {
      tries: before.data.plan_try + 1,
      soon: true,
    });
  const answer = await admit(dependencies, { ...input, kind: 'bulk_operation' });
  if (!answer.admitted) {
    // The first run of an operation asks the sentinel, unless it was reset.
    const isReset = Context.current().info.workflowExecution?.runId !== input.run_id;
    const before = isReset ? await planBefore(dependencies, input) : undefined;
    return { ...answer, ...(before && { plan: before }) };
  }
  // The server has given up this try; the next one asks again.
  const elapsedMs = Date.now() - startedAt;
  if (elapsedMs >= ADMISSION_TRY_MS) throw askLater(0);
  // A heartbeat is a call. The usual start needs none: it ends before the first heartbeat is due.
  const soon = elapsedMs > ADMISSION_TRY_MS / 2 || Context.current().info.attempt > 1;
  return planned(dependencies, input, answer, { tries: 1, soon });
}

async function planned(
  dependencies: ActivityDependencies,
  input: BeginInput,
  answer: Extract<Begun, { admitted: true }>,
  reading: { tries: number; soon: boolean },
): Promise<Begun> {
  const { settings, deadline } = answer;
  const { batch_size, named, items } = input;
  const wait = deadline && waitUnder(input, input.asked_seconds, deadline);
  const excess = limitError(
    {
      batch_size,
      batch_sizes: input.terms.batch_sizes,
      ...(named !== undefined && { items: { length: named } }),
    },
    settings,
  );
  // The workflow reports why there is no plan.
  if (excess || (wait && 'error' in wait) || (named !== undefined && !items)) return answer;
  const terms = { ...input.terms, ...(wait && { idle_timeout_seconds: wait.seconds }) };
  const { max_total_items } = settings;
  const result = await readingAgain({ ...reading, forMs: planTryMs(settings) }, (readOn) =>
    plan({ ...dependencies, readOn }, { ...input, terms, max_total_items }),
  );
  return { ...answer, plan: result };
}

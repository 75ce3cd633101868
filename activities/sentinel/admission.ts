import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { Admission, AdmitInput, BulkActivities } from '../../src/contract/activities';
import { SentinelUnsettled } from '../../src/contract/sentinel';
import { deadlineOf } from '../../src/core/bulk/deadlines';
import { frozenWindows } from '../../src/core/bulk/windows';
import type { ActivityDependencies } from '../shared/dependencies';
import { tellWebhooks } from '../webhooks';

/** Requests a slot from the sentinel, and returns the operator's settings with it. */
export async function admit(dependencies: ActivityDependencies, input: AdmitInput): Promise<Admission> {
  const { sentinel, settings, webhooks, log } = dependencies;
  const { operation_id, run_id, kind, session_id, parent } = input;
  const job = {
    job_id: operation_id,
    run_id,
    kind,
    ...(session_id !== undefined && { session_id }),
    ...(parent && { parent }),
  };
  try {
    // The sentinel did not answer the last attempt. Only this call ends a wedged sentinel.
    const reason = Context.current().info.attempt > 1 ? await sentinel.removeWedged() : undefined;
    if (reason !== undefined) log.warn({ reason }, 'the sentinel could not answer and is started anew');
    const error = await sentinel.admit(job, settings.max_active_jobs);
    if (!error && kind === 'bulk_operation') await tellWebhooks(webhooks, { operation_id, run_id });
    return error ? { admitted: false, error } : admission(dependencies, input);
  } catch (error) {
    throw error instanceof SentinelUnsettled ? askLater(error.waitMs) : error;
  }
}

/** Returns the answer to a job that has a slot. */
export function admission(
  { settings, deadlines = [], windows = {}, publicKey }: ActivityDependencies,
  { domain = '', action = '' }: Pick<AdmitInput, 'domain' | 'action'>,
): Extract<Admission, { admitted: true }> {
  const deadline = deadlineOf(deadlines, domain, action);
  const rules = Object.hasOwn(windows, domain) ? windows[domain] : undefined;
  return {
    admitted: true,
    settings,
    ...(publicKey !== undefined && { public_key: publicKey }),
    ...(deadline && { deadline }),
    ...(rules && { windows: frozenWindows(rules, Date.now()) }),
  };
}

/** Returns the failure after which the server retries the call of the sentinel. */
export function askLater(waitMs: number): ApplicationFailure {
  const { name, message } = new SentinelUnsettled(waitMs);
  return ApplicationFailure.create({ message, type: name, nextRetryDelay: waitMs + 1 });
}

/** Writes the last status into the ledger and releases the slot. Each is tried even if the other fails. */
export async function close(
  { ledger, sentinel }: ActivityDependencies,
  { operation_id, run_id, status, decisions }: Parameters<BulkActivities['close']>[0],
): Promise<void> {
  const results = await Promise.allSettled([
    sentinel.release({ job_id: operation_id, run_id }),
    ledger.close(operation_id, run_id, status, decisions),
  ]);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

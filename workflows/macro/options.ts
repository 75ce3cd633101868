import { cutAt } from '../../src/contract/text';
import type { ActivityOptions } from '@temporalio/workflow';
import type { Settings } from '../../src/contract/settings';

/** Errors that another try would only repeat. */
export const FINAL = [
  'INVALID_INPUT',
  'NOT_CONFIGURED',
  'CREDENTIALS_INVALID',
  'FORBIDDEN',
  'NOT_FOUND',
  'UNKNOWN_ADAPTER',
];
export const AGAIN = { initialInterval: '500ms', maximumInterval: '30s', maximumAttempts: 4 } as const;
export const ONCE = { maximumAttempts: 1 } as const;
/** The maximum size of an activity's summary in the Temporal UI. Bytes; a letter may take four. */
const SUMMARY_LENGTH = 45;

/** For a call within a transaction: the lease shows whether the worker lives, so the call needs no timeout. */
export const withinTransaction = (options: ActivityOptions): ActivityOptions => ({
  ...options,
  heartbeatTimeout: undefined,
  retry: ONCE,
});

/** Options of an activity that may wait for a tool, a model or a database. */
export function optionsOf(settings: Settings, summary: string): ActivityOptions {
  return {
    startToCloseTimeout: settings.tool_timeout_ms,
    heartbeatTimeout: settings.heartbeat_timeout_ms,
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    retry: { ...AGAIN, nonRetryableErrorTypes: FINAL },
    summary: cutAt(summary, SUMMARY_LENGTH),
  };
}

/** A wait ends from time to time to free its place on the worker, and is retried for as long as it takes. */
export function waitOptions(settings: Settings, jobId: string): ActivityOptions {
  return {
    ...optionsOf(settings, `wait for ${jobId}`),
    startToCloseTimeout: '10 minutes',
    retry: { initialInterval: '1s', maximumInterval: '10s', nonRetryableErrorTypes: FINAL },
  };
}

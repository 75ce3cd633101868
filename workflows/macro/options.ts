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
/** The summary of an activity in the Temporal UI. Bytes; letters may take four. */
const SUMMARY_LENGTH = 45;

/** Of a call within a transaction: its lease says whether its worker lives, so that the call needs no timeout of its own. */
export const withinTransaction = (options: ActivityOptions): ActivityOptions => ({
  ...options,
  heartbeatTimeout: undefined,
  retry: ONCE,
});

/** Of an activity that a tool, a model or a database may keep waiting. */
export function optionsOf(settings: Settings, summary: string): ActivityOptions {
  return {
    startToCloseTimeout: settings.tool_timeout_ms,
    heartbeatTimeout: settings.heartbeat_timeout_ms,
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    retry: { ...AGAIN, nonRetryableErrorTypes: FINAL },
    summary: cutAt(summary, SUMMARY_LENGTH),
  };
}

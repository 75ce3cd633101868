import type { ErrorCode } from '../../contract/errors';
import type { Settings } from '../../contract/settings';

/** Errors that another read would not resolve: mistakes of the caller and refusals of the tool. */
export const FINAL_ERRORS: ErrorCode[] = [
  'INVALID_INPUT',
  'UNKNOWN_ADAPTER',
  'TOO_MANY_ITEMS',
  'CREDENTIALS_INVALID',
  'NOT_CONFIGURED',
  'NOT_FOUND',
  'FORBIDDEN',
  'CHANGED_SINCE_PREVIEW',
];

/** The number of tries of a read, most of them for lost workers and an unavailable database. */
export const READ_TRIES = 200;
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [500, 5_000];
export const READ_PAUSES = { initialInterval: FIRST_PAUSE_MS, maximumInterval: LONGEST_PAUSE_MS };

/** The pause after this many failed tries, the same as the server makes between the tries of other reads. */
export function pauseAfter(tries: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), LONGEST_PAUSE_MS);
}

/**
 * The time limit for a try of a plan to read the next page. Before the first page it prepares and counts, each within
 * the time limit of a read.
 */
export function planTryMs({ read_timeout_ms, heartbeat_timeout_ms }: Settings): number {
  return 3 * read_timeout_ms + heartbeat_timeout_ms;
}

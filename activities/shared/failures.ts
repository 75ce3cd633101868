import { setImmediate as nextTurn } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory, CancelledFailure } from '@temporalio/common';
import type { Ledger } from '../../src/contract/ledger';
import { shortened } from '../../src/contract/text';
import { BatchgateError, type ErrorCode } from '../../src/contract/errors';
import { FINAL_ERRORS, pauseAfter, READ_TRIES } from '../../src/core/bulk/patience';
import { NO_ANSWER, toFailureFields } from '../../src/core/shared/failures';
import { sqlState } from '../../src/postgres/databases/failure';
import { withHeartbeat } from './heartbeat';

/**
 * Runs an activity so that a public error reaches the workflow with all its fields. `isFinal`: true for errors that a
 * retry would repeat, in addition to those that the workflow lists.
 */
export async function asActivity<T>(
  work: () => Promise<T>,
  isFinal: (error: BatchgateError) => boolean = () => false,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const cause = isLong(error) ? undefined : (error as Error);
    if (error instanceof BatchgateError)
      throw ApplicationFailure.create({
        ...toFailureFields(error.body),
        cause,
        nonRetryable: isFinal(error),
        ...categoryOf(error.code),
      });
    throw isLong(error) ? shortFailure(error) : error;
  }
}

const MISTAKES: readonly ErrorCode[] = [
  'INVALID_INPUT',
  'UNKNOWN_ADAPTER',
  'TOO_MANY_ITEMS',
  'NOT_FOUND',
  'FORBIDDEN',
  'CHANGED_SINCE_PREVIEW',
  'SESSION_LOCKED',
  'JOB_LIMIT_REACHED',
  'IDEMPOTENCY_CONFLICT',
];

/** Marks a refused request as benign: it is an answer to its sender, not a fault of the worker to be logged. */
const categoryOf = (type: string | null | undefined) =>
  MISTAKES.some((code) => code === type) ? { category: ApplicationFailureCategory.BENIGN } : {};

/** A failure is written into the history with its message, which its stack repeats. */
const MAX_MESSAGE_LENGTH = 4_096;

const isLong = (error: unknown): error is Error =>
  error instanceof Error && (error.message.length > MAX_MESSAGE_LENGTH || isLong(error.cause));

function shortFailure({ name, message }: Error): ApplicationFailure {
  return ApplicationFailure.create({ type: name, message: shortened(message, MAX_MESSAGE_LENGTH) });
}

/** From this try on, an error of the tool is final. Earlier tries may have been lost with their worker. */
const LAST_TRY = 3;

/** The ledger's database cannot be reached. It recovers, and the next try continues. */
class StoreFailure extends BatchgateError {
  constructor(cause: unknown) {
    super(
      'ADAPTER_UNAVAILABLE',
      `The ledger's database does not answer: ${cause instanceof Error ? shortened(cause.message, 500) : 'unknown error'}.`,
      'Check that the database of BATCHGATE_DATABASE_URL answers, then try again.',
    );
  }
}

const AWAY = /^(?:08|53|57P0)/;

/** True if a database failed because it cannot be reached, not because of the statement. */
function isAway(error: unknown): boolean {
  const state = sqlState(error);
  if (state !== '') return AWAY.test(state);
  return !(error instanceof BatchgateError || error instanceof TypeError || error instanceof RangeError);
}

/** Wraps the ledger to mark failures of an unreachable database: neither the tool nor the caller caused them. */
export function namingItsDatabase(ledger: Ledger): Ledger {
  const named =
    <A extends unknown[], R>(method: (...args: A) => Promise<R>) =>
    (...args: A) =>
      method(...args).catch((error: unknown): never => {
        throw isAway(error) ? new StoreFailure(error) : error;
      });
  const methods = Object.entries(ledger).filter(([, member]) => typeof member === 'function');
  return {
    ...ledger,
    ...Object.fromEntries(methods.map(([name, method]) => [name, named(method as never)])),
  };
}

/** Reads from the tool under a heartbeat, so that a lost or stuck worker is detected soon. */
export async function reading<T>(work: (readOn: () => void) => Promise<T>, forMs?: number): Promise<T> {
  try {
    return await withHeartbeat(({ renew }) => asActivity(() => work(renew)), undefined, forMs);
  } catch (error) {
    throw Context.current().info.attempt >= LAST_TRY && isOfTool(error) ? asFinal(error) : error;
  }
}

/**
 * Reads within an activity whose tries do not all reach the read; heartbeats carry the number of tries that do. Its
 * failures set whether and when to retry. `soon`: send the first heartbeat without delay.
 */
export async function readingAgain<T>(
  { tries, forMs, soon }: { tries: number; forMs: number; soon: boolean },
  work: (readOn: () => void) => Promise<T>,
): Promise<T> {
  // Each of these tries lost its worker during the read.
  if (tries > READ_TRIES)
    throw ApplicationFailure.create({ ...toFailureFields(NO_ANSWER), nonRetryable: true });
  const progress = { plan_try: tries };
  try {
    return await withHeartbeat(
      async (pulse) => {
        pulse.report(progress);
        if (soon) {
          Context.current().heartbeat(progress);
          // Send it before work that may block this thread or end this process.
          await nextTurn();
        }
        return asActivity(() => work(pulse.renew));
      },
      undefined,
      forMs,
    );
  } catch (error) {
    if (error instanceof CancelledFailure) throw error;
    // Pass the count on to the next try, even if this one failed early.
    Context.current().heartbeat(progress);
    const { type } = error as { type?: unknown };
    const isFinal = FINAL_ERRORS.some((code) => code === type) || (tries >= LAST_TRY && isOfTool(error));
    throw isFinal || tries >= READ_TRIES
      ? asFinal(error)
      : ApplicationFailure.create({ ...fieldsOf(error), nextRetryDelay: pauseAfter(tries) });
  }
}

const isOfTool = (error: unknown) => error instanceof Error && !(error.cause instanceof StoreFailure);

const asFinal = (error: unknown) => ApplicationFailure.create({ ...fieldsOf(error), nonRetryable: true });

function fieldsOf(error: unknown) {
  if (!(error instanceof Error)) return { message: String(error) };
  const { type, details } = error instanceof ApplicationFailure ? error : { type: error.name, details: null };
  return {
    message: error.message,
    type: type ?? undefined,
    details: details ?? undefined,
    cause: error,
    ...categoryOf(type),
  };
}

import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { shortened } from '../../src/contract/text';
import { BatchgateError } from '../../src/contract/errors';
import { toFailureFields } from '../../src/core/shared/failures';
import { sqlState } from '../../src/postgres/databases/failure';
import { withHeartbeat } from './heartbeat';

/** Runs an activity so that an error of the public surface reaches the workflow complete. */
export async function asActivity<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const cause = isLong(error) ? undefined : (error as Error);
    if (error instanceof BatchgateError)
      throw ApplicationFailure.create({ ...toFailureFields(error.body), cause });
    throw isLong(error) ? shortFailure(error) : error;
  }
}

/** A failure is written into history with its message, which its stack repeats. */
const MAX_MESSAGE_LENGTH = 4_096;

const isLong = (error: unknown): error is Error =>
  error instanceof Error && (error.message.length > MAX_MESSAGE_LENGTH || isLong(error.cause));

function shortFailure({ name, message }: Error): ApplicationFailure {
  return ApplicationFailure.create({ type: name, message: shortened(message, MAX_MESSAGE_LENGTH) });
}

/** From this try on, an error of the tool is final. Earlier tries may have been lost with their worker. */
const LAST_TRY = 3;

/** The database of the ledger failed. It recovers, and the next try continues. */
export class StoreFailure extends BatchgateError {
  constructor(cause: unknown) {
    super(
      'INTERNAL',
      `The ledger cannot be written: ${cause instanceof Error ? shortened(cause.message, 500) : 'unknown error'}.`,
      'Check that the database of BATCHGATE_DATABASE_URL answers, then start again.',
    );
  }
}

const AWAY = /^(?:08|53|57P0)/;

/** Whether a database failed because it cannot be reached now, and not because of the statement. */
export function isAway(error: unknown): boolean {
  const state = sqlState(error);
  if (state !== '') return AWAY.test(state);
  return !(error instanceof BatchgateError || error instanceof TypeError || error instanceof RangeError);
}

/** Reads from the tool under a heartbeat, so that a lost worker is noticed soon. */
export async function reading<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await withHeartbeat(() => asActivity(work));
  } catch (error) {
    const final = Context.current().info.attempt >= LAST_TRY;
    if (!final || !(error instanceof Error) || error.cause instanceof StoreFailure) throw error;
    const { type, details } =
      error instanceof ApplicationFailure ? error : { type: error.name, details: null };
    throw ApplicationFailure.create({
      message: error.message,
      type: type ?? undefined,
      details: details ?? undefined,
      cause: error,
      nonRetryable: true,
    });
  }
}

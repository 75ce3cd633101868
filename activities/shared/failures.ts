import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { BatchgateError } from '../../src/contract/errors';
import { toFailureFields } from '../../src/core/shared/failures';
import { withHeartbeat } from './heartbeat';

/** Runs an activity so that an error of the public surface crosses to the workflow whole. */
export async function asActivity<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BatchgateError)
      throw ApplicationFailure.create({ ...toFailureFields(error.body), cause: error });
    throw error;
  }
}

/** From this try on an error of the tool is final. Tries that were lost with their worker may go before it. */
const LAST_TRY = 3;

/** Reads from the tool under a heartbeat, by which a lost worker is noticed soon. */
export async function reading<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await withHeartbeat(() => asActivity(work));
  } catch (error) {
    if (Context.current().info.attempt < LAST_TRY || !(error instanceof Error)) throw error;
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

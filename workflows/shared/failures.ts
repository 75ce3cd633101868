import { shortened } from '../../src/contract/text';
import { ActivityFailure, ApplicationFailure, TimeoutFailure } from '@temporalio/common';
import { BatchgateError, type ErrorBody } from '../../src/contract/errors';
import { inDoubt } from '../../src/core/gateway/errors';
import { fromFailureFields, NO_ANSWER, toFailureFields } from '../../src/core/shared/failures';

/** An error of the public surface as the failure of an update. */
export function toFailure(error: ErrorBody): ApplicationFailure {
  return ApplicationFailure.create({ ...toFailureFields(error), nonRetryable: true });
}

/** Runs the part of a handler that may refuse, so that its error refuses the update. */
export function refusing<T>(decide: () => T): T {
  try {
    return decide();
  } catch (error) {
    throw error instanceof BatchgateError ? toFailure(error.body) : error;
  }
}

/** The error of a call that ended without an answer: the tool may have changed something. */
export function effectUnknown(tool: string, reason: string): ErrorBody {
  return inDoubt(tool, `${tool}: ${reason} Its effect is unknown.`).body;
}

/**
 * The failure of a call of a tool that changes data. If no answer of the gateway came, because the worker was lost, the
 * time was up or the answer could not be sent, it reports that the tool's effect is unknown.
 */
export function fromChangingCall(tool: string, error: unknown): unknown {
  if (!(error instanceof ActivityFailure)) return error;
  const { cause } = error;
  if (cause instanceof TimeoutFailure)
    return toFailure(effectUnknown(tool, 'its worker died, or it did not answer in time.'));
  // The SDK's message for an activity that no worker has.
  const isKnown = (failure: ApplicationFailure) =>
    failure.type === 'NotFoundError' || fromFailureFields(failure);
  if (!(cause instanceof ApplicationFailure) || isKnown(cause)) return error;
  return toFailure(effectUnknown(tool, sentence(fromActivityFailure(error).message)));
}

/** A text that ends with a full stop. */
export const sentence = (text: string): string => text.replace(/\.?$/, '.');

/** The text of a foreign error may be long, and goes into every status. */
const MAX_MESSAGE_LENGTH = 500;

/** The end of an activity as an error of the public surface. */
export function fromActivityFailure(error: unknown): ErrorBody {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (cause instanceof ApplicationFailure) {
    const body = fromFailureFields(cause);
    if (body) return body;
  }
  if (cause instanceof TimeoutFailure) return NO_ANSWER;
  return {
    code: 'INTERNAL',
    message: cause instanceof Error ? shortened(cause.message, MAX_MESSAGE_LENGTH) : 'Unknown error',
    hint: "Look at the worker's log for the cause.",
  };
}

/** No worker took an activity within its time, so nothing of it was begun. */
export const wasNotTaken = (error: unknown): boolean =>
  error instanceof ActivityFailure &&
  error.cause instanceof TimeoutFailure &&
  error.cause.timeoutType === 'SCHEDULE_TO_START';

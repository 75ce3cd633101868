import { BatchgateError, type ErrorBody } from '../../contract/errors';
import { shortened } from '../../contract/text';
import { forAgent } from '../shared/agent-errors';
import { ConditionError } from './condition';
import { measure } from './size';
import { SizeError, TemplateError } from './template';
import type { Machine, Thread } from './machine-state';

/** An error in the schema or references, which the author of the macro can correct (specification G6). */
const GATEWAY = '[GATEWAY ERROR]';
/** A failure of the execution. */
const TOOL = '[TOOL ERROR]';
const HINT = '[HINT]: ';

/** Converts the failure of a step to an error of the public surface. Rethrows an internal defect unchanged. */
export function stepError(error: unknown): ErrorBody {
  if (error instanceof SizeError)
    return { ...gatewayError(error.message, error.hint), details: { too_large: true } };
  if (error instanceof TemplateError || error instanceof ConditionError)
    return gatewayError(error.message, error.hint);
  if (error instanceof BatchgateError) return error.body;
  throw error;
}

export function gatewayError(message: string, hint: string): ErrorBody {
  return { code: 'MACRO_FAILED', message: `${GATEWAY} ${message}`, hint: `${HINT}${hint}` };
}

export const CANCELLED: ErrorBody = {
  code: 'MACRO_FAILED',
  message: `${TOOL} The macro was cancelled.`,
  hint: `${HINT}What its steps had done stays done, except in an open transaction; look at the trace.`,
};

/** The trace contains the errors of many steps, and is carried over with the run. */
const MAX_MESSAGE_LENGTH = 2_000;
const MAX_DETAILS_BYTES = 4_000;

/** The error with which a run ends: the failure and its place. */
export function macroError(cause: ErrorBody, place: { macro: string; path: string }): ErrorBody {
  if (isPlaced(cause)) return cause;
  // The hint of a defect is for operators.
  const { message, hint, details } = forAgent(cause.code === 'INTERNAL' ? { ...cause, hint: '' } : cause);
  const short = shortened(message, MAX_MESSAGE_LENGTH).replace(/\.$/, '');
  const carried = details !== undefined && measure(details).bytes <= MAX_DETAILS_BYTES;
  return {
    code: 'MACRO_FAILED',
    message: `${short} (${place.macro} ${place.path}).`,
    hint: shortened(hint, MAX_MESSAGE_LENGTH),
    details: { ...place, code: cause.code, ...(carried && { cause: details }) },
  };
}

/** Adds the transactions that a run had committed before its error, which no rollback undoes. */
export function withCommitted(error: ErrorBody, committed: Machine['committed'] = []): ErrorBody {
  if (committed.length === 0) return error;
  const which = committed.slice(0, SHOWN_COMMITTED).map(({ macro, database }) => `${macro} on ${database}`);
  const more = committed.length > SHOWN_COMMITTED ? ' and others' : '';
  const details = typeof error.details === 'object' ? error.details : {};
  return {
    ...error,
    message: `${error.message} Committed before: ${which.join(', ')}${more}.`,
    details: { ...details, committed },
  };
}

const SHOWN_COMMITTED = 5;

/** The message and the place of an error about a size that a run refuses. */
export function sizeRefusal({
  code,
  message,
  hint,
  details,
}: ErrorBody): { body: ErrorBody; macro: string; path: string } | undefined {
  const { macro, path, cause } = details as {
    macro: string;
    path: string;
    cause?: { too_large?: boolean };
  };
  if (!cause?.too_large) return undefined;
  const place = ` (${macro} ${path}).`;
  return { body: { code, hint, message: `${message.slice(0, -place.length)}.` }, macro, path };
}

/** The message of an error without the prefix of its source. */
export const withoutPrefix = (text: string): string => text.replace(/^\[[A-Z ]+\]:? /, '');

/** Whether an inner frame has already added the place of the error. */
const isPlaced = ({ code, details }: ErrorBody): boolean =>
  code === 'MACRO_FAILED' && typeof details === 'object' && details !== null && 'path' in details;

/** The transaction was lost before its commit; none of its changes remain. */
export function transactionLost(database: string): ErrorBody {
  return {
    code: 'MACRO_FAILED',
    message: `${TOOL} The transaction on ${database} was lost and rolled back: its worker or connection was lost, or its time ran out.`,
    hint: `${HINT}None of its changes were kept; run the macro again.`,
    details: { transaction_lost: true },
  };
}

/** A step ended the transaction by itself, so its outcome is unknown. */
export function transactionEnded(database: string): ErrorBody {
  return {
    code: 'MACRO_FAILED',
    message: `${TOOL} A step ended the transaction on ${database} by itself: what was done in it may be committed.`,
    hint: `${HINT}Check ${database} for its changes; only manage_transaction may end a transaction.`,
    details: { transaction_lost: true, outcome_unknown: true },
  };
}

/** The outcome of a commit cannot be determined. */
export function commitUnknown(database: string): ErrorBody {
  return {
    code: 'MACRO_FAILED',
    message: `${TOOL} The outcome of the transaction on ${database} is unknown: no answer came, and its commit marker cannot be read.`,
    hint: `${HINT}Check ${database} for its changes before you run the macro again.`,
    details: { outcome_unknown: true },
  };
}

export const saysLost = ({ details }: ErrorBody): boolean =>
  (details as { transaction_lost?: boolean } | undefined)?.transaction_lost === true;

/** The failed step may have taken effect. */
export const saysUnknown = ({ details }: ErrorBody): boolean =>
  (details as { outcome_unknown?: boolean } | undefined)?.outcome_unknown === true;

/**
 * Raises an error through the frames of a thread. `to`: only this frame and those under it may catch it; of several
 * errors the first is reported, and the lowest such frame applies. -1: no frame may catch it.
 */
export function raise(thread: Thread, error: ErrorBody, to?: number): void {
  const before = thread.unwinding;
  if (before === undefined) thread.unwinding = { error, ...(to !== undefined && { to }), cancelled: false };
  else if (to !== undefined) before.to = Math.min(before.to ?? to, to);
}

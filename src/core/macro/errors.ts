import { BatchgateError, type ErrorBody } from '../../contract/errors';
import { shortened } from '../../contract/text';
import { forAgent } from '../agent-errors';
import { ConditionError } from './condition';
import { measure } from './size';
import { TemplateError } from './template';

/** Schema and references: whoever wrote the macro can correct it (seed 002, error classification). */
const GATEWAY = '[GATEWAY ERROR]';
/** The execution failed. */
const TOOL = '[TOOL ERROR]';
const HINT = '[HINT]: ';

/** Why a step failed, in the words of the public surface. A defect of ours stays what it is. */
export function stepError(error: unknown): ErrorBody {
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

/** The trace keeps the errors of many steps, and travels with the run. */
const MAX_MESSAGE_LENGTH = 2_000;
const MAX_DETAILS_BYTES = 4_000;

/** The error that a run ends with: what failed, and where. */
export function macroError(cause: ErrorBody, place: { macro: string; path: string }): ErrorBody {
  if (isPlaced(cause)) return cause;
  // The hint of a defect is for operators.
  const { message, hint, details } = forAgent(cause.code === 'INTERNAL' ? { ...cause, hint: '' } : cause);
  const told = shortened(message, MAX_MESSAGE_LENGTH).replace(/\.$/, '');
  const carried = details !== undefined && measure(details).bytes <= MAX_DETAILS_BYTES;
  return {
    code: 'MACRO_FAILED',
    message: `${told} (${place.macro} ${place.path}).`,
    hint: shortened(hint, MAX_MESSAGE_LENGTH),
    details: { ...place, code: cause.code, ...(carried && { cause: details }) },
  };
}

/** Already told with its place, further in. */
const isPlaced = ({ code, details }: ErrorBody): boolean =>
  code === 'MACRO_FAILED' && typeof details === 'object' && details !== null && 'path' in details;

/** The transaction is gone before its commit; nothing of it stays. */
export function transactionLost(database: string): ErrorBody {
  return {
    code: 'MACRO_FAILED',
    message: `${TOOL} The transaction on ${database} was lost and rolled back: its worker, its connection or its time came to an end.`,
    hint: `${HINT}Nothing of it was done; run the macro again.`,
    details: { transaction_lost: true },
  };
}

/** A step ended the transaction by itself, so that nothing can be said of it. */
export function transactionEnded(database: string): ErrorBody {
  return {
    code: 'MACRO_FAILED',
    message: `${TOOL} A step ended the transaction on ${database} by itself: what was done in it may be committed.`,
    hint: `${HINT}Look into ${database} for its changes; only manage_transaction may end a transaction.`,
    details: { transaction_lost: true, outcome_unknown: true },
  };
}

/** What became of a commit cannot be found out. */
export function commitUnknown(database: string): ErrorBody {
  return {
    code: 'MACRO_FAILED',
    message: `${TOOL} Nobody knows whether the transaction on ${database} was committed: no answer came, and no mark of it can be read.`,
    hint: `${HINT}Look into ${database} for its changes before you run the macro again.`,
    details: { outcome_unknown: true },
  };
}

export const saysLost = ({ details }: ErrorBody): boolean =>
  (details as { transaction_lost?: boolean } | undefined)?.transaction_lost === true;

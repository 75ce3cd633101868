import { BatchgateError, HTTP_STATUS, type ErrorBody, type ErrorCode } from '../../contract/errors';
import { scenarioHint } from '../gateway/errors';
import { sentences } from './plain-text';

const HINT = '[HINT]: ';
const PREFIXED = /^\[(GATEWAY|TOOL) ERROR\] /;

/** Errors that the caller can correct (specification G6); all others are failures of execution. */
const CORRECTABLE = new Set<ErrorCode>(['INVALID_INPUT', 'UNKNOWN_ADAPTER', 'TOO_MANY_ITEMS', 'NOT_FOUND']);

/** The hints of errors without their own. */
const HINTS: Record<ErrorCode, string> = {
  INVALID_INPUT: 'Correct the named fields and call again.',
  UNKNOWN_ADAPTER: 'Use one of the adapters that there are.',
  TOO_MANY_ITEMS: 'Narrow the request.',
  UNAUTHORIZED: 'Ask the person to sign in.',
  FORBIDDEN: 'Ask the person; they may not allow this.',
  NOT_FOUND: 'Check the id; list what there is.',
  SESSION_LOCKED: 'Wait until the live job of the session has ended, or ask the person to cancel it.',
  NOT_AWAITING_CONFIRMATION: 'Look at the status; there is no open question.',
  STALE_CONFIRMATION: 'Look at the status for the question that is open now.',
  QUESTION_NOT_SEEN: 'Show the person the question that is open now.',
  CHANGED_SINCE_PREVIEW: 'Make a new preview and show it to the person.',
  OPERATION_CLOSED: 'It has ended; start another one for what is left.',
  GUARD_BLOCKED: 'Do what is missing first.',
  IDEMPOTENCY_CONFLICT: 'Use another id for another request.',
  JOB_LIMIT_REACHED: 'Wait until a job has ended, or ask the person to cancel one.',
  RATE_LIMITED: 'Wait, then try again.',
  CREDENTIALS_INVALID: 'Ask the person to log in again.',
  NOT_CONFIGURED: 'Ask the operator to configure it.',
  TOOL_FAILED: 'Check if parameters are correct or try an alternative tool.',
  MACRO_FAILED: 'Look at the trace of the run.',
  ADAPTER_UNAVAILABLE: 'Try again later, or try an alternative tool.',
  TEMPORAL_UNAVAILABLE: 'Try again later.',
  INTERNAL: 'Check if parameters are correct or try an alternative tool.',
};

/** Adds the prefix and the hint of errors for agents (specification G6). Only this function adds them. */
export function forAgent({ code, message, hint, details }: ErrorBody): ErrorBody {
  const prefix = CORRECTABLE.has(code) ? '[GATEWAY ERROR]' : '[TOOL ERROR]';
  const plainHint = (hint.trim() === '' ? HINTS[code] : hint).replace(HINT, '');
  // A missing or mistyped parameter has the published hint (specification G7), and then its own.
  const published = scenarioHint(details);
  return {
    code,
    message: PREFIXED.test(message) ? message : `${prefix} ${message}`,
    hint:
      published === undefined || plainHint.startsWith(published)
        ? `${HINT}${plainHint}`
        : `${HINT}${published} ${plainHint}`,
    ...(details !== undefined && { details: errorsForAgent(details) }),
  };
}

/** Applies `forAgent` to each error in a result: those of operations, macros and items. */
export function errorsForAgent(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(errorsForAgent);
  if (value === null || typeof value !== 'object') return value;
  if (isErrorBody(value)) return forAgent(value);
  const adapted = Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, errorsForAgent(member)]),
  );
  return isItemError(value) ? { ...adapted, hint: itemHint(value) } : adapted;
}

interface ItemError {
  item_id: string;
  error: string;
  retryable?: boolean;
}

const itemHint = ({ retryable }: ItemError): string =>
  retryable
    ? `${HINT}The item may succeed later; the person can have the failed items tried again.`
    : `${HINT}Trying again alone does not help; correct the item, or leave it out.`;

const isItemError = (value: object): value is ItemError =>
  'item_id' in value && 'error' in value && typeof value.error === 'string' && !('hint' in value);

function isErrorBody(value: object): value is ErrorBody {
  if (!('code' in value && 'message' in value && 'hint' in value)) return false;
  const { code, message, hint } = value;
  return (
    typeof code === 'string' &&
    Object.hasOwn(HTTP_STATUS, code) &&
    typeof message === 'string' &&
    typeof hint === 'string'
  );
}

/** The message without its prefix. */
export const withoutPrefix = (message: string): string => message.replace(PREFIXED, '');

export const withoutHint = (hint: string): string => hint.replace(HINT, '');

/** The text of an error for people, without the prefixes for agents. */
export const forPerson = ({ message, hint }: Pick<ErrorBody, 'message' | 'hint'>): string =>
  sentences(withoutPrefix(message), withoutHint(hint));

/** The error of a failed call, for agents. An error outside the public surface does not reveal its text. */
export function failureForAgent(tool: string, error: unknown): BatchgateError {
  const body =
    error instanceof BatchgateError
      ? error.body
      : { code: 'TOOL_FAILED' as const, message: `${tool}: the call failed before it was made.`, hint: '' };
  return BatchgateError.from(forAgent(body));
}

import type { ErrorCode } from '../../contract/errors';

/** The words of the pages for errors and their remedies. */

const OPERATOR = 'the person who runs batchgate';

interface ErrorWords {
  /** The reason for a refused decision, as a part of a sentence. */
  why: string;
  /** The problem and its remedy, for an error whose own text has none in words for people. */
  said: string;
  remedy: string;
}

export const ERROR_WORDS: Readonly<Record<ErrorCode, ErrorWords>> = {
  INVALID_INPUT: {
    why: 'something in it was not valid',
    said: 'Something that you filled in does not fit.',
    remedy: 'Correct it and send it again.',
  },
  UNKNOWN_ADAPTER: {
    why: 'its tool is not set up here',
    said: 'This tool is not set up here.',
    remedy: `Choose another one, or ask ${OPERATOR}.`,
  },
  TOO_MANY_ITEMS: {
    why: 'it had too many items',
    said: 'These are too many items for one operation.',
    remedy: 'Narrow the search, or split the list.',
  },
  UNAUTHORIZED: {
    why: 'its sender was not signed in',
    said: 'You are not signed in.',
    remedy: `Ask ${OPERATOR} for a sign-in link, and open it in this browser.`,
  },
  FORBIDDEN: {
    why: 'its sender may not do this',
    said: 'Your role does not allow this.',
    remedy: `Ask ${OPERATOR} for the right to do this.`,
  },
  NOT_FOUND: {
    why: 'it was about something that does not exist',
    said: 'There is nothing here.',
    remedy: 'Check the address, or look for it in the inbox.',
  },
  SESSION_LOCKED: {
    why: 'another operation of the session was open',
    said: 'Another operation of this session is open.',
    remedy: 'Wait until it has ended, or leave the session empty.',
  },
  NOT_AWAITING_CONFIRMATION: {
    why: 'no question was open',
    said: 'No question is open.',
    remedy: 'Wait for the next question.',
  },
  STALE_CONFIRMATION: {
    why: 'another question was open by then',
    said: 'Another question is open now.',
    remedy: 'Read it, then answer it.',
  },
  QUESTION_NOT_SEEN: {
    why: 'the question had not been on the page for long enough',
    said: 'The question had not been on the page for long enough.',
    remedy: 'Read it, then decide.',
  },
  CHANGED_SINCE_PREVIEW: {
    why: 'something had changed since the preview',
    said: 'Something has changed since the preview.',
    remedy: 'Preview it again.',
  },
  OPERATION_CLOSED: {
    why: 'the operation had ended',
    said: 'The operation has ended.',
    remedy: 'Its record is below.',
  },
  GUARD_BLOCKED: {
    why: 'items were missing',
    said: 'It cannot be completed yet: items are missing.',
    remedy: 'Continue it, or give a reason why it is complete.',
  },
  IDEMPOTENCY_CONFLICT: {
    why: 'the same request had come with other values',
    said: 'This form was sent before with other values.',
    remedy: 'Load the page again.',
  },
  JOB_LIMIT_REACHED: {
    why: 'too many jobs were running',
    said: 'Too many jobs are running.',
    remedy: 'Wait until one of them has ended, then try again.',
  },
  RATE_LIMITED: {
    why: 'there were too many requests',
    said: 'These were too many requests.',
    remedy: 'Wait a minute, then try again.',
  },
  CREDENTIALS_INVALID: {
    why: 'the account is not connected',
    said: 'The tool does not accept the account that is connected here.',
    remedy: `Ask ${OPERATOR} to connect the account again.`,
  },
  NOT_CONFIGURED: {
    why: 'it is not set up here',
    said: 'This is not set up here.',
    remedy: `Ask ${OPERATOR} to set this up.`,
  },
  TOOL_FAILED: {
    why: 'the tool failed',
    said: 'The tool could not do this.',
    remedy: 'Try again. The details say what it answered.',
  },
  MACRO_FAILED: {
    why: 'the macro failed',
    said: 'The macro could not go on.',
    remedy: 'The steps show how far it came, and the details say why.',
  },
  ADAPTER_UNAVAILABLE: {
    why: 'the tool could not be reached',
    said: 'The tool cannot be reached.',
    remedy: 'Wait a moment, then try again.',
  },
  TEMPORAL_UNAVAILABLE: {
    why: 'the server could not answer',
    said: 'The server cannot answer now.',
    remedy: `Wait a moment, then try again. If that does not help, tell ${OPERATOR}.`,
  },
  INTERNAL: {
    why: 'the server failed',
    said: 'The server failed.',
    remedy: `Try again. If that does not help, tell ${OPERATOR}.`,
  },
};

/** The reason for a refused decision, by the error code that is its outcome. */
export const refusalWords = (outcome: string): string | undefined =>
  Object.hasOwn(ERROR_WORDS, outcome) ? ERROR_WORDS[outcome as ErrorCode].why : undefined;

import type { ErrorBody } from '../../contract/errors';
import { visibleText } from '../../core/shared/plain-text';

/** What only somebody at a terminal or in a program can use. */
const TECHNICAL =
  /`|\bnpx\b|\bBATCHGATE_|\/v1\b|\/openapi|\bJSON\b|\bHTTP\b|\bUTC\b|\[HINT\]|\b[A-Z]{3,}_[A-Z_]+\b|--[a-z]/;

const sentencesOf = (text: string): string[] => text.match(/[^.!?]*[.!?]+["”’)]*(?:\s+|$)|[^.!?]+$/g) ?? [];

/** The sentences of a text that are for people. */
export const forPeople = (text: string): string =>
  TECHNICAL.test(text)
    ? sentencesOf(visibleText(text))
        .filter((sentence) => !TECHNICAL.test(sentence))
        .join('')
        .trim()
    : visibleText(text);

/** What a person can do about an error whose own hint is for a terminal or a program. */
const REMEDIES: Partial<Record<ErrorBody['code'], string>> = {
  UNAUTHORIZED: 'Ask the person who runs batchgate for a sign-in link, and open it in this browser.',
  FORBIDDEN: 'Ask the person who runs batchgate for the right to do this.',
  NOT_FOUND: 'Check the address, or look for it in the inbox.',
  TEMPORAL_UNAVAILABLE:
    'Wait a moment, then try again. If that does not help, tell the person who runs batchgate.',
  ADAPTER_UNAVAILABLE: 'Wait a moment, then try again.',
  RATE_LIMITED: 'Wait a minute, then try again.',
  CREDENTIALS_INVALID: 'Ask the person who runs batchgate to connect the account again.',
  NOT_CONFIGURED: 'Ask the person who runs batchgate to set this up.',
};

/** An error in the words of a page. */
export function inWords({ code, message, hint }: ErrorBody): {
  said: string;
  remedy: string;
  isWhole: boolean;
} {
  const [said, remedy] = [forPeople(message), forPeople(hint)];
  return {
    said: said === '' ? 'This did not work.' : said,
    remedy: remedy === '' ? (REMEDIES[code] ?? 'Tell the person who runs batchgate.') : remedy,
    isWhole: said === visibleText(message) && remedy === visibleText(hint),
  };
}

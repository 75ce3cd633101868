import type { ErrorBody } from '../../contract/errors';
import { visibleText } from '../../core/shared/plain-text';
import { timesIn } from './times';
import { ERROR_WORDS } from './error-words';

/** Text of use only at a terminal or in a program. */
const TECHNICAL =
  /[`{}]|\bnpx\b|\bencodeURI|\b(?:GET|POST) \/|\bInvalid (?:input|option|string|key)\b|\bToo (?:big|small): |\bBATCHGATE_|\/v1\b|\/openapi|\.jsonl?\b|\b(?:JSON|CEL|HTTP|UTC|RFC|NUL|null)\b|\[HINT\]|\b[A-Z]{3,}_[A-Z_]+\b|(?:^|\s)--[a-z]|\b(?:INTERNAL|FORBIDDEN|UNAUTHORIZED)\b/;

/** Names of batchgate's own values and parts. */
const OURS =
  /\b(?:batch_sizes?|raw_data|expected_total|min_completed|macros_dir|resources_dir|expect_digest|failure_threshold|idle_timeout_seconds|(?:operation|session|run|message|decision)_id)\b|\bTemporal\b|\btask queue\b|\bworkflow\b/;

/** A full stop within a word, as in a file name, does not end a sentence. */
const sentencesOf = (text: string): string[] => text.split(/(?=\S)(?<=[.!?]["”’)]*\s+)/);

/** The text without its times, quotations and `names`. They suit people even if they look technical. */
function ownWords(text: string, names: readonly string[]): string {
  const words = timesIn(text)
    .map(({ text: part, time }) => (time === undefined ? part : ''))
    .join('')
    .replace(/“[^“”]*”|(?<=^|[\s(:])'[^']*'(?=$|[\s).,;:!?])/g, '');
  return names.reduce((rest, name) => (name === '' ? rest : rest.replaceAll(name, '')), words);
}

/** The sentences of a text that are for people. */
export function forPeople(text: string, names: readonly string[] = []): string {
  const visible = visibleText(text);
  const isFor = (part: string) => {
    const words = ownWords(part, names);
    return !TECHNICAL.test(words) && !OURS.test(words);
  };
  return isFor(visible) ? visible : sentencesOf(visible).filter(isFor).join('').trim();
}

/** The sentences for people in a description that was written for programs and models. */
export const hintForPeople = (description: string): string =>
  sentencesOf(forPeople(description.replace(/ \(RFC \d+\)/g, '')))
    .filter((sentence) => !/\b[a-z]+(?:_[a-z]+)+\b|\b[a-z]+[A-Z]\w*\b|\b(?:true|false):/.test(sentence))
    .join('')
    .trim();

/** An error in the words of a page. */
export function inWords({ code, message, hint }: ErrorBody): {
  said: string;
  remedy: string;
  isWhole: boolean;
} {
  const [cause, remedy] = [forPeople(message), forPeople(hint)];
  const words = ERROR_WORDS[code];
  return {
    said: cause === '' ? words.said : cause,
    remedy: remedy === '' ? words.remedy : remedy,
    isWhole: cause === visibleText(message) && remedy === visibleText(hint),
  };
}

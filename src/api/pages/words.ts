import type { ErrorBody } from '../../contract/errors';
import { visibleText } from '../../core/shared/plain-text';
import { timesIn } from './times';
import { ERROR_WORDS } from './error-words';

/** What only somebody at a terminal or in a program can use. */
const TECHNICAL =
  /[`{}]|\bnpx\b|\bencodeURI|\b(?:GET|POST) \/|\bInvalid (?:input|option|string|key)\b|\bToo (?:big|small): |\bBATCHGATE_|\/v1\b|\/openapi|\.jsonl?\b|\b(?:JSON|CEL|HTTP|UTC|RFC|NUL|null)\b|\[HINT\]|\b[A-Z]{3,}_[A-Z_]+\b|(?:^|\s)--[a-z]|\b(?:INTERNAL|FORBIDDEN|UNAUTHORIZED)\b/;

/** The names of our own values and parts. */
const OURS =
  /\b(?:batch_sizes?|raw_data|expected_total|min_completed|macros_dir|resources_dir|expect_digest|failure_threshold|idle_timeout_seconds|(?:operation|session|run|message|decision)_id)\b|\bTemporal\b|\btask queue\b|\bworkflow\b/;

/** A full stop within a word, as in the name of a file, ends no sentence. */
const sentencesOf = (text: string): string[] => text.split(/(?=\S)(?<=[.!?]["”’)]*\s+)/);

/** Names are what they are, whatever they look like; times are shown in words. */
function ownWords(text: string, names: readonly string[]): string {
  const words = timesIn(text)
    .map(({ text: part, time }) => (time === undefined ? part : ''))
    .join('')
    .replace(/“[^“”]*”|(?<=^|[\s(:])'[^']*'(?=$|[\s).,;:!?])/g, '');
  return names.reduce((rest, name) => (name === '' ? rest : rest.replaceAll(name, '')), words);
}

/** The sentences of a text that are for people. */
export function forPeople(text: string, names: readonly string[] = []): string {
  const shown = visibleText(text);
  const isFor = (part: string) => {
    const words = ownWords(part, names);
    return !TECHNICAL.test(words) && !OURS.test(words);
  };
  return isFor(shown) ? shown : sentencesOf(shown).filter(isFor).join('').trim();
}

/** A description that was written for programs and models, as far as it is for people. */
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
  const [said, remedy] = [forPeople(message), forPeople(hint)];
  const words = ERROR_WORDS[code];
  return {
    said: said === '' ? words.said : said,
    remedy: remedy === '' ? words.remedy : remedy,
    isWhole: said === visibleText(message) && remedy === visibleText(hint),
  };
}

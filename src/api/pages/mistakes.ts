import type { z } from 'zod';
import type { ErrorBody } from '../../contract/errors';
import { innermost, isAbsent } from '../../contract/mistakes';
import type { FieldMistake, FormField } from '../../core/approval/schema-form';
import { capitalized, sentences } from '../../core/shared/plain-text';
import { forPeople } from './words';

type Issue = z.core.$ZodIssue;

/** A schema's issues with the values of a form, as mistakes of its fields in words for people. */
export function mistakesOf(
  issues: readonly Issue[],
  values: Record<string, unknown>,
  fields: readonly FormField[],
): FieldMistake[] {
  const mistakes = issues.flatMap((issue) => mistakesIn(innermost(issue), values, fields));
  return inOrder(mistakes, fields);
}

/** Sorts mistakes in the order of the fields, without duplicates. */
export function inOrder(mistakes: readonly FieldMistake[], fields: readonly FormField[]): FieldMistake[] {
  const placeOf = ({ name }: FieldMistake) => {
    const at = fields.findIndex((field) => field.name === name);
    return at === -1 ? fields.length : at;
  };
  return mistakes
    .filter((mistake, at) => mistakes.findIndex((other) => isSame(mistake, other)) === at)
    .sort((a, b) => placeOf(a) - placeOf(b));
}

const isSame = (one: FieldMistake, other: FieldMistake): boolean =>
  one.name === other.name && one.message === other.message;

function mistakesIn(
  issue: Issue,
  values: Record<string, unknown>,
  fields: readonly FormField[],
): FieldMistake[] {
  const missing = issue.code === 'custom' ? (issue.params?.['missing'] as unknown) : undefined;
  if (typeof missing === 'string') {
    const candidates = fields.filter(({ name }) => mentions(missing, name));
    const message = `Fill in ${candidates.length > 1 ? 'one of these: ' : ''}${candidates.map(({ label }) => `“${label}”`).join(', ')}.`;
    return candidates.map(({ name }) => ({
      name,
      message: candidates.length > 1 ? message : 'Fill this in.',
    }));
  }
  const path = issue.path.map(String).join('.');
  const at = fieldAt(path, fields);
  const member = fields.find(({ name }) => path !== '' && name.startsWith(`${path}.`));
  if (member && !at && isAbsent(values, issue.path))
    return [{ name: member.name, message: 'Fill in this, or another field of its group.' }];
  if (at && isAbsent(values, issue.path)) return [{ name: at.name, message: emptyWords(at) }];
  const text = words(issue, at ? fields.filter(isDistinct) : fields);
  // The message shows a list in JSON.
  const message = at?.kind === 'list' && text.includes('["') ? 'Write each on a line of its own.' : text;
  if (at) return [{ name: at.name, message }];
  // Put a rule about several fields at the first that it mentions, or else at the first of its group.
  const mentioned = fields.find(({ name }) => mentions(issue.message, lastOf(name)));
  const field = mentioned ?? member;
  return field ? [{ name: field.name, message }] : [];
}

const lastOf = (name: string): string => name.split('.').at(-1) ?? name;
const nameIn = (name: string) => new RegExp(`(?<![\\w.“'])${name.replace(/\W/g, '\\$&')}(?![\\w”'])`);
const mentions = (text: string, name: string): boolean => nameIn(name).test(text);
/** Whether a name cannot be an ordinary word of a sentence. */
const isDistinct = ({ name }: FormField): boolean => /[_.A-Z]/.test(name);

/** The field at a path, or at a prefix of it. */
function fieldAt(path: string, fields: readonly FormField[]): FormField | undefined {
  if (path === '') return undefined;
  return fields.find(({ name }) => path === name || path.startsWith(`${name}.`));
}

const emptyWords = ({ kind }: FormField): string =>
  kind === 'choice' || kind === 'yes_no' ? 'Choose one of these.' : 'Fill this in.';

/** The beginnings of the schema library's own messages. */
const OF_THE_LIBRARY = /^(Invalid|Too (small|big)|Unrecognized|Expected)/;

function words(issue: Issue, fields: readonly FormField[]): string {
  const own = OF_THE_LIBRARY.test(issue.message)
    ? ''
    : sentence(forPeople(withLabels(issue.message, fields)));
  if (own !== '') return own;
  switch (issue.code) {
    case 'too_small':
      return issue.origin === 'string' || issue.origin === 'array'
        ? 'Fill this in.'
        : `Write a number of ${String(issue.minimum)} or more.`;
    case 'too_big':
      if (issue.origin === 'string') return `Write at most ${String(issue.maximum)} characters.`;
      if (issue.origin === 'array') return `List at most ${String(issue.maximum)}.`;
      return `Write a number of ${String(issue.maximum)} or less.`;
    case 'invalid_value':
      return 'Choose one of the offered values.';
    default:
      return 'This does not have the form that the tool expects.';
  }
}

/** A message with the labels of the fields in place of their names. */
const withLabels = (message: string, fields: readonly FormField[]): string =>
  fields.reduce((text, { name, label }) => text.replace(nameIn(name), `“${label}”`), message);

function sentence(text: string): string {
  if (text === '') return '';
  const line = capitalized(text);
  return /[.!?]["”’)]*$/.test(line) ? line : `${line}.`;
}

/** Puts an error at the first field whose name or value its message contains; empty if there is none. */
export function placeError(
  { message, hint }: ErrorBody,
  valueIn: (name: string) => string | undefined,
  fields: readonly FormField[],
): FieldMistake[] {
  const at = fields.find((field) => {
    const value = valueIn(field.name);
    const quotes = value === undefined ? [] : [`'${value}'`, `“${value}”`, `"${value}"`];
    return (
      (isDistinct(field) && mentions(message, field.name)) || quotes.some((quote) => message.includes(quote))
    );
  });
  if (!at) return [];
  const [problem = '', remedy = ''] = [message, hint].map((text) =>
    sentence(forPeople(withLabels(text, fields.filter(isDistinct)))),
  );
  return problem === '' ? [] : [{ name: at.name, message: sentences(problem, remedy) }];
}

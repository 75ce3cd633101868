import type { z } from 'zod';
import type { ErrorBody } from '../../contract/errors';
import { innermost, isAbsent } from '../../contract/mistakes';
import type { FieldMistake, FormField } from '../../core/approval/schema-form';
import { capitalized, sentences } from '../../core/shared/plain-text';
import { forPeople } from './words';

type Issue = z.core.$ZodIssue;

/** The mistakes that a schema finds in the values of a form, each at its field, in words for people. */
export function mistakesOf(
  issues: readonly Issue[],
  values: Record<string, unknown>,
  fields: readonly FormField[],
): FieldMistake[] {
  const found = issues.flatMap((issue) => mistakesIn(innermost(issue), values, fields));
  return inOrder(found, fields);
}

/** In the order of the fields, the first of each message. */
export function inOrder(mistakes: readonly FieldMistake[], fields: readonly FormField[]): FieldMistake[] {
  const placeOf = ({ name }: FieldMistake) => {
    const at = fields.findIndex((field) => field.name === name);
    return at === -1 ? fields.length : at;
  };
  return mistakes
    .filter((one, at) => mistakes.findIndex((other) => isSame(one, other)) === at)
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
    const asked = fields.filter(({ name }) => mentions(missing, name));
    const message = `Fill in ${asked.length > 1 ? 'one of these: ' : ''}${asked.map(({ label }) => `“${label}”`).join(', ')}.`;
    return asked.map(({ name }) => ({ name, message: asked.length > 1 ? message : 'Fill this in.' }));
  }
  const path = issue.path.map(String).join('.');
  const at = fieldAt(path, fields);
  const member = fields.find(({ name }) => path !== '' && name.startsWith(`${path}.`));
  if (member && !at && isAbsent(values, issue.path))
    return [{ name: member.name, message: 'Fill in this, or another field of its group.' }];
  if (at && isAbsent(values, issue.path)) return [{ name: at.name, message: emptyWords(at) }];
  const said = words(issue, at ? fields.filter(isDistinct) : fields);
  // As programs write a list.
  const message = at?.kind === 'list' && said.includes('["') ? 'Write each on a line of its own.' : said;
  if (at) return [{ name: at.name, message }];
  // A rule about several fields is told beside the first that it mentions, or else beside the first of its group.
  const mentioned = fields.find(({ name }) => mentions(issue.message, lastOf(name)));
  const field = mentioned ?? member;
  return field ? [{ name: field.name, message }] : [];
}

const lastOf = (name: string): string => name.split('.').at(-1) ?? name;
const nameIn = (name: string) => new RegExp(`(?<![\\w.“'])${name.replace(/\W/g, '\\$&')}(?![\\w”'])`);
const mentions = (text: string, name: string): boolean => nameIn(name).test(text);
/** A plain word may be one of the sentence. */
const isDistinct = ({ name }: FormField): boolean => /[_.A-Z]/.test(name);

/** The field that has a path, or the part of it that a field has. */
function fieldAt(path: string, fields: readonly FormField[]): FormField | undefined {
  if (path === '') return undefined;
  return fields.find(({ name }) => path === name || path.startsWith(`${name}.`));
}

const emptyWords = ({ kind }: FormField): string =>
  kind === 'choice' || kind === 'yes_no' ? 'Choose one of these.' : 'Fill this in.';

/** What a library says of a mistake, in its own words. */
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
  const begun = capitalized(text);
  return /[.!?]["”’)]*$/.test(begun) ? begun : `${begun}.`;
}

/** Where an error belongs in a form: at the fields whose names or values its message contains. */
export function placeError(
  { message, hint }: ErrorBody,
  given: (name: string) => string | undefined,
  fields: readonly FormField[],
): FieldMistake[] {
  const at = fields.find((field) => {
    const value = given(field.name);
    const quotes = value === undefined ? [] : [`'${value}'`, `“${value}”`, `"${value}"`];
    return (
      (isDistinct(field) && mentions(message, field.name)) || quotes.some((one) => message.includes(one))
    );
  });
  if (!at) return [];
  const [said = '', remedy = ''] = [message, hint].map((text) =>
    sentence(forPeople(withLabels(text, fields.filter(isDistinct)))),
  );
  return said === '' ? [] : [{ name: at.name, message: sentences(said, remedy) }];
}

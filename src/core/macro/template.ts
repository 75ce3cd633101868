import { TOO_DEEP } from '../../contract/text';
import type { Json, Variables } from '../../contract/macro';
import { MAX_VALUE_BYTES, measure, type Meter } from './size';

/** `{{.name}}` or `{{.name.member.0}}`. Nothing else between double braces has a meaning. */
const PLACEHOLDER = /\{\{\s*\.([A-Za-z_]\w*(?:\.[\w-]+)*)\s*\}\}/g;
const WHOLE = new RegExp(`^${PLACEHOLDER.source}$`);
const NAMES_SHOWN = 20;
/** The cost of listing one name of an object. */
const KEY_COST = 10;

/** A template that cannot be rendered; `hint` suggests what to write instead. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';

  constructor(
    message: string,
    readonly hint: string,
  ) {
    super(message);
  }
}

/**
 * Renders the templates in a value, once: the value of a placeholder is data, and is never parsed. A string that is a
 * single placeholder becomes its value with its type, and is not copied; within a longer text, lists and objects are
 * written as JSON.
 * @throws TemplateError when there is no such variable or member, the braces contain something else, or the result
 * grows too large.
 */
export function render(value: Json, variables: Variables, meter: Meter = { cost: 0 }): Json {
  const rendered = fill(value, variables, meter);
  const { bytes, depth } = measure(rendered, meter);
  if (depth === Infinity) throw tooDeep();
  if (bytes > MAX_VALUE_BYTES) throw tooMuch();
  return rendered;
}

function fill(value: Json, variables: Variables, meter: Meter): Json {
  if (typeof value === 'string') return renderText(value, variables, meter);
  if (value === null || typeof value !== 'object' || isPlain(value, meter)) return value;
  if (Array.isArray(value)) return value.map((entry) => fill(entry, variables, meter));
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, fill(member, variables, meter)]),
  );
}

/** Whether a part of the macro's file contains no template; computed once, since a loop reads it repeatedly. */
const plain = new WeakMap<object, boolean>();

function isPlain(value: object & Json, meter: Meter): boolean {
  let literal = plain.get(value);
  if (literal === undefined) {
    meter.cost += measure(value).bytes;
    plain.set(value, (literal = isLiteral(value)));
  }
  return literal;
}

function renderText(text: string, variables: Variables, meter: Meter): Json {
  meter.cost += text.length;
  const whole = WHOLE.exec(text)?.[1];
  if (whole !== undefined) return lookUp(whole, variables, meter);
  if (!text.includes('{{')) return text;
  const foreign = foreignBraces(text);
  if (foreign !== undefined) throw foreignError(foreign);
  let room = MAX_VALUE_BYTES;
  return text.replace(PLACEHOLDER, (_, path: string) => {
    const insertion = textOf(lookUp(path, variables, meter), meter);
    meter.cost += insertion.length;
    room -= insertion.length;
    if (room < 0) throw tooMuch();
    return insertion;
  });
}

/** A value that is too large or too deep: certain if it depends on nothing external. */
export class SizeError extends TemplateError {}

const tooMuch = () =>
  new SizeError(
    `Filled in, it is larger than ${MAX_VALUE_BYTES} bytes.`,
    'Fetch fewer rows or columns, or keep large data in a database or the scratchpad.',
  );

export const tooDeep = () =>
  new SizeError(
    `The value ${TOO_DEEP}.`,
    'A value that is set to one with its former value in it grows a level each time. To collect, use "append" in a set step: it adds one element to the list.',
  );

function textOf(value: Json, meter: Meter): string {
  if (typeof value === 'string') return value;
  const { bytes } = measure(value, meter);
  if (bytes > MAX_VALUE_BYTES) throw tooMuch();
  meter.cost += bytes;
  return JSON.stringify(value);
}

/**
 * The value at a dotted path of own members.
 * @throws TemplateError naming the part that is missing.
 */
export function lookUp(path: string, variables: Variables, meter: Meter = { cost: 0 }): Json {
  const parts = path.split('.');
  let current: Json = variables;
  for (const [at, part] of parts.entries()) {
    const next = memberOf(current, part);
    if (next === undefined) throw missing(parts.slice(0, at), part, current, meter);
    current = next;
  }
  return current;
}

function memberOf(value: Json, name: string): Json | undefined {
  if (value === null || typeof value !== 'object') return undefined;
  if (Array.isArray(value)) return /^\d+$/.test(name) ? value[Number(name)] : undefined;
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

function missing(before: string[], part: string, holder: Json, meter: Meter): TemplateError {
  const there = membersShown(holder, meter);
  if (before.length === 0)
    return new TemplateError(
      `There is no variable '${part}' here.`,
      `Set it in an earlier step, or declare it in "parameters". Available: ${there}.`,
    );
  const owner = before.join('.');
  return new TemplateError(`'${owner}' has no member '${part}'.`, `In '${owner}' there is ${there}.`);
}

function membersShown(holder: Json, meter: Meter): string {
  if (holder === null || typeof holder !== 'object') return 'nothing';
  if (Array.isArray(holder)) return holder.length === 0 ? 'nothing' : `a list, 0 to ${holder.length - 1}`;
  const names = Object.keys(holder);
  meter.cost += names.length * KEY_COST;
  return names.length === 0 ? 'nothing' : names.slice(0, NAMES_SHOWN).join(', ');
}

/** The first text between double braces that is not a placeholder; undefined if there is none. */
export function foreignBraces(text: string): string | undefined {
  const rest = text.replace(PLACEHOLDER, '');
  return /\{\{[^}]{0,40}\}{0,2}/.exec(rest)?.[0];
}

function foreignError(text: string): TemplateError {
  return new TemplateError(
    `'${text}' is not a placeholder.`,
    'Write {{.name}}; templates support nothing else.',
  );
}

/** The variables that the templates of a value name. */
export function namesIn(value: Json): string[] {
  return [...new Set(stringsIn(value).flatMap((text) => [...text.matchAll(PLACEHOLDER)].map(firstName)))];
}

const firstName = (match: RegExpMatchArray) => match[1]?.split('.')[0] ?? '';

/** Removes the placeholders from the texts of a value. */
export function withoutPlaceholders(value: Json): Json {
  if (typeof value === 'string') return value.replace(PLACEHOLDER, '');
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(withoutPlaceholders);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withoutPlaceholders(member)]));
}

/** Whether a value is final: nothing in it is filled in later. */
export const isLiteral = (value: Json): boolean => stringsIn(value).every((text) => !text.includes('{{'));

/** Every string within a value. */
export function stringsIn(value: Json): string[] {
  if (typeof value === 'string') return [value];
  if (value === null || typeof value !== 'object') return [];
  return Object.values(value).flatMap(stringsIn);
}

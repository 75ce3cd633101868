import { isExactNumber, readJson } from '../shared/json';
import { capitalized } from '../shared/plain-text';
import { atWallClock, wallClock } from '../shared/zoned-time';

/** The members of a JSON Schema that a form needs. */
interface Schema {
  type?: unknown;
  enum?: unknown;
  anyOf?: unknown;
  items?: unknown;
  format?: unknown;
  title?: unknown;
  description?: unknown;
  properties?: unknown;
  required?: unknown;
  minimum?: unknown;
  maximum?: unknown;
  maxLength?: unknown;
}

/** `list`: texts, one per line. `loose`: a text, or JSON of another kind. `json`: JSON alone. */
type FieldKind =
  'text' | 'time' | 'date' | 'whole' | 'number' | 'yes_no' | 'choice' | 'list' | 'loose' | 'json';

/** One field of a form. */
export interface FormField {
  /** The path of its value: `patch.summary`. */
  name: string;
  label: string;
  kind: FieldKind;
  required: boolean;
  hint?: string;
  choices?: string[];
  max_length?: number;
  minimum?: number;
  maximum?: number;
  /** Null is a value too, such as no due date. A separate field selects it: see `nullName`. */
  nullable?: true;
  /** One text of a list may stand alone. */
  single?: true;
}

/** A mistake in a field of a form, in a sentence. */
export interface FieldMistake {
  name: string;
  message: string;
}

/** The values of a filled-in form, and the mistakes in its other fields. */
interface FilledForm {
  values: Record<string, unknown>;
  mistakes: FieldMistake[];
}

/** The name of the field with which a person selects null. */
export const nullName = (name: string): string => `${name}:none`;

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The fields of an object's JSON Schema, in its order, with those of nested objects in their places. */
export function fieldsOfSchema(schema: unknown, prefix = '', isRequired = true): FormField[] {
  const { properties, required } = (isObject(schema) ? schema : {}) as Schema;
  const needed = Array.isArray(required) && isRequired ? required : [];
  return Object.entries(isObject(properties) ? properties : {}).flatMap(([key, property]) => {
    const fieldSchema = (isObject(property) ? property : {}) as Schema;
    const name = `${prefix}${key}`;
    const must = needed.includes(key);
    if (fieldSchema.type === 'object' && isObject(fieldSchema.properties))
      return fieldsOfSchema(fieldSchema, `${name}.`, must);
    return [fieldOf(name, fieldSchema, must)];
  });
}

/** One field for one value of a JSON Schema. */
export function fieldOf(name: string, schema: Schema, required: boolean): FormField {
  const { title, description } = schema;
  const [only, ...others] = variantsOf(schema).filter(({ type }) => type !== 'null');
  const plain = only && others.length === 0 ? only : schema;
  const { maxLength, minimum, maximum } = plain;
  const isBound = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
  return {
    name,
    label: typeof title === 'string' ? title : labelOf(name),
    kind: kindOf(plain),
    required,
    ...(typeof description === 'string' && { hint: description }),
    ...(Array.isArray(plain.enum) && { choices: plain.enum.map(String) }),
    ...(typeof maxLength === 'number' && { max_length: maxLength }),
    // The bounds of the safe integers limit nothing.
    ...(isBound(minimum) && minimum > Number.MIN_SAFE_INTEGER && { minimum }),
    ...(isBound(maximum) && maximum < Number.MAX_SAFE_INTEGER && { maximum }),
    ...(plain !== schema && variantsOf(schema).length > 1 && { nullable: true as const }),
    ...(isTextOrTexts(plain) && { single: true as const }),
  };
}

/** `patch.colorId` as words. */
function labelOf(name: string): string {
  const words = name
    .split('.')
    .join(': ')
    .replaceAll('_', ' ')
    .replace(/([a-z])([A-Z])/g, (_, end: string, begin: string) => `${end} ${begin.toLowerCase()}`);
  return capitalized(words);
}

const variantsOf = ({ anyOf }: Schema): Schema[] => (Array.isArray(anyOf) ? anyOf.filter(isObject) : []);
const isTexts = ({ type, items }: Schema): boolean =>
  type === 'array' && isObject(items) && items['type'] === 'string' && !Array.isArray(items['enum']);
const isTextOrTexts = (schema: Schema): boolean =>
  variantsOf(schema).length === 2 &&
  variantsOf(schema).some(({ type }) => type === 'string') &&
  variantsOf(schema).some(isTexts);

function kindOf(schema: Schema): FieldKind {
  const { type, format, enum: choices } = schema;
  if (Array.isArray(choices) && choices.every((choice) => typeof choice === 'string')) return 'choice';
  if (type === 'string') return format === 'date-time' ? 'time' : format === 'date' ? 'date' : 'text';
  if (type === 'integer') return 'whole';
  if (type === 'number') return 'number';
  if (type === 'boolean') return 'yes_no';
  if (isTexts(schema) || isTextOrTexts(schema)) return 'list';
  return variantsOf(schema).some((variant) => variant.type === 'string') ? 'loose' : 'json';
}

/**
 * The values of a filled-in form. Empty fields are left out, and so is a value that does not fit its kind: it is a
 * mistake. `zone`: where the times of the form are local.
 */
export function valuesOf(
  fields: readonly FormField[],
  textOf: (name: string) => string | undefined,
  zone = 'UTC',
): FilledForm {
  const values: Record<string, unknown> = {};
  const mistakes: FieldMistake[] = [];
  for (const field of fields) {
    const { name } = field;
    const result = valueOf(field, textOf(name) ?? '', textOf(nullName(name)) !== undefined, zone);
    if (result === undefined) continue;
    if ('mistake' in result) {
      mistakes.push({ name, message: result.mistake });
      continue;
    }
    putAt(values, name, result.value);
  }
  return { values, mistakes };
}

/** Puts a value at the path that is its name. */
export function putAt(values: Record<string, unknown>, name: string, value: unknown): void {
  const keys = name.split('.');
  const last = keys.pop() ?? name;
  const place = keys.reduce<Record<string, unknown>>(
    (at, key) => (isObject(at[key]) ? at[key] : (at[key] = {})),
    values,
  );
  place[last] = value;
}

type Read = { value: unknown } | { mistake: string };

function valueOf(field: FormField, text: string, isNull: boolean, zone: string): Read | undefined {
  if (field.nullable && (isNull || (text === 'null' && field.kind !== 'text'))) {
    return text === '' || text === 'null'
      ? { value: null }
      : { mistake: 'Give a value or say that there is none, not both.' };
  }
  return text === '' ? undefined : givenValue(field, text, zone);
}

/** Parses the text of a field by its kind, or describes the mistake in it. */
export function givenValue(field: FormField, text: string, zone: string): Read {
  switch (field.kind) {
    case 'text':
      return { value: text };
    case 'choice':
      return field.choices?.includes(text) === false
        ? { mistake: 'Choose one of the offered values.' }
        : { value: text };
    case 'yes_no':
      return text === 'true' || text === 'false'
        ? { value: text === 'true' }
        : { mistake: 'Choose one of the offered values.' };
    case 'whole':
    case 'number':
      return numberOf(field, text);
    case 'time':
      return timeOf(text, zone);
    case 'date':
      return isDay(text) ? { value: text } : { mistake: 'Give a day, such as 2026-12-24.' };
    case 'list':
      return { value: listOf(field, text) };
    case 'loose':
    case 'json':
      return jsonOf(field, text);
  }
}

function numberOf({ kind, minimum, maximum }: FormField, text: string): Read {
  const what = kind === 'whole' ? 'a whole number' : 'a number';
  // Tools do not accept the digits of other scripts.
  const pattern = kind === 'whole' ? /^[-+]?[0-9]+$/ : /^[-+]?[0-9]+(\.[0-9]+)?$/;
  if (!pattern.test(text)) {
    const range = minimum === undefined || maximum === undefined ? '' : ` from ${minimum} to ${maximum}`;
    const example = Math.max(minimum ?? 10, Math.min(maximum ?? 10, 10));
    return { mistake: `Write ${what}${range} with the digits 0 to 9, such as ${example}.` };
  }
  const decimal = text.replace(/^\+/, '');
  if (!isExactNumber(decimal)) return { mistake: 'This number has too many digits to be kept exactly.' };
  const value = Number(decimal);
  const between =
    minimum !== undefined && maximum !== undefined ? `from ${minimum} to ${maximum}` : undefined;
  if (minimum !== undefined && value < minimum)
    return { mistake: `Write ${what} ${between ?? `of ${minimum} or more`}.` };
  if (maximum !== undefined && value > maximum)
    return { mistake: `Write ${what} ${between ?? `of ${maximum} or less`}.` };
  return { value };
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[-+]\d\d:\d\d)$/i;
const LOCAL = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d)?$/;
const isDay = (text: string) =>
  /^\d{4}-\d\d-\d\d$/.test(text) && new Date(`${text}T00:00Z`).toJSON()?.startsWith(text) === true;

/** A time in the zone, or with an offset of its own. */
function timeOf(text: string, zone: string): Read {
  if (INSTANT.test(text) && isDay(text.slice(0, 10)) && !Number.isNaN(Date.parse(text)))
    return { value: text };
  const [, day = '', clock = '', seconds = ':00'] = LOCAL.exec(text) ?? [];
  const wall = isDay(day) ? Date.parse(`${day}T${clock}${seconds}Z`) : NaN;
  if (Number.isNaN(wall)) return { mistake: 'Give a day and a time, such as 2026-12-24 18:00.' };
  const instant = atWallClock(zone, wall);
  if (wallClock(zone, instant) !== wall)
    return { mistake: 'This time does not exist on that day: the clocks are put forward then.' };
  return { value: new Date(instant).toISOString() };
}

/** Converts an instant to a local time of a form; undefined for any other text. */
export function localTime(text: string, zone: string): string | undefined {
  if (LOCAL.test(text)) return text.replace(' ', 'T');
  const instant = INSTANT.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(instant)) return undefined;
  return new Date(wallClock(zone, instant)).toISOString().slice(0, 19).replace(/:00$/, '');
}

function listOf({ single }: FormField, text: string): unknown {
  // A list in JSON.
  const whole = text.startsWith('[') ? parsed(text) : undefined;
  if (Array.isArray(whole)) return whole;
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return single && lines.length === 1 ? lines[0] : lines;
}

function jsonOf({ kind }: FormField, text: string): Read {
  try {
    return { value: readJson(text) };
  } catch (error) {
    // A text keeps all its digits.
    if (kind === 'loose') return { value: text };
    return {
      mistake:
        error instanceof SyntaxError
          ? 'This is not complete: check its quotes, commas and brackets.'
          : 'A number in it has too many digits to be kept exactly.',
    };
  }
}

function parsed(text: string): unknown {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}

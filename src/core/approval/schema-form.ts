import { BatchgateError } from '../../contract/errors';
import { invisibleInId, shortenedId } from '../shared/item-ids';
import { isExactNumber, readJson } from '../shared/json';

/** The members of a JSON Schema that a form needs. */
interface Schema {
  type?: unknown;
  enum?: unknown;
  anyOf?: unknown;
  format?: unknown;
  description?: unknown;
  properties?: unknown;
  required?: unknown;
  minimum?: unknown;
  maximum?: unknown;
  maxLength?: unknown;
}

/** `loose`: a text, or JSON of another kind. `json`: JSON alone. */
type FieldKind = 'text' | 'time' | 'whole' | 'number' | 'yes_no' | 'choice' | 'loose' | 'json';

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
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The fields of an object's JSON Schema, in its order; those of an object within it follow as its own. */
export function fieldsOfSchema(schema: unknown, prefix = '', isRequired = true): FormField[] {
  const { properties, required } = (isObject(schema) ? schema : {}) as Schema;
  const needed = Array.isArray(required) && isRequired ? required : [];
  return Object.entries(isObject(properties) ? properties : {}).flatMap(([key, property]) => {
    const asked = (isObject(property) ? property : {}) as Schema;
    const name = `${prefix}${key}`;
    const must = needed.includes(key);
    if (asked.type === 'object' && isObject(asked.properties)) return fieldsOfSchema(asked, `${name}.`, must);
    return [fieldOf(name, asked, must)];
  });
}

function fieldOf(name: string, schema: Schema, required: boolean): FormField {
  const { description, maxLength } = schema;
  const words = name.split('.').join(': ').replaceAll('_', ' ');
  return {
    name,
    label: `${words.charAt(0).toUpperCase()}${words.slice(1)}`,
    kind: kindOf(schema),
    required,
    ...(typeof description === 'string' && { hint: description }),
    ...(Array.isArray(schema.enum) && { choices: schema.enum.map(String) }),
    ...(typeof maxLength === 'number' && { max_length: maxLength }),
  };
}

function kindOf({ type, format, anyOf, enum: choices }: Schema): FieldKind {
  if (Array.isArray(choices) && choices.every((choice) => typeof choice === 'string')) return 'choice';
  if (type === 'string') return format === 'date-time' ? 'time' : 'text';
  if (type === 'integer') return 'whole';
  if (type === 'number') return 'number';
  if (type === 'boolean') return 'yes_no';
  const one = (schema: unknown) => isObject(schema) && schema['type'] === 'string';
  return Array.isArray(anyOf) && anyOf.some(one) ? 'loose' : 'json';
}

/**
 * The values of a filled-in form. Empty fields are left out. A value that does not fit its kind stays a text, which the
 * adapter then refuses.
 */
export function valuesOf(
  fields: readonly FormField[],
  given: (name: string) => string | undefined,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const { name, kind } of fields) {
    const text = given(name);
    if (text === undefined || text === '') continue;
    const keys = name.split('.');
    const last = keys.pop() ?? name;
    const place = keys.reduce<Record<string, unknown>>(
      (at, key) => (isObject(at[key]) ? at[key] : (at[key] = {})),
      values,
    );
    place[last] = valueOf(kind, text);
  }
  return values;
}

function valueOf(kind: FieldKind, said: string): unknown {
  switch (kind) {
    case 'text':
    case 'time':
    case 'choice':
      return said;
    case 'yes_no':
      return said === 'true' ? true : said === 'false' ? false : said;
    case 'whole':
    case 'number':
      return /^\s*[-+]?\d+(\.\d+)?\s*$/.test(said) && isExactNumber(said.trim().replace(/^\+/, ''))
        ? Number(said)
        : said;
    case 'loose':
    case 'json':
      return parsed(said);
  }
}

function parsed(text: string): unknown {
  try {
    return readJson(text);
  } catch {
    return text;
  }
}

/** Blanks that a person types. Others belong to what was copied, and make another id. */
const TYPED_BLANKS = /^[ \t\r]+|[ \t\r]+$/g;

/**
 * Items as a person lists them, or pastes them from a spreadsheet: one id per line, with the name after a tab or a
 * comma.
 * @throws BatchgateError `INVALID_INPUT` naming the line of an id that is not what it seems.
 */
export function itemsOfLines(lines: string): { id: string; display_name?: string }[] {
  return lines.split('\n').flatMap((given, at) => {
    const line = given.replace(TYPED_BLANKS, '');
    if (line === '') return [];
    const [, id = line, name] = /^([^\t]+)\t(.*)$/.exec(line) ?? /^([^,]+),(.*)$/.exec(line) ?? [];
    const [item, display_name] = [id, name].map((one) => one?.replace(TYPED_BLANKS, '')) as [string, string?];
    const mistake = shortenedId(item) ?? invisibleInId(item);
    if (mistake)
      throw new BatchgateError('INVALID_INPUT', `Line ${at + 1}: ${mistake.message}.`, `${mistake.hint}.`);
    return [{ id: item, ...(display_name !== undefined && display_name !== '' && { display_name }) }];
  });
}

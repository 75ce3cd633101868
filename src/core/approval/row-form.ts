import { readJson } from '../shared/json';
import { capitalized } from '../shared/plain-text';
import { fieldOf, givenValue, isObject, nullName, type FieldMistake, type FormField } from './schema-form';

/** A value that a form has as rows: a list of objects, or an object whose names a person chooses. */
export interface RowsShape {
  /** The cells of a row. Their names are the parts of a row's value. */
  cells: FormField[];
  /** What a row may consist of: the fields of its parts. */
  variants: ReadonlyMap<string, FormField>[];
  /** It is an object: each row is one of its names and the value. */
  keyed: boolean;
}

/** As many rows as a form shows. */
export const MAX_ROWS = 100;

type Schema = Record<string, unknown>;
const variantsOf = ({ anyOf, oneOf }: Schema): Schema[] =>
  [anyOf, oneOf].flatMap((some) => (Array.isArray(some) ? some.filter(isObject) : []));

const admits = (schema: Schema, type: string): boolean =>
  schema['type'] === type || variantsOf(schema).some((one) => admits(one, type));

/** The rows of a schema; undefined for a value that a form does not have as rows. */
export function rowsOfSchema(schema: unknown): RowsShape | undefined {
  if (!isObject(schema)) return undefined;
  const { type, items, properties, additionalProperties: values } = schema;
  if (type === 'array' && isObject(items)) {
    const some = variantsOf(items);
    const variants = (some.length > 0 ? some : [items]).map(partsOf);
    if (!variants.every((one) => one !== undefined)) return undefined;
    return { cells: cellsOf(variants), variants, keyed: false };
  }
  if (type === 'object' && !isObject(properties) && isObject(values)) {
    const value = cellOf('value', values, true);
    if (!value) return undefined;
    const name: FormField = { name: 'name', label: 'Name', kind: 'text', required: true };
    return {
      cells: [name, value],
      variants: [new Map([name, value].map((one) => [one.name, one]))],
      keyed: true,
    };
  }
  return undefined;
}

/** The parts of an object of plain values. */
function partsOf(schema: Schema): ReadonlyMap<string, FormField> | undefined {
  const { type, properties, required } = schema;
  if (type !== 'object' || !isObject(properties)) return undefined;
  const needed: unknown[] = Array.isArray(required) ? required : [];
  const parts = Object.entries(properties).map(([part, one]) =>
    isObject(one) ? cellOf(part, one, needed.includes(part)) : undefined,
  );
  if (parts.length === 0 || !parts.every((one) => one !== undefined)) return undefined;
  return new Map(parts.map((one) => [one.name, one]));
}

/** A value that one cell can hold. Where a text is one, what is typed is a text, so that it keeps all that was typed. */
function cellOf(name: string, schema: Schema, required: boolean): FormField | undefined {
  const { const: only, items, enum: choices } = schema;
  const asked = typeof only === 'string' ? { ...schema, enum: [only] } : schema;
  const field = { ...fieldOf(name, asked, required), label: capitalized(name.replaceAll('_', ' ')) };
  const nullable = field.nullable ?? admits(schema, 'null');
  const withKind = (kind: FormField['kind']): FormField => ({
    ...field,
    kind,
    ...(nullable && { nullable: true as const }),
  });
  if (schema['type'] === 'array')
    return isObject(items) && admits(items, 'string') ? withKind('list') : undefined;
  if (Array.isArray(choices) || typeof only === 'string') return withKind(field.kind);
  if (admits(schema, 'string') && variantsOf(schema).length > 0) return withKind('text');
  return field.kind === 'json' || field.kind === 'loose' ? undefined : withKind(field.kind);
}

/** One cell for each part that a row may have, for all that the part may be. */
function cellsOf(variants: readonly ReadonlyMap<string, FormField>[]): FormField[] {
  const names = [...new Set(variants.flatMap((one) => [...one.keys()]))];
  return names.map((name) => {
    const all = variants.flatMap((one) => one.get(name) ?? []);
    const [first] = all as [FormField];
    const kinds = new Set(all.map(({ kind }) => kind));
    const kind = kinds.size === 1 ? first.kind : kinds.has('list') ? 'list' : 'text';
    const required = all.length === variants.length && all.every((one) => one.required);
    const choices = [...new Set(all.flatMap((one) => one.choices ?? []))];
    const { hint, choices: _, ...rest } = first;
    const isOne = all.every((one) => one.hint === hint);
    return {
      ...{ ...rest, kind, required },
      ...(isOne && hint !== undefined && { hint }),
      ...(kind === 'choice' && { choices }),
    };
  });
}

export const cellName = (rows: string, at: number, part: string): string => `${rows}.${at}.${part}`;

/** How many rows of these names were sent. */
export function countRows(rows: string, names: Iterable<string>): number {
  const places = [...names].flatMap((name) => {
    const [, at] = name.startsWith(`${rows}.`)
      ? (/^(\d{1,3})\./.exec(name.slice(rows.length + 1)) ?? [])
      : [];
    return at === undefined ? [] : [Number(at) + 1];
  });
  return Math.min(MAX_ROWS, Math.max(0, ...places));
}

interface ReadRows {
  /** Undefined if no row says anything. */
  value?: unknown;
  mistakes: FieldMistake[];
}

type Given = (name: string) => string | undefined;

/** The value of rows that were filled in. A row without a word in it says nothing. */
export function readRows(
  rows: string,
  shape: RowsShape,
  count: number,
  given: Given,
  zone = 'UTC',
): ReadRows {
  const mistakes: FieldMistake[] = [];
  const read: Record<string, unknown>[] = [];
  for (let at = 0; at < count; at++) {
    const cell = (part: string) => given(cellName(rows, at, part));
    const isNone = (part: string) => given(nullName(cellName(rows, at, part))) !== undefined;
    if (shape.cells.every(({ name }) => cell(name) === undefined && !isNone(name))) continue;
    const row = readRow(shape, cell, isNone, zone);
    mistakes.push(...row.mistakes.map((one) => ({ ...one, name: cellName(rows, at, one.name) })));
    const again = shape.keyed && read.some(({ name }) => name === row.value['name']);
    if (again) mistakes.push({ name: cellName(rows, at, 'name'), message: 'This name is there already.' });
    read.push(row.value);
  }
  if (read.length === 0 || mistakes.length > 0) return { mistakes };
  if (!shape.keyed) return { value: read, mistakes };
  return { value: Object.fromEntries(read.map(({ name, value }) => [String(name), value])), mistakes };
}

function readRow(
  { cells, variants, keyed }: RowsShape,
  cell: Given,
  isNone: (part: string) => boolean,
  zone: string,
): { value: Record<string, unknown>; mistakes: FieldMistake[] } {
  const value: Record<string, unknown> = {};
  const mistakes: FieldMistake[] = [];
  const chosen = cells.filter(({ kind, required }) => kind === 'choice' && required);
  for (const { name, choices = [] } of chosen)
    if (!choices.includes(cell(name) ?? '')) mistakes.push({ name, message: 'Choose one of these.' });
  const variant = variants.find((one) =>
    chosen.every(({ name }) => one.get(name)?.choices?.includes(cell(name) ?? '') ?? true),
  );
  if (!variant || mistakes.length > 0) return { value, mistakes };
  for (const { name } of cells) {
    const said = cell(name);
    const field = variant.get(name);
    const mistake = (message: string) => mistakes.push({ name, message });
    if (!field) {
      if (said !== undefined) mistake('Leave this empty: it has no value here.');
    } else if (field.nullable && isNone(name)) {
      if (said === undefined) value[name] = null;
      else mistake('Give a value or say that there is none, not both.');
    } else if (said === undefined) {
      if (field.required) mistake('Fill this in.');
    } else {
      const one = (keyed && structured(said)) || givenValue(field, said, zone);
      if ('mistake' in one) mistake(one.mistake);
      else value[name] = one.value;
    }
  }
  return { value, mistakes };
}

/** A list or an object, as programs write it. */
function structured(said: string): { value: unknown } | undefined {
  if (!/^[[{]/.test(said)) return undefined;
  try {
    return { value: readJson(said) };
  } catch {
    return undefined;
  }
}

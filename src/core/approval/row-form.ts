import { readJson } from '../shared/json';
import { capitalized } from '../shared/plain-text';
import { fieldOf, givenValue, isObject, nullName, type FieldMistake, type FormField } from './schema-form';

/** A value that a form has as rows: a list of objects, or an object whose names a person chooses. */
export interface RowsShape {
  /** The cells of a row. Their names are the parts of a row's value. */
  cells: FormField[];
  /** The variants of a row, each with the fields of its parts. */
  variants: ReadonlyMap<string, FormField>[];
  /** The value is an object: each row has one of its names and the member's value. */
  keyed: boolean;
}

/** The maximum number of rows in a form. */
export const MAX_ROWS = 100;

type Schema = Record<string, unknown>;
const variantsOf = ({ anyOf, oneOf }: Schema): Schema[] =>
  [anyOf, oneOf].flatMap((some) => (Array.isArray(some) ? some.filter(isObject) : []));

const admits = (schema: Schema, type: string): boolean =>
  schema['type'] === type || variantsOf(schema).some((variant) => admits(variant, type));

/** The rows of a schema; undefined for a value that a form does not have as rows. */
export function rowsOfSchema(schema: unknown): RowsShape | undefined {
  if (!isObject(schema)) return undefined;
  const { type, items, properties, additionalProperties: values } = schema;
  if (type === 'array' && isObject(items)) {
    const some = variantsOf(items);
    const variants = (some.length > 0 ? some : [items]).map(partsOf);
    if (!variants.every((variant) => variant !== undefined)) return undefined;
    return { cells: cellsOf(variants), variants, keyed: false };
  }
  if (type === 'object' && !isObject(properties) && isObject(values)) {
    const value = cellOf('value', values, true);
    if (!value) return undefined;
    const name: FormField = { name: 'name', label: 'Name', kind: 'text', required: true };
    return {
      cells: [name, value],
      variants: [new Map([name, value].map((field) => [field.name, field]))],
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
  const parts = Object.entries(properties).map(([part, partSchema]) =>
    isObject(partSchema) ? cellOf(part, partSchema, needed.includes(part)) : undefined,
  );
  if (parts.length === 0 || !parts.every((field) => field !== undefined)) return undefined;
  return new Map(parts.map((field) => [field.name, field]));
}

/** The field of a value that fits into one cell. If a text is allowed, the input stays text and so loses nothing. */
function cellOf(name: string, schema: Schema, required: boolean): FormField | undefined {
  const { const: only, items, enum: choices } = schema;
  const cellSchema = typeof only === 'string' ? { ...schema, enum: [only] } : schema;
  const field = { ...fieldOf(name, cellSchema, required), label: capitalized(name.replaceAll('_', ' ')) };
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

/** One cell for each part of a row, which accepts the part's values in all variants. */
function cellsOf(variants: readonly ReadonlyMap<string, FormField>[]): FormField[] {
  const names = [...new Set(variants.flatMap((variant) => [...variant.keys()]))];
  return names.map((name) => {
    const all = variants.flatMap((variant) => variant.get(name) ?? []);
    const [first] = all as [FormField];
    const kinds = new Set(all.map(({ kind }) => kind));
    const kind = kinds.size === 1 ? first.kind : kinds.has('list') ? 'list' : 'text';
    const required = all.length === variants.length && all.every((field) => field.required);
    const choices = [...new Set(all.flatMap((field) => field.choices ?? []))];
    const { hint, choices: _, ...rest } = first;
    const isOne = all.every((field) => field.hint === hint);
    return {
      ...{ ...rest, kind, required },
      ...(isOne && hint !== undefined && { hint }),
      ...(kind === 'choice' && { choices }),
    };
  });
}

export const cellName = (rows: string, at: number, part: string): string => `${rows}.${at}.${part}`;

/** The number of rows in the fields that were sent. */
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
  /** Undefined if all rows are empty. */
  value?: unknown;
  mistakes: FieldMistake[];
}

type Given = (name: string) => string | undefined;

/** The value of the submitted rows. Empty rows are ignored. */
export function readRows(
  rows: string,
  shape: RowsShape,
  count: number,
  textOf: Given,
  zone = 'UTC',
): ReadRows {
  const mistakes: FieldMistake[] = [];
  const values: Record<string, unknown>[] = [];
  for (let at = 0; at < count; at++) {
    const cell = (part: string) => textOf(cellName(rows, at, part));
    const isNone = (part: string) => textOf(nullName(cellName(rows, at, part))) !== undefined;
    if (shape.cells.every(({ name }) => cell(name) === undefined && !isNone(name))) continue;
    const row = readRow(shape, cell, isNone, zone);
    mistakes.push(...row.mistakes.map((mistake) => ({ ...mistake, name: cellName(rows, at, mistake.name) })));
    const isRepeated = shape.keyed && values.some(({ name }) => name === row.value['name']);
    if (isRepeated)
      mistakes.push({ name: cellName(rows, at, 'name'), message: 'This name is there already.' });
    values.push(row.value);
  }
  if (values.length === 0 || mistakes.length > 0) return { mistakes };
  if (!shape.keyed) return { value: values, mistakes };
  return { value: Object.fromEntries(values.map(({ name, value }) => [String(name), value])), mistakes };
}

function readRow(
  { cells, variants, keyed }: RowsShape,
  cell: Given,
  isNone: (part: string) => boolean,
  zone: string,
): { value: Record<string, unknown>; mistakes: FieldMistake[] } {
  const value: Record<string, unknown> = {};
  const mistakes: FieldMistake[] = [];
  const choiceCells = cells.filter(({ kind, required }) => kind === 'choice' && required);
  for (const { name, choices = [] } of choiceCells)
    if (!choices.includes(cell(name) ?? '')) mistakes.push({ name, message: 'Choose one of these.' });
  const variant = variants.find((parts) =>
    choiceCells.every(({ name }) => parts.get(name)?.choices?.includes(cell(name) ?? '') ?? true),
  );
  if (!variant || mistakes.length > 0) return { value, mistakes };
  for (const { name } of cells) {
    const text = cell(name);
    const field = variant.get(name);
    const mistake = (message: string) => mistakes.push({ name, message });
    if (!field) {
      if (text !== undefined) mistake('Leave this empty: it has no value here.');
    } else if (field.nullable && isNone(name)) {
      if (text === undefined) value[name] = null;
      else mistake('Give a value or say that there is none, not both.');
    } else if (text === undefined) {
      if (field.required) mistake('Fill this in.');
    } else {
      const result = (keyed && structured(text)) || givenValue(field, text, zone);
      if ('mistake' in result) mistake(result.mistake);
      else value[name] = result.value;
    }
  }
  return { value, mistakes };
}

/** Parses a list or an object in JSON; undefined for any other text. */
function structured(text: string): { value: unknown } | undefined {
  if (!/^[[{]/.test(text)) return undefined;
  try {
    return { value: readJson(text) };
  } catch {
    return undefined;
  }
}

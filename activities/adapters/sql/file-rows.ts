import { BatchgateError } from '../../../src/contract/errors';
import { shortened } from '../../../src/contract/text';
import { isPrivate } from '../../../src/core/shared/plain-secrets';
import { quoted } from '../../../src/core/shared/plain-text';
import type { Named } from '../kit/types';
import { mistake, ProviderFailure } from '../shared/failure';
import { columnOf, type Column, type Table } from './catalogue';
import { idOfKey, keyOfId, valuesOf, type ColumnValue, type Row } from './expressions';
import { bringsRows, Notation, shownTable, type SqlChange, type Value } from './parameters';
import { outlookOfNew } from './outlook';
import { rowState, type RowItem, type RowState, type Scope } from './rows';

/** The reason that a value of a row cannot be written. */
interface RowMistake {
  readonly column: string;
  readonly message: string;
  readonly hint: string;
}

/** The row of a call, with the id that its own columns determine. */
export interface RowScope extends Scope {
  readonly id: string;
  readonly mistakes: readonly RowMistake[];
}

/** Returns the change of one row. An insert, an upsert and their undo have their own columns for each row. */
export function scopeOfRow(
  table: Table,
  change: SqlChange,
  id: string,
  { given, planned, kept }: Named,
): RowScope {
  const row = (planned as RowState | null | undefined)?.row;
  if (bringsRows(change.action))
    return change.undo
      ? { table, id, mistakes: [], ...undoOfRow(change, row, leftIn(kept) !== undefined) }
      : ownChange(table, change, id, given);
  return { table, change, id, mistakes: [], restored: change.undo ? row : undefined };
}

/** Returns the whole row after an insert. */
const leftIn = ({ left }: Named['kept']): RowState | undefined => rowState.safeParse(left).data;

/** Deletes an inserted row if none of its columns has changed since. Restores the earlier values of another row. */
function undoOfRow(change: SqlChange, row: Row | undefined, isMade: boolean): Omit<Scope, 'table'> {
  if (isMade) return { change: { ...change, action: 'delete', set: {} } };
  const set = Object.fromEntries(Object.entries(row ?? {}).map(([name, text]) => [name, notation(text)]));
  return { change: { ...change, action: 'update', set }, restored: row };
}

const notation = (text: string | null): Value => (text === null ? null : new Notation(text));

/** Returns the columns of a row of a file, with the columns that are the same in every row. */
function ownChange(table: Table, change: SqlChange, id: string, fields: Named['given']): RowScope {
  const mistakes: RowMistake[] = [];
  const texts: Record<string, string | null> = {};
  for (const [name, value] of Object.entries(fields)) {
    const why = whyUnfit(table, change, name, value);
    if (why) mistakes.push({ column: name, ...why });
    else texts[name] = textIn(value);
  }
  const key = table.key.map(({ name }) => name);
  const keyFields = key.filter((name) => Object.hasOwn(fields, name));
  if (keyFields.length > 0 && keyFields.length < key.length) mistakes.push(keyMistake(key, keyFields));
  const isNamed = keyFields.length > 0 && key.every((name) => texts[name] != null);
  const other = table.columns.some(({ name }) => name === 'id' && !key.includes(name));
  if (isNamed && other && !Object.hasOwn(fields, 'id') && !Object.hasOwn(change.set, 'id'))
    mistakes.push({
      column: 'id',
      message: 'the id of an item is not written into this column, because the key is in other columns',
      hint: 'Write it into raw_data of a JSONL file',
    });
  const others = Object.entries(texts).filter(([name]) => !key.includes(name));
  return {
    ...{ table, mistakes },
    id: isNamed ? idOfKey(key.map((name) => texts[name] ?? '')) : id,
    change: {
      ...change,
      set: { ...change.set, ...Object.fromEntries(others.map(([name, text]) => [name, notation(text)])) },
    },
  };
}

const keyMistake = (key: readonly string[], present: readonly string[]): RowMistake => ({
  column: key.find((name) => !present.includes(name)) ?? '',
  message: 'it is a part of the primary key, of which the row has other parts',
  hint: `Name all columns of the key: ${key.join(', ')}`,
});

function whyUnfit(
  table: Table,
  { set }: SqlChange,
  name: string,
  value: unknown,
): Omit<RowMistake, 'column'> | undefined {
  const column = table.columns.find((candidate) => candidate.name === name);
  if (column === undefined) return unknownColumn(table, name);
  if (column.computed || (column.generated && column.keyPosition === null))
    return { message: 'the database generates its value', hint: 'Leave this column out' };
  if (Object.hasOwn(set, name))
    return { message: 'set has a value for it, too', hint: 'Leave it out of one of them' };
  if (value === null && (column.notNull || column.keyPosition !== null))
    return { message: 'it cannot be null', hint: 'Give it a value' };
  if (typeof value === 'string' && /\p{Cs}/u.test(value))
    return { message: 'it is not a text that PostgreSQL can store', hint: 'Correct its characters' };
  if (typeof value !== 'object' || value === null || column.json) return undefined;
  return {
    message: 'it accepts no list and no object',
    hint: 'Write it as text in the notation of PostgreSQL: {1,2} for an array',
  };
}

function unknownColumn(table: Table, name: string): Omit<RowMistake, 'column'> {
  try {
    columnOf(table, name);
  } catch (error) {
    if (!(error instanceof BatchgateError)) throw error;
    return { message: `${shownTable(table)} has no such column`, hint: error.hint.replace(/\.$/, '') };
  }
  throw new Error(`The column ${name} is there`);
}

/** A text is in the notation of the database, also for json. A list or an object is a json value. */
function textIn(value: unknown): string | null {
  return value === null || typeof value === 'string' ? value : JSON.stringify(value);
}

/** Returns all values of a row, with its key. */
export const valuesOfRow = ({ table, change, id }: RowScope): ColumnValue[] => [
  ...keyOfId(table, id).map((text, at) => ({ column: table.key[at]!, text, assigned: true })),
  ...valuesOf(table, { where: [], set: change.set }),
];

/** Required columns without a default that a new row lacks. None if the table has triggers, which can fill them. */
function lacking({ table, change }: RowScope): RowMistake[] {
  if (table.reacts.insert) return [];
  const isLacking = ({ name, notNull, hasDefault, generated, keyPosition }: Column) =>
    notNull && !hasDefault && !generated && keyPosition === null && !Object.hasOwn(change.set, name);
  return table.columns.filter(isLacking).map(({ name }) => ({
    column: name,
    message: 'a new row needs it, and it has no default',
    hint: 'Give it in the file or in set',
  }));
}

function keyOf({ table, id }: RowScope): string[] | RowMistake {
  try {
    return keyOfId(table, id);
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    const column = table.key.map(({ name }) => name).join(', ');
    return { column, message: error.message, hint: 'Give the columns of the key in the file' };
  }
}

/** Returns why columns do not accept values, in the words of the database, or undefined if they do. */
type WhyUnread = (table: Table, values: readonly ColumnValue[]) => Promise<string | undefined>;

/**
 * Returns the values of a row that its columns do not accept. Tries all values together, and one by one after a
 * failure.
 */
async function unfitting(whyUnread: WhyUnread, scope: RowScope): Promise<RowMistake[]> {
  const key = keyOf(scope);
  if (!Array.isArray(key)) return [key];
  const values = valuesOfRow(scope);
  if ((await whyUnread(scope.table, values)) === undefined) return [];
  const mistakes: RowMistake[] = [];
  for (const value of values) {
    const message = await whyUnread(scope.table, [value]);
    const { name, type } = value.column;
    if (message === undefined) continue;
    const hint = value.text === '' ? 'Write \\N for null' : `Write a value of type ${type}`;
    mistakes.push({ column: name, message: isPrivate(name) ? `it does not fit ${type}` : message, hint });
  }
  return mistakes;
}

/** A row of a file, with its current state and its target. */
export interface FileRow extends RowItem {
  readonly facts: RowItem['facts'] & { readonly asked: string; readonly mistakes: readonly RowMistake[] };
}

/** `rowNow`: returns the existing row, or the new one. */
export async function readFileRow(
  scope: RowScope,
  itemId: string,
  { whyUnread, rowNow }: { whyUnread: WhyUnread; rowNow: () => Promise<RowItem> },
): Promise<FileRow> {
  const { id, table, change } = scope;
  const valueMistakes = scope.mistakes.length > 0 ? scope.mistakes : await unfitting(whyUnread, scope);
  if (valueMistakes.length > 0)
    return {
      id,
      name: id,
      state: null,
      facts: { table, change, key: [], to: {}, asked: itemId, mistakes: valueMistakes },
    };
  const row = await rowNow();
  const mistakes = row.state === null ? lacking(scope) : [];
  return { ...row, facts: { ...row.facts, asked: itemId, mistakes } };
}

/**
 * Adds the effects of a change on other rows. `related` adds them to an existing row.
 * @throws BatchgateError `INVALID_INPUT` with the mistakes of the rows.
 */
export async function completeFileRows(
  rows: readonly FileRow[],
  related: (row: FileRow) => Promise<readonly RowItem[]>,
): Promise<RowItem[]> {
  refuseMistakes(rows.map(({ facts }) => facts));
  refuseSameRows(rows.map(({ id, facts: { asked, same = id } }) => ({ id, asked, same })));
  const complete: RowItem[] = [];
  for (const row of rows) {
    const { table, change } = row.facts;
    if (row.state === null)
      complete.push({ ...row, facts: { ...row.facts, outlook: outlookOfNew(table, change) } });
    else if (change.action === 'insert') complete.push(row);
    else complete.push(...(await related(row)));
  }
  return complete;
}

const MAX_SHOWN = 10;

/** @throws BatchgateError `INVALID_INPUT` with the mistakes of all rows, each by its item and column. */
function refuseMistakes(
  rows: readonly { readonly asked: string; readonly mistakes: readonly RowMistake[] }[],
): void {
  const all = rows.flatMap(({ asked, mistakes }) => mistakes.map((each) => ({ item_id: asked, ...each })));
  const [first] = all;
  if (first === undefined) return;
  const texts = all
    .slice(0, MAX_SHOWN)
    .map(
      ({ item_id, column, message }) =>
        `item ${quoted(shortened(item_id, 60))}, column ${column}: ${shortened(message, 300)}`,
    );
  const more = all.length > texts.length ? `; and ${all.length - texts.length} more` : '';
  throw new BatchgateError(
    'INVALID_INPUT',
    `Values do not fit the table: ${texts.join('; ')}${more}`,
    `${first.hint}. Nothing was started.`,
    { mistakes: all.slice(0, MAX_SHOWN) },
  );
}

/** @throws BatchgateError `INVALID_INPUT` for two items that are the same row, whose values would be ambiguous. */
function refuseSameRows(
  rows: readonly { readonly asked: string; readonly id: string; readonly same: string }[],
): void {
  const byKey = new Map<string, string>();
  for (const { asked, id, same } of rows) {
    const other = byKey.get(same);
    if (other !== undefined)
      throw mistake(
        `The items ${quoted(other)} and ${quoted(asked)} are the same row: ${shortened(id, 100)}`,
        'Leave one of them out. Nothing was started.',
      );
    byKey.set(same, asked);
  }
}

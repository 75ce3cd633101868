import { z } from 'zod';
import {
  MAX_RAW_DATA_BYTES,
  utf8Length,
  type BulkItem,
  type PreparedBulkContext,
} from '../../../src/contract/items';
import type { ItemPreview, ItemState } from '../../../src/contract/preview';
import { looksSecret, wordsOf } from '../../../src/core/shared/plain-secrets';
import { difference, NOT_RECORDED, undoOf } from '../shared/frozen-state';
import { changeOf, shownTable, type SqlChange } from './parameters';

/** Values by column, as PostgreSQL prints them; null for a row that does not exist. */
const rowSchema = z.record(z.string(), z.string().nullable()).nullable();
export type Row = z.infer<typeof rowSchema>;

/** An undo stores up to five such objects per item. */
export const MAX_KEPT_BYTES = 800;

/** Besides names of secrets: personal and account data in tables. */
const PERSONAL = /^(?:hash|hashed|salt|digest|ssn|iban|cvv|cvc|pin|otp|encrypted|cipher)$/;

/** Its values are neither shown nor stored. */
export const isPrivate = (column: string): boolean =>
  looksSecret(column) || wordsOf(column).some((word) => PERSONAL.test(word));

/** Rows of another table that change with a row. `rows`: null if they were not counted. */
const followSchema = z.object({ table: z.string(), does: z.string(), rows: z.number().nullable() });
export type Follow = z.infer<typeof followSchema>;

/** The effect of an `on update cascade`: the undo restores the value in these rows, too. */
export const CARRIED = 'changed too';

/** The data of a row in the plan. */
const frozenSchema = z.object({
  /** The digest of the data that the change depends on; null if there was no row. */
  before: z.string().nullable(),
  /** The columns that the change alters. Absent if they are private, or too large to store. */
  values: rowSchema.optional(),
  /** The same columns after the change. */
  set: rowSchema.optional(),
  follows: z.array(followSchema).optional(),
  /** Other names of the row by which it was asked for. */
  named: z.array(z.string()).optional(),
  /** Why the change will fail. */
  expected: z.string().optional(),
  restores: z.enum(['yes', 'partly', 'no']).optional(),
});
export type Frozen = z.infer<typeof frozenSchema>;
export type Outlook = Pick<Frozen, 'follows' | 'expected' | 'restores'>;

/** In a form that fits into a plan: without its other names, or without its values, which cannot be restored then. */
export function fitting({ named, ...frozen }: Frozen): Frozen {
  const { values: _, set: __, ...rest } = frozen;
  const forms: Frozen[] = [{ ...frozen, ...(named && { named }) }, frozen, rest];
  return forms.find((form) => utf8Length(JSON.stringify(form)) <= MAX_RAW_DATA_BYTES) ?? rest;
}

/** Undefined if this adapter did not freeze the item. */
export const frozenOf = (raw_data: unknown): Frozen | undefined => frozenSchema.safeParse(raw_data).data;

/** The values that an undo restores, and those that the operation left; undefined if they were not stored. */
export function restorationOf(item: BulkItem, change: Pick<SqlChange, 'undo'>): Restoration | undefined {
  const undo = undoOf(item, change);
  const to = frozenOf(undo?.to);
  if (to?.values === undefined) return undefined;
  const left = undo?.left === undefined ? to.set : frozenOf(undo.left)?.values;
  return { to: to.values, left, follows: to.follows ?? [] };
}

interface Restoration {
  readonly to: Row;
  readonly left: Row | undefined;
  /** Other effects of the change. */
  readonly follows: readonly Follow[];
}

/** The row after the change: what it sets, or what an undo restores. Undefined if that is unknown. */
export const wishedRow = (item: BulkItem, change: Pick<SqlChange, 'undo'>): Row | undefined =>
  change.undo ? restorationOf(item, change)?.to : frozenOf(item.raw_data)?.set;

/** Whether a row has the values that were kept. Columns that were added since do not matter. */
export function shows(now: Row | undefined, kept: Row | undefined): boolean {
  if (!now || !kept) return now === kept && now !== undefined;
  return Object.entries(kept).every(([name, value]) => (now[name] ?? null) === value);
}

/** The columns as text for people; for a deletion the whole row in one field. */
export function stateOf(row: Row, { action }: Pick<SqlChange, 'action'>): ItemState {
  if (action !== 'delete') return { ...row };
  const entries = Object.entries(row ?? {});
  return {
    row: row === null ? null : entries.map(([name, value]) => `${name}: ${value ?? 'null'}`).join(', '),
  };
}

export function previewRow(item: BulkItem, context: PreparedBulkContext): ItemPreview {
  const frozen = frozenOf(item.raw_data);
  if (frozen === undefined) return {};
  return { ...previewFrozen(item, frozen, changeOf(context)), ...(frozen.named && { named: frozen.named }) };
}

function previewFrozen(item: BulkItem, frozen: Frozen, change: SqlChange): ItemPreview {
  const expected = frozen.expected !== undefined && { expected_error: frozen.expected };
  if (change.undo) return { ...previewUndo(item, change, frozen), ...expected };
  if (frozen.before === null) return { expected_error: 'Row not found' };
  const { values, set, follows = [], restores } = frozen;
  const [before, after] = statesOfFollows(follows);
  if (values === undefined || set === undefined) {
    const kept = follows.length > 0 && { before, after };
    return { ...kept, reversible: 'no', not_shown: hidden(change), ...expected };
  }
  const own = compared(values, set, change);
  if (own.already) return own;
  return {
    before: { ...own.before, ...before },
    after: { ...own.after, ...after },
    ...(restores && { reversible: restores }),
    ...expected,
  };
}

/** By table: how many rows there are, and what happens to them. */
function statesOfFollows(follows: readonly Follow[]): [ItemState, ItemState] {
  const tables = [...new Set(follows.map(({ table }) => table))];
  const states = tables.map((table) => {
    const own = follows.filter((one) => one.table === table);
    const counted = own.every(({ rows }) => rows !== null);
    const before = counted
      ? String(own.reduce((sum, { rows }) => sum + (rows ?? 0), 0))
      : 'an unknown number';
    const after = own
      .map(({ does, rows }) => (own.length > 1 && rows !== null ? `${rows} ${does}` : does))
      .join(', ');
    return { name: `rows of ${table}`, before, after };
  });
  const side = (of: 'before' | 'after') => Object.fromEntries(states.map((one) => [one.name, one[of]]));
  return [side('before'), side('after')];
}

/** `2 rows, and 300 rows of 2 other tables`; undefined if the rows of a plan are all that changes. */
export function describeRows(items: readonly BulkItem[], context: PreparedBulkContext): string | undefined {
  const own = shownTable(changeOf(context).table);
  const changing = items.filter((item) => {
    const { already, expected_error } = previewRow(item, context);
    return !already && expected_error === undefined;
  });
  const follows = changing.flatMap(({ raw_data }) => frozenOf(raw_data)?.follows ?? []);
  if (follows.length === 0) return undefined;
  const total = follows.reduce((sum, { rows }) => sum + (rows ?? 0), 0);
  const tables = new Set(follows.map(({ table }) => table));
  const other = tables.has(own) ? '' : 'other ';
  const more = tables.has(own) ? 'more ' : '';
  const where = `${tables.size} ${other}${tables.size === 1 ? 'table' : 'tables'}`;
  const isUncounted = follows.some(({ rows }) => rows === null);
  const rows = isUncounted && total === 0 ? 'rows' : counted(total, more);
  const uncounted = isUncounted ? `, ${total === 0 ? 'which' : 'some of which'} could not be counted` : '';
  return `${counted(changing.length, '')}, and ${rows} of ${where}${uncounted}`;
}

const counted = (count: number, more: string) => `${count} ${more}${count === 1 ? 'row' : 'rows'}`;

/** Why the values of a row are neither shown nor kept. A deletion concerns columns that its parameters do not name. */
function hidden({ action, set }: SqlChange): string {
  const personal = 'the values of this row, because a column that changes is private';
  const large = `the values of this row, which are larger than ${MAX_KEPT_BYTES} bytes`;
  if (action === 'delete') return `${large}, or a column of which is private`;
  return Object.keys(set).some(isPrivate) ? personal : large;
}

function previewUndo(item: BulkItem, change: SqlChange, { values: now, restores }: Frozen): ItemPreview {
  const back = restorationOf(item, change);
  if (back === undefined || now === undefined)
    return { reversible: 'no', expected_error: back ? 'The row is too large to be undone' : NOT_RECORDED };
  if (now === null && change.action === 'update') return { conflict: 'the row was deleted' };
  const reversible = restores && { reversible: restores };
  const preview = { ...withLosses(compared(now, back.to, change), back), ...reversible };
  if (preview.already || back.left === undefined || shows(now, back.left)) return preview;
  const what = difference(stateOf(back.left, change), stateOf(now, change)) ?? 'the row was changed';
  return { ...preview, conflict: what };
}

/** The rows that changed along with a row do not come back with it. */
function withLosses(preview: ItemPreview, { to, follows }: Restoration): ItemPreview {
  const lost = follows.filter(({ does }) => does !== CARRIED);
  if (preview.already || to === null || lost.length === 0) return preview;
  const [, now] = statesOfFollows(lost);
  const then = Object.fromEntries(Object.keys(now).map((name) => [name, 'not restored']));
  return { ...preview, before: { ...preview.before, ...now }, after: { ...preview.after, ...then } };
}

function compared(now: Row, then: Row, change: SqlChange): ItemPreview {
  const [before, after] = [stateOf(now, change), stateOf(then, change)];
  return { before, after, ...(shows(now, then) && { already: true }) };
}

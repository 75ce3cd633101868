import { z } from 'zod';
import type { BulkItem, PreparedBulkContext } from '../../../src/contract/items';
import type { ItemPreview, ItemState } from '../../../src/contract/preview';
import { looksSecret, wordsOf } from '../../../src/core/shared/plain-secrets';
import { difference, NOT_RECORDED, undoOf } from '../shared/frozen-state';
import { changeOf, type SqlChange } from './parameters';

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

/** What the plan stores of a row. */
const frozenSchema = z.object({
  /** The digest of the data that the change depends on; null if there was no row. */
  before: z.string().nullable(),
  /** The columns that the change alters. Absent if they are private, or too large to store. */
  values: rowSchema.optional(),
  /** The same columns after the change. */
  set: rowSchema.optional(),
});
export type Frozen = z.infer<typeof frozenSchema>;

/** Undefined if this adapter did not freeze the item. */
export const frozenOf = (raw_data: unknown): Frozen | undefined => frozenSchema.safeParse(raw_data).data;

/** What an undo restores, and what the operation left; undefined if the values were not stored. */
export function restorationOf(
  item: BulkItem,
  change: Pick<SqlChange, 'undo'>,
): { readonly to: Row; readonly left: Row | undefined } | undefined {
  const undo = undoOf(item, change);
  const to = frozenOf(undo?.to);
  if (to?.values === undefined) return undefined;
  return { to: to.values, left: undo?.left === undefined ? to.set : frozenOf(undo.left)?.values };
}

/** The row after the change: what it sets, or what an undo restores. Undefined if that is unknown. */
export const wishedRow = (item: BulkItem, change: Pick<SqlChange, 'undo'>): Row | undefined =>
  change.undo ? restorationOf(item, change)?.to : frozenOf(item.raw_data)?.set;

export function isSame(one: Row | undefined, other: Row | undefined): boolean {
  if (!one || !other) return one === other && one !== undefined;
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
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
  const change = changeOf(context);
  if (frozen === undefined) return {};
  if (change.undo) return previewUndo(item, change, frozen.values);
  if (frozen.before === null) return { expected_error: 'Row not found' };
  const { values, set } = frozen;
  if (values !== undefined && set !== undefined) return compared(values, set, change);
  return { reversible: 'no', not_shown: hidden(change) };
}

/** Why the values of a row are neither shown nor kept. A deletion concerns columns that its parameters do not name. */
function hidden({ action, set }: SqlChange): string {
  const personal = 'the values of this row, because a column that changes is private';
  const large = `the values of this row, which are larger than ${MAX_KEPT_BYTES} bytes`;
  if (action === 'delete') return `${large}, or a column of which is private`;
  return Object.keys(set).some(isPrivate) ? personal : large;
}

function previewUndo(item: BulkItem, change: SqlChange, now: Row | undefined): ItemPreview {
  const back = restorationOf(item, change);
  if (back === undefined || now === undefined)
    return { reversible: 'no', expected_error: back ? 'The row is too large to be undone' : NOT_RECORDED };
  if (now === null && change.action === 'update') return { conflict: 'the row was deleted' };
  const preview = compared(now, back.to, change);
  if (preview.already || back.left === undefined || isSame(now, back.left)) return preview;
  const what = difference(stateOf(back.left, change), stateOf(now, change)) ?? 'the row was changed';
  return { ...preview, conflict: what };
}

function compared(now: Row, then: Row, change: SqlChange): ItemPreview {
  const [before, after] = [stateOf(now, change), stateOf(then, change)];
  return { before, after, ...(isSame(now, then) && { already: true }) };
}

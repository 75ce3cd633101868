import { z } from 'zod';
import type { BulkItem, BulkResult, PreparedBulkContext, UndoData } from '../../../src/contract/items';
import { MAX_REASON_LENGTH, type ItemState, type StateValue } from '../../../src/contract/preview';
import { shortened } from '../../../src/contract/text';
import { shortenedPair } from '../../../src/core/shared/differing-texts';
import { nameText, quoted } from '../../../src/core/shared/plain-text';

const undoSchema = z.object({
  to: z.record(z.string(), z.unknown()),
  left: z.record(z.string(), z.unknown()).optional(),
  kept: z.record(z.string(), z.unknown()).optional(),
});

/** Returns the item's state for an undo; undefined if the context undoes nothing. */
export function undoOf(
  { raw_data }: BulkItem,
  context: Pick<PreparedBulkContext, 'undo'>,
): UndoData | undefined {
  return context.undo ? (undoSchema.safeParse(raw_data?.undo).data ?? { to: {} }) : undefined;
}

/** Returns a newly frozen item with the undo state of an earlier one. */
export function keepingUndo(frozen: BulkItem, { raw_data }: BulkItem): BulkItem {
  return raw_data?.undo === undefined
    ? frozen
    : { ...frozen, raw_data: { ...frozen.raw_data, undo: raw_data.undo } };
}

/** The reason that an undo cannot change an item whose earlier state is unknown. */
export const NOT_RECORDED = 'How it was before the change is not recorded';

/** Describes each field that differs, as `label was none, is now “Later”`. Undefined if none differs. */
export function difference(before: ItemState, now: ItemState): string | undefined {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  const differences = names
    .filter((name) => JSON.stringify(before[name] ?? null) !== JSON.stringify(now[name] ?? null))
    .map((name) => {
      const [was, is] = pairInWords(before[name], now[name]);
      return `${nameText(name)} was ${was}, is now ${is}`;
    });
  return differences.length === 0 ? undefined : shortened(differences.join('; '), MAX_REASON_LENGTH - 1);
}

const MAX_VALUE_LENGTH = 100;

function pairInWords(before: StateValue | undefined, now: StateValue | undefined): string[] {
  const isText = typeof before === 'string' && typeof now === 'string';
  return (isText ? shortenedPair(before, now, MAX_VALUE_LENGTH) : [before, now]).map(inWords);
}

function inWords(value: StateValue | undefined): string {
  if (value === null || value === undefined || value === '') return 'none';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(quoted).join(', ');
  return typeof value === 'string' ? quoted(value) : value.time;
}

/** Returns the result of an item that has changed since it was frozen, and was therefore not changed. */
export function changedSincePreview(item_id: string, what: string | undefined): BulkResult {
  const error = `Changed since the preview: ${what ?? 'it is no longer as it was shown'}`;
  return { item_id, success: false, changed_since_preview: true, retryable: true, error };
}

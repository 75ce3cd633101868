import type { PlannedBatch } from '../../contract/activities';
import type { AskedItems, NamedItem } from '../../contract/items';
import type { OperationState } from './operation';

/** The items of a planned batch, in order, without the fields that the workflow already has. */
export function askedItems(rows: readonly NamedItem[], { named }: PlannedBatch): AskedItems {
  if (!named) return rows.map(({ index: _, ...row }) => row);
  const isPlain = rows.every(({ preview, detail }) => !preview && !detail);
  if (isPlain) return rows.map(({ seal }) => seal).join('');
  return rows.map(({ index: _, id: __, display_name: ___, ...row }) => row);
}

/** Restores the items with their places and with the names that the workflow already has. */
export function namedAgain(
  { items }: Pick<OperationState, 'items'>,
  { from, to }: PlannedBatch,
  compact: AskedItems,
): NamedItem[] {
  const rows = typeof compact === 'string' ? seals(compact, to - from) : compact;
  return rows.map((row, at) => {
    const { id = '', display_name = '' } = items[from + at] ?? {};
    return { id, display_name, ...row, index: from + at };
  });
}

/** Splits a text into seals of equal length. */
const seals = (text: string, count: number): { seal: string }[] =>
  Array.from({ length: count }, (_, at) => ({
    seal: text.slice((at * text.length) / count, ((at + 1) * text.length) / count),
  }));

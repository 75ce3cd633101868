import type { PlannedBatch } from '../../contract/activities';
import type { AskedItems, NamedItem } from '../../contract/items';
import type { OperationState } from './operation';

/** The items of a planned batch, in order, without what the workflow knows of them. */
export function askedItems(rows: readonly NamedItem[], { named }: PlannedBatch): AskedItems {
  if (!named) return rows.map(({ index: _, ...row }) => row);
  const isPlain = rows.every(({ preview, detail }) => !preview && !detail);
  if (isPlain) return rows.map(({ seal }) => seal).join('');
  return rows.map(({ index: _, id: __, display_name: ___, ...row }) => row);
}

/** The same items again, with their places, and with the names that the workflow knows. */
export function namedAgain(
  { items }: Pick<OperationState, 'items'>,
  { from, to }: PlannedBatch,
  asked: AskedItems,
): NamedItem[] {
  const rows = typeof asked === 'string' ? seals(asked, to - from) : asked;
  return rows.map((row, at) => {
    const { id = '', display_name = '' } = items[from + at] ?? {};
    return { id, display_name, ...row, index: from + at };
  });
}

/** Seals of the same length. */
const seals = (text: string, count: number): { seal: string }[] =>
  Array.from({ length: count }, (_, at) => ({
    seal: text.slice((at * text.length) / count, ((at + 1) * text.length) / count),
  }));

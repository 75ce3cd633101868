import type { ItemColumns, PlannedItem } from '../contract/activities';

/** Items as columns; with `whole` all there is of each, else no more than the ledger needs to find the rest. */
export function columnsOf(items: readonly PlannedItem[], whole: boolean): ItemColumns {
  const columns = { indexes: items.map(({ index }) => index), ids: items.map(({ id }) => id) };
  if (!whole) return columns;
  return {
    ...columns,
    names: items.map(({ display_name }) => display_name),
    raw: items.map(({ raw_data }) => raw_data ?? null),
  };
}

/** The items of whole columns; undefined when the ledger has the rest of them. */
export function itemsOf({ indexes, ids, names, raw }: ItemColumns): PlannedItem[] | undefined {
  if (names === undefined) return undefined;
  return indexes.map((index, at) => {
    const raw_data = raw?.[at];
    return { index, id: ids[at] ?? '', display_name: names[at] ?? '', ...(raw_data && { raw_data }) };
  });
}

import type { BulkItem } from '../../../src/contract/items';
import { MAX_OTHER_NAMES } from '../../../src/contract/preview';
import type { Db } from '../../../src/postgres/databases';
import { mapConcurrently } from '../shared/actions';
import { ProviderFailure } from '../shared/failure';
import { keepingUndo } from '../shared/frozen-state';
import type { Table } from './catalogue';
import { idOfKey } from './expressions';
import type { Frozen } from './frozen';
import { outlookOfUndo } from './outlook';
import type { SqlChange } from './parameters';
import { freeze, itemOf, outlooksOf, rowOf, tableOf, type FrozenRow } from './rows';

/** Runs work in a transaction of its own. */
type Reading = <T>(work: (db: Db) => Promise<T>) => Promise<T>;

/**
 * Items that somebody named, or that an undo restores, each under the key of its row. A missing row stays in the plan
 * and fails when it is executed, even if somebody inserts it meanwhile. Rows to delete come before those to which they
 * refer.
 */
export async function namedRows(
  reading: Reading,
  change: SqlChange,
  items: readonly BulkItem[],
  { concurrency, deadline }: { concurrency: number; deadline: number },
): Promise<BulkItem[]> {
  const table = await reading((db) => tableOf(db, change));
  const rows = await mapConcurrently(items, concurrency, (item) => namedRow(reading, table, change, item));
  if (change.undo) return items.map((item, at) => itemToUndo(table, change, item, rows[at]));
  const keys = rows.flatMap((row) => (row ? [row.key] : []));
  const outlooks = await reading((db) => outlooksOf(db, table, change, { keys, named: keys }, deadline));
  const others = otherNames(items, rows);
  return items
    .map((item, at) => {
      const row = rows[at];
      if (row === undefined) return { depth: 0, item: { ...item, raw_data: { before: null } } };
      const named = others.get(idOfKey(row.key));
      const frozen = itemOf(table, row, {
        ...freeze(row, change),
        ...outlooks.shift(),
        ...(named && { named }),
      });
      const isNameless = item.display_name === item.id;
      return {
        depth: row.depth ?? 0,
        item: { ...frozen, ...(!isNameless && { display_name: item.display_name }) },
      };
    })
    .sort((one, other) => other.depth - one.depth)
    .map(({ item }) => item);
}

/** Longer names are shown by their row only. */
const MAX_OTHER_NAME = 60;

/** By id: the other names by which a row was asked for. */
function otherNames(
  items: readonly BulkItem[],
  rows: readonly (FrozenRow | undefined)[],
): Map<string, string[]> {
  const names = new Map<string, string[]>();
  items.forEach(({ id: name }, at) => {
    const row = rows[at];
    const id = row && idOfKey(row.key);
    if (id === undefined || id === name || name.length > MAX_OTHER_NAME) return;
    names.set(id, [...(names.get(id) ?? []), name].slice(0, MAX_OTHER_NAMES));
  });
  return names;
}

function itemToUndo(table: Table, change: SqlChange, item: BulkItem, row: FrozenRow | undefined): BulkItem {
  const now: Frozen = row ? freeze(row, change) : { before: null, values: null };
  const outlook = outlookOfUndo(table, change, item, row ? (now.values ?? {}) : null);
  return keepingUndo({ ...item, raw_data: { ...now, ...outlook } }, item);
}

/** A value that its type cannot parse; an operator that a type does not have. */
const OF_THE_REQUEST = /^(?:22|42883|42804|0A)/;

async function namedRow(
  reading: Reading,
  table: Table,
  change: SqlChange,
  item: BulkItem,
): Promise<FrozenRow | undefined> {
  try {
    return await reading((db) => rowOf(db, table, change, item));
  } catch (error) {
    if (error instanceof ProviderFailure && OF_THE_REQUEST.test(error.reason ?? '')) return undefined;
    throw error;
  }
}

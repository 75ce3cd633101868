import { PREVIEW_COLUMNS } from '../../contract/preview';
import { REPORT_COLUMNS } from '../../contract/report';
import type { FileMistake } from '../tables/mistake';

/** A row of a file: an item, or the mistakes in it. */
export interface ItemRow {
  line: number;
  value: unknown;
  mistakes: readonly FileMistake[];
  /** The column of a part of the value. */
  columnOf: (path: readonly PropertyKey[]) => FileMistake['column'];
}

export interface ItemRows {
  rows: Iterable<ItemRow>;
  /** Notes for the reader about how the file was parsed. */
  notes: string[];
}

/** The fields that `items --json`, `report` and `preview` add to an item. */
const OUR_COLUMNS: readonly string[] = [...REPORT_COLUMNS, ...PREVIEW_COLUMNS].filter(
  (name) => name !== 'id' && name !== 'display_name',
);

/** Whether a row is one of ours, which has a batch, and an outcome or a preview. */
export function isOurs(row: unknown): row is Record<string, unknown> {
  return (
    typeof row === 'object' && row !== null && 'batch' in row && ('outcome' in row || 'reversible' in row)
  );
}

/** A row without the fields that `items --json`, `report` or `preview` added. */
export function withoutOurs<Row>(row: Row): Row | Record<string, unknown> {
  if (!isOurs(row)) return row;
  return Object.fromEntries(Object.entries(row).filter(([name]) => !OUR_COLUMNS.includes(name)));
}

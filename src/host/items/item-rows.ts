import { itemOutcomeSchema } from '../../contract/operation';
import { itemPreviewSchema, PREVIEW_COLUMNS } from '../../contract/preview';
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

const PREVIEW_FIELDS = Object.keys(itemPreviewSchema.shape);
/** The fields that `items --json`, `report` and `preview` add to an item. */
const OUR_FIELDS: readonly string[] = [...REPORT_COLUMNS, ...PREVIEW_COLUMNS, ...PREVIEW_FIELDS].filter(
  (name) => name !== 'id' && name !== 'display_name',
);
export const isOurField = (name: string): boolean => OUR_FIELDS.includes(name);

const isOutcome = (value: unknown): boolean => itemOutcomeSchema.safeParse(value).success;
const isReversible = (value: unknown): boolean =>
  value !== undefined && itemPreviewSchema.shape.reversible.safeParse(value).success;

/** A JSON object without the fields that `items --json`, `report` or `preview` added, if it is one of their rows. */
export function withoutOurs(row: unknown): unknown {
  if (typeof row !== 'object' || row === null) return row;
  const { batch, outcome } = { batch: undefined, outcome: undefined, ...row };
  const isOurs = Number.isInteger(batch) && (isOutcome(outcome) || isPreviewed(row));
  return isOurs ? Object.fromEntries(Object.entries(row).filter(([name]) => !isOurField(name))) : row;
}

function isPreviewed(row: object): boolean {
  const effect = Object.entries(row).filter(([name]) => PREVIEW_FIELDS.includes(name));
  return effect.length > 0 && itemPreviewSchema.safeParse(Object.fromEntries(effect)).success;
}

type Cells = Readonly<Record<string, string>>;

/**
 * Whether a table is a report or a preview, of which people may have removed columns and to which they may have added
 * rows. The names of the columns alone do not show that: other tables have a batch and an outcome, too.
 */
export function isOurTable(rows: readonly Cells[]): boolean {
  const own = rows.filter((cells) => !isAdded(cells));
  return own.length > 0 && own.every(isOurRow);
}

const isAdded = ({ batch, outcome = '', reversible = '' }: Cells): boolean =>
  batch === '' && outcome === '' && reversible === '';

/** In most rows of a preview `reversible` is empty: the item has the value of the change as a whole. */
function isOurRow({ batch, outcome, reversible }: Cells): boolean {
  if (batch === undefined || !/^\d*$/.test(batch)) return false;
  return isReversible(reversible) || (batch !== '' && (isOutcome(outcome) || reversible === ''));
}

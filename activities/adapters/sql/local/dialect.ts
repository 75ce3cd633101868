import { createHash } from 'node:crypto';
import type { BatchCall } from '../../../../src/contract/adapter';
import type { Db } from '../../../../src/postgres/databases';
import type { Piece } from '../../../../src/postgres/databases/conditions';
import type { Column, Table } from '../catalogue';
import type { Engine } from '../engine';
import type { ColumnValue } from '../expressions';
import type { TableName } from '../parameters';
import type { Reference } from '../references';

/** A value as this process handles it. */
export type Stored = null | bigint | number | string | Uint8Array;
/** A row of a table by its columns. */
export type Raw = Readonly<Record<string, Stored>>;

/** Why a column does not take a text. */
export class Unfit extends Error {}

/** What tells a row of a table from its others, as text. */
export interface Identity {
  readonly of: (row: string) => Piece;
  readonly isIn: (row: string, ids: readonly string[]) => Piece;
}

/**
 * What differs between databases whose values are read, compared and hashed in this process, because no expression of
 * theirs does that exactly.
 */
export interface Dialect extends Pick<
  Engine,
  'transact' | 'findTable' | 'loadTable' | 'chooseMarks' | 'ensureMarks' | 'fence'
> {
  readonly mark: (
    db: Db,
    marks: TableName,
    action: string,
    itemId: string,
    call: BatchCall,
  ) => Promise<'marked' | 'done' | 'fenced'>;
  /** The foreign keys through which a change of a table reaches others; `nameOf` names their tables. */
  readonly references: (db: Db, table: TableName) => Promise<readonly Reference[]>;
  readonly nameOf: (table: TableName) => string;
  readonly identityOf: (db: Db, table: TableName) => Promise<Identity>;
  /** The value that a column stores for a text. @throws Unfit */
  readonly stored: (column: Column, text: string | null) => Stored;
  /** A value within a statement, to be compared with a column or stored in it. */
  readonly bound: (column: Column, value: Stored) => Piece;
  /** A column in the list of a select, and the value that the driver gives for it. */
  readonly selected: (column: Column, ref: Piece) => Piece;
  readonly received: (column: Column, value: unknown) => Stored;
  readonly printed: (value: Stored) => string | null;
  /** Whether the column stores a value again from its text. */
  readonly isRestorable: (column: Column, value: Stored) => boolean;
  /** @throws BatchgateError `INVALID_INPUT` for a column that takes no pattern. */
  readonly matches: (column: Column, left: Piece, op: 'like' | 'ilike', pattern: string) => Piece;
  /** Whether a column has another value, null being one. */
  readonly differs: (left: Piece, value: Piece) => Piece;
  /** Whether only the database can tell if a column takes a value, and why it does not take one of such values. */
  readonly isDoubtful: (value: ColumnValue) => boolean;
  readonly refused: (db: Db, values: readonly ColumnValue[]) => Promise<string | undefined>;
  /** The key of a new row so that equal keys are equal texts; undefined where the texts of keys are. */
  readonly sameKey: (db: Db, table: Table, key: readonly string[]) => Promise<string | undefined>;
  /** Ends a select of rows that the transaction then changes. */
  readonly lock: Piece;
}

/** A value with its kind. */
export const typed = ({ printed }: Pick<Dialect, 'printed'>, value: Stored): string =>
  `${value instanceof Uint8Array ? 'bytes' : typeof value} ${printed(value) ?? ''}`;

/** A digest of values with their kinds. */
export const digestOfValues = (dialect: Dialect, values: readonly Stored[]): string =>
  createHash('sha256')
    .update(JSON.stringify(values.map((value) => (value === null ? null : typed(dialect, value)))))
    .digest('hex');

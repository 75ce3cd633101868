import { createHash } from 'node:crypto';
import type { BatchCall } from '../../../../src/contract/adapter';
import type { Db } from '../../../../src/postgres/databases';
import type { Piece } from '../../../../src/postgres/databases/conditions';
import type { Column, Table } from '../catalogue';
import type { Engine } from '../engine';
import type { ColumnValue } from '../expressions';
import type { TableName } from '../parameters';
import type { Reference } from '../references';

/** A value in the form that this process handles. */
export type Stored = null | bigint | number | string | Uint8Array;
/** A row of a table by its columns. */
export type Raw = Readonly<Record<string, Stored>>;

/** The reason that a column does not accept a text. */
export class Unfit extends Error {}

/** Identifies a row of a table by a text. */
export interface Identity {
  readonly of: (row: string) => Piece;
  readonly isIn: (row: string, ids: readonly string[]) => Piece;
}

/**
 * The differences between databases whose values are read, compared and hashed in this process, because no SQL
 * expression of theirs does that exactly.
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
  /** Reads the foreign keys through which a change of a table reaches others; `nameOf` names their tables. */
  readonly references: (db: Db, table: TableName) => Promise<readonly Reference[]>;
  readonly nameOf: (table: TableName) => string;
  readonly identityOf: (db: Db, table: TableName) => Promise<Identity>;
  /** Returns the value that a column stores for a text. @throws Unfit */
  readonly stored: (column: Column, text: string | null) => Stored;
  /** Returns a value in a statement, to compare with a column or to store in it. */
  readonly bound: (column: Column, value: Stored) => Piece;
  /** Builds a column in a select list. `received` converts the value that the driver returns for it. */
  readonly selected: (column: Column, ref: Piece) => Piece;
  readonly received: (column: Column, value: unknown) => Stored;
  readonly printed: (value: Stored) => string | null;
  /** Returns true if the column stores the same value if its text is written back. */
  readonly isRestorable: (column: Column, value: Stored) => boolean;
  /** @throws BatchgateError `INVALID_INPUT` for a column that cannot be matched with a pattern. */
  readonly matches: (column: Column, left: Piece, op: 'like' | 'ilike', pattern: string) => Piece;
  /** A condition that is true if a column has another value. Null counts as a value. */
  readonly differs: (left: Piece, value: Piece) => Piece;
  /**
   * Returns true if only the database can check that a column accepts a value. `refused` returns why one is not
   * accepted.
   */
  readonly isDoubtful: (value: ColumnValue) => boolean;
  readonly refused: (db: Db, values: readonly ColumnValue[]) => Promise<string | undefined>;
  /**
   * Returns the key of a new row, such that equal keys are equal texts. Undefined if the texts of the key already are.
   */
  readonly sameKey: (db: Db, table: Table, key: readonly string[]) => Promise<string | undefined>;
  /** The end of a select whose rows the transaction then changes. */
  readonly lock: Piece;
}

/** Returns the text of a value, with its kind. */
export const typed = ({ printed }: Pick<Dialect, 'printed'>, value: Stored): string =>
  `${value instanceof Uint8Array ? 'bytes' : typeof value} ${printed(value) ?? ''}`;

/** Returns a digest of values with their kinds. */
export const digestOfValues = (dialect: Dialect, values: readonly Stored[]): string =>
  createHash('sha256')
    .update(JSON.stringify(values.map((value) => (value === null ? null : typed(dialect, value)))))
    .digest('hex');

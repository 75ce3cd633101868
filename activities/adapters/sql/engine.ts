import type { BatchCall, CallLimits, Reconciliation } from '../../../src/contract/adapter';
import type { Database, Db } from '../../../src/postgres/databases';
import type { WrittenItem } from '../kit/types';
import type { Table } from './catalogue';
import type { ColumnValue } from './expressions';
import type { RowScope } from './file-rows';
import type { Condition, SqlChange, TableName } from './parameters';
import type { RowItem, RowState, Scope } from './rows';

/** Runs work in a transaction of its own that reads. */
type Reading = <T>(work: (db: Db) => Promise<T>) => Promise<T>;

/** One row, and what it is to become; null: it is deleted. */
export interface Wanted extends RowScope {
  readonly database: Database;
  readonly item: WrittenItem<RowState>;
  readonly target: RowState | null;
  readonly call: BatchCall;
}

/** All that differs between the kinds of databases: transactions, the catalogue, values, rows and commit markers. */
export interface Engine {
  /**
   * Runs work in one transaction within the limits of a call.
   * @throws ProviderFailure `no_answer` when the outcome of COMMIT is unknown; any other kind: nothing changed.
   */
  readonly transact: <T>(
    database: Database,
    limits: CallLimits,
    mode: 'read only' | 'read write',
    work: (db: Db) => Promise<T>,
  ) => Promise<T>;
  /** @throws BatchgateError `INVALID_INPUT` with the nearest tables. */
  readonly findTable: (db: Db, name: string) => Promise<Table>;
  /** A table that was found before; without a key if it no longer exists. */
  readonly loadTable: (db: Db, name: TableName) => Promise<Table>;
  /** The texts of the values of a change as the database prints them. @throws as `findTable`, if one does not fit. */
  readonly tried: (
    db: Db,
    table: Table,
    change: SqlChange,
    values: readonly ColumnValue[],
  ) => Promise<(string | null)[]>;
  /** Why columns do not take the values of a row; undefined if they do. */
  readonly whyUnread: (
    reading: Reading,
    table: Table,
    values: readonly ColumnValue[],
  ) => Promise<string | undefined>;
  readonly countRows: (db: Db, scope: Scope, where: readonly Condition[]) => Promise<number>;
  readonly foundRows: (
    db: Db,
    scope: Scope,
    limits: { wanted: number; deadline: number },
  ) => Promise<RowItem[]>;
  readonly rowOf: (db: Db, scope: Scope, id: string) => Promise<RowItem | undefined>;
  /** A row that is not there yet, as its columns would store it. */
  readonly newRow: (db: Db, scope: Scope, values: readonly ColumnValue[]) => Promise<RowItem>;
  /** Rows with the effects of their change on others. `named`: the keys of the whole plan, if its rows were named. */
  readonly withOutlook: (
    db: Db,
    scope: Scope,
    items: readonly RowItem[],
    more: { named?: readonly string[][]; deadline: number },
  ) => Promise<RowItem[]>;
  /** Changes one row with its commit marker, or leaves it as it was. */
  readonly writeRow: (wanted: Wanted) => Promise<RowState | null>;
  /** Where markers are or can be; null if nowhere. */
  readonly chooseMarks: (db: Db, table: TableName) => Promise<TableName | null>;
  readonly ensureMarks: (database: Database, marks: TableName, call: BatchCall) => Promise<void>;
  /** Whether the change of an item was committed; no earlier call can commit it afterwards. */
  readonly fence: (db: Db, marks: TableName, itemId: string, call: BatchCall) => Promise<Reconciliation>;
  /** Waits for a running change of an item. */
  readonly lockItem: (db: Db, itemId: string, call: BatchCall) => Promise<void>;
}

import type { BatchCall, CallLimits, Reconciliation } from '../../../src/contract/adapter';
import type { Database, Db } from '../../../src/postgres/databases';
import type { WrittenItem } from '../kit/types';
import type { Table } from './catalogue';
import type { ColumnValue } from './expressions';
import type { RowScope } from './file-rows';
import type { Condition, SqlChange, TableName } from './parameters';
import type { RowItem, RowState, Scope } from './rows';

/** Runs work in its own read-only transaction. */
type Reading = <T>(work: (db: Db) => Promise<T>) => Promise<T>;

/** The write of one row. `target`: its state afterwards, or null to delete it. */
export interface Wanted extends RowScope {
  readonly database: Database;
  readonly item: WrittenItem<RowState>;
  readonly target: RowState | null;
  readonly call: BatchCall;
}

/** The parts that depend on the kind of database: transactions, the catalogue, values, rows and commit markers. */
export interface Engine {
  /**
   * Runs work in one transaction within the limits of a call.
   * @throws ProviderFailure `no_answer` if the outcome of COMMIT is unknown. Any other kind means that nothing changed.
   */
  readonly transact: <T>(
    database: Database,
    limits: CallLimits,
    mode: 'read only' | 'read write',
    work: (db: Db) => Promise<T>,
  ) => Promise<T>;
  /** @throws BatchgateError `INVALID_INPUT` with the nearest tables. */
  readonly findTable: (db: Db, name: string) => Promise<Table>;
  /** Loads a table that was looked up before. It has no key if it no longer exists. */
  readonly loadTable: (db: Db, name: TableName) => Promise<Table>;
  /**
   * Returns the values of a change as the database prints them.
   * @throws as `findTable` does, if a value does not fit.
   */
  readonly tried: (
    db: Db,
    table: Table,
    change: SqlChange,
    values: readonly ColumnValue[],
  ) => Promise<(string | null)[]>;
  /** Returns the values of a row that depend on the moment, such as `now`, as the database prints them now, by column. */
  readonly absoluteTexts: (
    db: Db,
    values: readonly ColumnValue[],
  ) => Promise<Readonly<Record<string, string | null>>>;
  /** Returns the reason that columns do not accept the values of a row, or undefined if they do. */
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
  /** Returns a row that does not exist yet, as its columns would store it. */
  readonly newRow: (db: Db, scope: Scope, values: readonly ColumnValue[]) => Promise<RowItem>;
  /** Adds the effects of a change on other rows. `named`: the keys of the whole plan, if its rows were named. */
  readonly withOutlook: (
    db: Db,
    scope: Scope,
    items: readonly RowItem[],
    more: { named?: readonly string[][]; deadline: number },
  ) => Promise<RowItem[]>;
  /** Changes one row together with its commit marker, or leaves it unchanged. */
  readonly writeRow: (task: Wanted) => Promise<RowState | null>;
  /** Returns the table of markers, which may have to be created; null if there can be none. */
  readonly chooseMarks: (db: Db, table: TableName) => Promise<TableName | null>;
  readonly ensureMarks: (database: Database, marks: TableName, call: BatchCall) => Promise<void>;
  /** Determines if the change of an item was committed. No earlier call can commit it afterwards. */
  readonly fence: (db: Db, marks: TableName, itemId: string, call: BatchCall) => Promise<Reconciliation>;
  /** Waits for a running change of an item. */
  readonly lockItem: (db: Db, itemId: string, call: BatchCall) => Promise<void>;
}

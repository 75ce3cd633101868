import type { BulkAdapter, CallLimits } from '../../../src/contract/adapter';
import { isPrivate } from '../../../src/core/shared/plain-secrets';
import type { Databases } from '../../../src/postgres/databases';
import { defineAdapter } from '../kit/define';
import type { ActionDefinition, Tool } from '../kit/types';
import { callError } from '../shared/results';
import { HINTS } from './failure';
import { besideNew, besideRow, outlookOfUndo, scopeOf } from './outlook';
import {
  bringsRows,
  changeOf,
  DELETE,
  INSERT,
  preparedChange,
  preparedQuery,
  shownTable,
  UPDATE,
  UPSERT,
  type PreparedChange,
  type SqlQuery,
} from './parameters';
import { prepareIn, shortName } from './prepare';
import { rowState, type RowItem, type RowState } from './rows';
import { engineOf, rowsOf } from './tool';
import { settingsOf, showRow, summaryOf } from './words';

interface SqlOptions {
  readonly databases: Databases;
  /** The number of rows that are changed concurrently, each in its own transaction. */
  readonly concurrency: number;
}

interface SqlTool extends Tool<RowState, SqlQuery> {
  readonly limits: CallLimits;
}

/** Larger than any operation, so that one statement reads a consistent snapshot of all rows. */
const PAGE_SIZE = 50_000;

/**
 * Creates a bulk adapter for database tables: update, delete, insert and upsert, row by row.
 *
 * An item's id is its primary key: the value as text, or a JSON array of texts for a key of several columns. Each row
 * changes in its own transaction, together with its commit marker (marks.ts), and only if it has not changed since the
 * plan.
 */
export function createSqlAdapter({ databases, concurrency }: SqlOptions): BulkAdapter {
  return defineAdapter<RowState, SqlQuery, PreparedChange, SqlTool>({
    name: 'sql',
    provider: 'The database',
    noun: { one: 'row', many: 'rows' },
    hints: HINTS,
    state: rowState,
    adjusts: ['follows'],
    actions: { update: UPDATE_ROWS, delete: DELETE_ROWS, insert: INSERT_ROWS, upsert: UPSERT_ROWS },
    keepsGiven: ['insert', 'upsert'],
    prepared: { query: preparedQuery, change: preparedChange },
    async resolve(request, { limits }) {
      const database = await databases.ofAnyKind(String(request.change['database']));
      const engine = engineOf(database);
      try {
        return await engine.transact(database, limits, 'read only', (db) => prepareIn(engine, db, request));
      } catch (error) {
        throw callError(error, 'The request does not fit the database', HINTS);
      }
    },
    connect: (limits, prepared) => ({
      limits,
      ...(prepared ? rowsOf(databases, changeOf(prepared), limits) : NO_ROWS),
    }),
    show: (state, _name, prepared) => showRow(state, prepared),
    gone: { row: null },
    beside(state, target, { action, undo }) {
      const [before, after] = besideRow((undo ? target : state)?.follows, undo);
      const [newBefore, newAfter] = bringsRows(action) ? besideNew(state, target) : [{}, {}];
      return [
        { ...before, ...newBefore },
        { ...after, ...newAfter },
      ];
    },
    outlook(item, target, { undo }) {
      const { table, change, outlook = {} } = (item as RowItem).facts;
      if (!undo) return outlook;
      return outlookOfUndo(table, change, target && (target.row ?? {}), item.state !== null);
    },
    async resolvedParams({ change: { database: name, table } }, { limits }) {
      const database = await databases.ofAnyKind(name);
      const engine = engineOf(database);
      return {
        table: await engine.transact(database, limits, 'read only', (db) => shortName(engine, db, table)),
      };
    },
    evaluatedParams: ({ action_params: { set } }) => (set === undefined ? {} : { set }),
    place: async ({ action_params }) =>
      (await databases.ofAnyKind(String(action_params['database']))).address,
    concurrency,
    pageSize: PAGE_SIZE,
  });
}

type Action = ActionDefinition<RowState, SqlQuery, PreparedChange>;

const common = {
  summary: summaryOf,
  values: settingsOf,
  scope: (states, { table }) =>
    scopeOf(
      states.length,
      states.flatMap(({ follows }) => follows ?? []),
      shownTable(table),
    ),
} satisfies Partial<Action>;

const UPDATE_ROWS: Action = {
  ...{ ...UPDATE, ...common },
  // The stored form of the values, which only the database can compute.
  to: (state, _change, item) => ({ ...state, ...(item as RowItem).facts.to }),
  reversible: ({ change: { set = {} } }) => ({ reversible: Object.keys(set).some(isPrivate) ? 'no' : 'yes' }),
};
const DELETE_ROWS: Action = { ...DELETE, ...common, to: () => null };

/** Rows of a file. An existing row keeps its other columns, and a new row gets the defaults of the database. */
const fileRows = {
  ...common,
  creates: true,
  completes: true,
  to: (state, _change, item) => ({ ...state, ...(item as RowItem).facts.to }),
} satisfies Partial<Action>;
const INSERT_ROWS: Action = {
  ...{ ...INSERT, ...fileRows },
  foresee: (state: RowState | null) => (state === null ? undefined : 'A row with this key is there already'),
};
const UPSERT_ROWS: Action = { ...UPSERT, ...fileRows };

const NO_ROWS: Tool<RowState> = { read: () => Promise.resolve(undefined) };

import type { BatchCall, BulkAdapter, CallLimits } from '../../../src/contract/adapter';
import type { Databases, Db } from '../../../src/postgres/databases';
import { defineAdapter } from '../kit/define';
import type { ActionDefinition, Tool, ToolItem } from '../kit/types';
import { once } from '../shared/once';
import { callError } from '../shared/results';
import { HINTS } from './failure';
import { completeFileRows, readFileRow, scopeOfRow, type FileRow } from './file-rows';
import { ensureMarks, fence, lockItem } from './marks';
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
  type SqlChange,
  type SqlQuery,
} from './parameters';
import { prepareIn, tableOf } from './prepare';
import {
  countRows,
  foundRows,
  isPrivate,
  rowOf,
  rowState,
  withOutlook,
  type RowItem,
  type RowState,
  type Scope,
} from './rows';
import { inTransaction } from './transaction';
import { settingsOf, showRow, summaryOf } from './words';
import { writeRow } from './write';

interface SqlOptions {
  readonly databases: Databases;
  /** Rows that are changed concurrently, each in its own transaction. */
  readonly concurrency: number;
}

interface SqlTool extends Tool<RowState, SqlQuery> {
  readonly limits: CallLimits;
}

/** More rows than an operation can have: one statement reads them all, so the plan is one moment of the table. */
const PAGE_SIZE = 50_000;

/**
 * PostgreSQL tables as a bulk adapter: update, delete, insert and upsert, row by row.
 *
 * An item's id is its primary key: the value as text, or a JSON array of texts for a key of several columns. Each row
 * changes in its own transaction, together with its commit marker (marks.ts), and only if it is still as planned.
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
    async resolve(asked, { limits }) {
      const database = await databases.get(String(asked.change['database']));
      try {
        return await inTransaction(database, limits, 'read only', (db) => prepareIn(db, asked));
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
      const [one, other] = bringsRows(action) ? besideNew(state, target) : [{}, {}];
      return [
        { ...before, ...one },
        { ...after, ...other },
      ];
    },
    outlook(item, target, { undo }) {
      const { table, change, outlook = {} } = (item as RowItem).facts;
      if (!undo) return outlook;
      return outlookOfUndo(table, change, target && (target.row ?? {}), item.state !== null);
    },
    evaluatedParams: ({ action_params: { set } }) => (set === undefined ? {} : { set }),
    place: async ({ action_params }) => (await databases.get(String(action_params['database']))).address,
    concurrency,
    pageSize: PAGE_SIZE,
  });
}

type Action = ActionDefinition<RowState, SqlQuery, PreparedChange>;

const both = {
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
  ...{ ...UPDATE, ...both },
  // The values as the columns store them, which only the database knows.
  to: (state, _change, item) => ({ ...state, ...(item as RowItem).facts.to }),
  reversible: ({ change: { set = {} } }) => ({ reversible: Object.keys(set).some(isPrivate) ? 'no' : 'yes' }),
};
const DELETE_ROWS: Action = { ...DELETE, ...both, to: () => null };

/** Rows of a file. What is there keeps its other columns, and what is new gets the defaults of the database. */
const fileRows = {
  ...both,
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

/** The rows of one call. */
function rowsOf(
  databases: Databases,
  change: SqlChange,
  limits: CallLimits | BatchCall,
): Tool<RowState, SqlQuery> {
  const call = limits as BatchCall;
  const { deadline } = limits;
  const { marks, undo } = change;
  const database = () => databases.get(change.database);
  const reading = async <T>(work: (db: Db) => Promise<T>): Promise<T> =>
    inTransaction(await database(), limits, 'read only', work);
  const table = once(() => reading((db) => tableOf(db, change)));
  const ready = once(async () => {
    const known = await table();
    if (marks !== null) await ensureMarks(await database(), marks, call);
    return known;
  });
  const inTable = async <T>(work: (db: Db, scope: Scope) => Promise<T>): Promise<T> => {
    const scope = { table: await table(), change };
    return reading((db) => work(db, scope));
  };
  const isFile = bringsRows(change.action);
  return {
    ...(!isFile && {
      count: ({ where }: SqlQuery) => inTable((db, scope) => countRows(db, scope, where)),
      list: (_query: SqlQuery, wanted: number) =>
        inTable((db, scope) => foundRows(db, scope, { wanted, deadline })),
    }),
    async read(asked, named) {
      const scope = scopeOfRow(await table(), change, asked, named);
      const { name } = named;
      const row =
        isFile && !undo
          ? await readFileRow(reading, scope, asked)
          : await reading((db) => rowOf(db, scope, asked));
      // A row that is not there; an undo may insert it.
      if (row === undefined) return { id: asked, name, state: null, facts: { ...scope } };
      return name === asked ? row : { ...row, name };
    },
    ...(!undo && {
      complete(items: readonly ToolItem<RowState>[]) {
        if (isFile) return completeFileRows(reading, items as readonly FileRow[], deadline);
        const rows = items as readonly RowItem[];
        const named = rows.map(({ facts }) => facts.key);
        return inTable((db, scope) => withOutlook(db, scope, rows, { named, deadline }));
      },
    }),
    async write(item, target) {
      const scope = scopeOfRow(await ready(), change, item.id, item);
      return writeRow({ ...scope, database: await database(), item, target, call });
    },
    async outcome(id) {
      if (marks === null) return void (await reading((db) => lockItem(db, id, call)));
      await ensureMarks(await database(), marks, call);
      return inTransaction(await database(), call, 'read write', (db) => fence(db, marks, id, call));
    },
    ...(change.ordered && { concurrency: 1 }),
  };
}

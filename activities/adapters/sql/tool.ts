import type { BatchCall, CallLimits } from '../../../src/contract/adapter';
import type { Database, Databases, Db } from '../../../src/postgres/databases';
import type { Named, Tool, ToolItem } from '../kit/types';
import { once } from '../shared/once';
import type { Table } from './catalogue';
import type { Engine } from './engine';
import {
  completeFileRows,
  readFileRow,
  scopeOfRow,
  valuesOfRow,
  type FileRow,
  type RowScope,
} from './file-rows';
import { mysql } from './mysql';
import { bringsRows, type SqlChange, type SqlQuery } from './parameters';
import { postgres } from './postgres';
import { tableOf } from './prepare';
import type { RowItem, RowState, Scope } from './rows';
import { sqlite } from './sqlite';

const ENGINES: Readonly<Record<Database['kind'], Engine>> = { postgres, sqlite, mysql };
export const engineOf = ({ kind }: Database): Engine => ENGINES[kind];

/** The database and the table of one call. The table is looked up once. */
interface Place {
  readonly known: () => Promise<{ database: Database; engine: Engine }>;
  /** Runs work in a read-only transaction. */
  readonly reading: <T>(work: (db: Db, engine: Engine) => Promise<T>) => Promise<T>;
  readonly table: () => Promise<Table>;
  /** Returns the table, after the table of commit markers was created if necessary. */
  readonly ready: () => Promise<Table>;
}

function placeOf(databases: Databases, change: SqlChange, limits: CallLimits | BatchCall): Place {
  const { marks } = change;
  const lookUp = once(async () => {
    const database = await databases.ofAnyKind(change.database);
    return { database, engine: engineOf(database) };
  });
  const reading = async <T>(work: (db: Db, engine: Engine) => Promise<T>): Promise<T> => {
    const { database, engine } = await lookUp();
    return engine.transact(database, limits, 'read only', (db) => work(db, engine));
  };
  const table = once(() => reading((db, engine) => tableOf(engine, db, change)));
  const ready = once(async () => {
    const { database, engine } = await lookUp();
    if (marks !== null) await engine.ensureMarks(database, marks, limits as BatchCall);
    return table();
  });
  return { known: lookUp, reading, table, ready };
}

/** Returns the rows of one call. */
export function rowsOf(
  databases: Databases,
  change: SqlChange,
  limits: CallLimits | BatchCall,
): Tool<RowState, SqlQuery> {
  const place = placeOf(databases, change, limits);
  const isFile = bringsRows(change.action);
  return {
    ...(!isFile && searching(place, change, limits.deadline)),
    async read(itemId, named) {
      const table = await place.table();
      const scopeWith = (given: Named['given']) => scopeOfRow(table, change, itemId, { ...named, given });
      const { name, given } = named;
      const scope = scopeWith(given);
      const row =
        isFile && !change.undo
          ? await fileRow(place, itemId, given, scopeWith)
          : await place.reading((db, { rowOf }) => rowOf(db, scope, itemId));
      // The row does not exist. An undo can insert it.
      if (row === undefined) return { id: itemId, name, state: null, facts: { ...scope } };
      return name === itemId ? row : { ...row, name };
    },
    ...(!change.undo && { complete: (items) => complete(place, change, items, limits.deadline) }),
    ...writing(place, change, limits as BatchCall),
    ...(change.ordered && { concurrency: 1 }),
  };
}

function searching({ reading, table }: Place, change: SqlChange, deadline: number) {
  const inTable = async <T>(work: (db: Db, scope: Scope, engine: Engine) => Promise<T>): Promise<T> => {
    const scope = { table: await table(), change };
    return reading((db, engine) => work(db, scope, engine));
  };
  return {
    count: ({ where }: SqlQuery) => inTable((db, scope, { countRows }) => countRows(db, scope, where)),
    list: (_query: SqlQuery, limit: number) =>
      inTable((db, scope, { foundRows }) => foundRows(db, scope, { wanted: limit, deadline })),
  };
}

/**
 * Plans a row of a file. The plan keeps the moment that a value such as `now` means, for the run and for every retry.
 * `scopeWith`: returns the change of the row with these columns.
 */
async function fileRow(
  { known, reading }: Place,
  itemId: string,
  given: Named['given'],
  scopeWith: (given: Named['given']) => RowScope,
): Promise<FileRow> {
  const { whyUnread, absoluteTexts, rowOf, newRow } = (await known()).engine;
  const asGiven = scopeWith(given);
  return readFileRow(asGiven, itemId, {
    whyUnread: (table, values) => whyUnread(reading, table, values),
    rowNow: () =>
      reading(async (db) => {
        const values = valuesOfRow(asGiven).filter(({ column }) => Object.hasOwn(given, column.name));
        const absolute = { ...given, ...(await absoluteTexts(db, values)) };
        const scope = scopeWith(absolute);
        const row = (await rowOf(db, scope, scope.id)) ?? (await newRow(db, scope, valuesOfRow(scope)));
        return { ...row, given: absolute };
      }),
  });
}

async function complete(
  { reading, table }: Place,
  change: SqlChange,
  items: readonly ToolItem<RowState>[],
  deadline: number,
): Promise<RowItem[]> {
  const rows = items as readonly RowItem[];
  const scope = { table: await table(), change };
  return reading(async (db, { withOutlook }) => {
    if (bringsRows(change.action))
      return completeFileRows(items as readonly FileRow[], (row) =>
        withOutlook(db, row.facts, [row], { deadline }),
      );
    const keys = rows.map(({ facts }) => facts.key);
    return withOutlook(db, scope, rows, { named: keys, deadline });
  });
}

function writing(
  { known, reading, ready }: Place,
  change: SqlChange,
  call: BatchCall,
): Pick<Tool<RowState, SqlQuery>, 'write' | 'outcome'> {
  const { marks } = change;
  return {
    async write(item, target) {
      const scope = scopeOfRow(await ready(), change, item.id, item);
      const { database, engine } = await known();
      return engine.writeRow({ ...scope, database, item, target, call });
    },
    async outcome(id) {
      if (marks === null) return void (await reading((db, { lockItem }) => lockItem(db, id, call)));
      const { database, engine } = await known();
      await engine.ensureMarks(database, marks, call);
      return engine.transact(database, call, 'read write', (db) => engine.fence(db, marks, id, call));
    },
  };
}

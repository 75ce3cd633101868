import { sql } from 'kysely';
import type { Engine } from '../engine';
import { tableRef, valuesOf } from '../expressions';
import { reachThrough } from '../references';
import { withEffects } from '../rows';
import { mistake } from '../../shared/failure';
import { shownTable } from '../parameters';
import { Unfit, type Dialect } from './dialect';
import { dependentsIn, keysAre } from './related';
import { changedRow, itemsWhere, keyIs, newRow, whereOf } from './rows';
import { writeRow } from './write';

/** The share of the time of a call that may be spent on counting dependent rows. */
const SHARE_OF_TIME = 1 / 3;

/** Returns an engine that reads, compares and hashes the values of a database in this process. */
export function localEngine(dialect: Dialect): Engine {
  const { transact, findTable, loadTable, chooseMarks, ensureMarks, fence } = dialect;
  const engine: Engine = {
    ...{ transact, findTable, loadTable, chooseMarks, ensureMarks, fence },
    async tried(db, table, change) {
      whereOf(dialect, table, change.where);
      changedRow(dialect, table, change, {});
      const values = valuesOf(table, change);
      const why = await dialect.refused(db, values.filter(dialect.isDoubtful));
      if (why === undefined) return values.map(({ text }) => text);
      throw mistake(
        `A value does not fit ${shownTable(table)}: ${why}.`,
        'Write a value that fits its column.',
      );
    },
    // `now` is refused.
    absoluteTexts: () => Promise.resolve({}),
    async whyUnread(reading, _table, values) {
      try {
        for (const { column, text } of values) dialect.stored(column, text);
      } catch (error) {
        if (error instanceof Unfit) return error.message;
        throw error;
      }
      const doubtful = values.filter(dialect.isDoubtful);
      return doubtful.length === 0 ? undefined : reading((db) => dialect.refused(db, doubtful));
    },
    async countRows(db, { table }, where) {
      const { rows } = await sql<{ count: bigint | string }>`
        select count(*) as count from ${tableRef(table)} where ${whereOf(dialect, table, where)}`.execute(db);
      return Number(rows[0]?.count);
    },
    async foundRows(db, scope, { wanted: limit, deadline }) {
      const where = whereOf(dialect, scope.table, scope.change.where);
      return engine.withOutlook(db, scope, await itemsWhere(dialect, db, scope, where, limit), { deadline });
    },
    async rowOf(db, scope, id) {
      const [row] = await itemsWhere(dialect, db, scope, keyIs(dialect, scope.table, id));
      return row;
    },
    newRow: (db, scope, values) => newRow(dialect, db, scope, values),
    async withOutlook(db, { table, change }, items, { named, deadline }) {
      const root = { oid: dialect.nameOf(table), partitioned: false };
      const reach = reachThrough(await dialect.references(db, table), change, root);
      const planned =
        named === undefined && change.where.length > 0
          ? [whereOf(dialect, table, change.where)]
          : keysAre(dialect, table, named ?? []);
      const until = Date.now() + (deadline - Date.now()) * SHARE_OF_TIME;
      const keys = items.map(({ facts }) => facts.key);
      const counts = await dependentsIn(dialect, db, { table, change, reach, planned, keys, until });
      return items.map((item, at) => withEffects(item, reach, counts && (counts[at] ?? [])));
    },
    writeRow: (task) => writeRow(dialect, task),
    // Not needed: there is always a table of markers, which decide the outcome.
    lockItem: () => Promise.resolve(),
  };
  return engine;
}

import { sql } from 'kysely';
import type { Engine } from '../engine';
import { reachThrough } from '../references';
import { withEffects } from '../rows';
import { allReferences, findSqliteTable, loadSqliteTable } from './catalogue';
import { ensureMarks, fence, MARKS } from './marks';
import { dependentsIn } from './related';
import { foundItems, keyIs, keyIsIn, newRow, rowOf, tableRef, triedTexts, whereOf, whyUnread } from './rows';
import { inSqlite } from './transaction';
import { lockItem, writeRow } from './write';

export const sqlite: Engine = {
  transact: inSqlite,
  findTable: findSqliteTable,
  loadTable: (db, { name }) => loadSqliteTable(db, name),
  tried: (_db, table, change) => Promise.resolve(triedTexts(table, change)),
  whyUnread: (_reading, _table, values) => Promise.resolve(whyUnread(values)),
  async countRows(db, { table }, where) {
    const { rows } = await sql<{ count: bigint }>`
      select count(*) as count from ${tableRef(table)} where ${whereOf(table, where)}`.execute(db);
    return Number(rows[0]?.count);
  },
  async foundRows(db, scope, { wanted, deadline }) {
    return sqlite.withOutlook(db, scope, await foundItems(db, scope, wanted), { deadline });
  },
  rowOf,
  newRow: (_db, scope, values) => Promise.resolve(newRow(scope, values)),
  async withOutlook(db, { table, change }, items, { named }) {
    const own = { oid: table.name, partitioned: false };
    const reach = reachThrough(await allReferences(db), change, own);
    const roots = items.map(({ id }) => keyIs(table, id));
    const isPlanned =
      named === undefined && change.where.length > 0
        ? whereOf(table, change.where)
        : keyIsIn(table, named ?? []);
    const counts = await dependentsIn(db, { table, change, reach, isPlanned }, roots);
    return items.map((item, at) => withEffects(item, reach, counts[at] ?? []));
  },
  writeRow,
  chooseMarks: () => Promise.resolve(MARKS),
  ensureMarks,
  fence,
  lockItem,
};

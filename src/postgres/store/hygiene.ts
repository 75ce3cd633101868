import { sql, type Transaction } from 'kysely';
import type { Drop, HygieneStore, SessionActivity } from '../../contract/hygiene';
import { INSTALLATION } from '../../contract/audit';
import { operationsDeleted } from '../../core/access/audit-records';
import { appendAudit } from './audit';
import { type Db, type Schema } from './schema';

/** Creates the part of the store that hygiene uses. */
export function createHygieneStore(db: Db): HygieneStore {
  return {
    async sessions(limit) {
      const rows = await activities(db)
        .select(sql<string>`count(*) over ()`.as('total'))
        .orderBy('last_activity_at')
        .limit(limit)
        .execute();
      return { sessions: rows.map(wired), total: Number(rows[0]?.total ?? 0) };
    },
    async staleOperations(before, except, limit) {
      const rows = await stale(db, before)
        .$if(except.length > 0, (query) => query.where('k.operation_id', 'not in', except))
        .orderBy('k.operation_id')
        .limit(limit)
        .execute();
      return rows.map(({ operation_id }) => operation_id);
    },
    drop: (what) =>
      db.transaction().execute(async (trx) => ({
        ...(await dropScratchpads(trx, what)),
        operations: await dropOperations(trx, what),
      })),
  };
}

/** Selects the sessions with a scratchpad, and the time of their last read, write or operation. */
function activities(db: Db) {
  return db
    .selectFrom('scratchpad as s')
    .groupBy('s.session_id')
    .select('s.session_id')
    .select(
      sql<Date>`greatest(max(s.updated_at), max(s.used_at), (
        select max(greatest(o.updated_at, (
          select max(i.updated_at) from batchgate.items i where i.operation_id = o.operation_id
        )))
        from batchgate.operations o where o.session_id = s.session_id
      ))`.as('last_activity_at'),
    );
}

/**
 * Deletes the scratchpads of idle sessions. The deletion contains the condition, and concurrent writes wait for it: a
 * session keeps all of its entries, or starts with none.
 */
async function dropScratchpads(trx: Transaction<Schema>, { sessions, idle_since }: Drop) {
  if (sessions.length === 0) return { expired: [], kept: [], scratchpad: 0 };
  await sql`lock table batchgate.scratchpad in share row exclusive mode`.execute(trx);
  const candidates = activities(trx).where('s.session_id', 'in', sessions);
  const rows = await trx
    .deleteFrom('scratchpad')
    .where('session_id', 'in', (eb) =>
      eb
        .selectFrom(candidates.as('a'))
        .select('a.session_id')
        .where(sql<boolean>`a.last_activity_at < ${idle_since}::timestamptz`),
    )
    .returning('session_id')
    .execute();
  const expired = [...new Set(rows.map(({ session_id }) => session_id))];
  const kept = (await candidates.execute()).map(wired);
  return { expired, kept, scratchpad: rows.length };
}

/** Selects the operations without writes since `before`. */
function stale(db: Db, before: string) {
  const since = sql<Date>`${before}::timestamptz`;
  return db
    .selectFrom('operations as k')
    .select('k.operation_id')
    .where('k.updated_at', '<', since)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('items as i')
            .select('i.index')
            .whereRef('i.operation_id', '=', 'k.operation_id')
            .where('i.updated_at', '>=', since),
        ),
      ),
    );
}

/** Deletes stale operations. A concurrent reuse of an id waits for the lock, and then reads no earlier rows. */
async function dropOperations(
  trx: Transaction<Schema>,
  { operations, written_before }: Drop,
): Promise<number> {
  if (operations.length === 0) return 0;
  await trx
    .selectFrom('operations')
    .select('operation_id')
    .where('operation_id', 'in', operations)
    .forUpdate()
    .execute();
  const rows = await stale(trx, written_before).where('k.operation_id', 'in', operations).execute();
  const ids = rows.map(({ operation_id }) => operation_id);
  if (ids.length === 0) return 0;
  for (const table of ['items', 'batches', 'questions', 'plan_editions', 'operations'] as const) {
    await trx.deleteFrom(table).where('operation_id', 'in', ids).execute();
  }
  await appendAudit(trx, INSTALLATION, operationsDeleted(ids));
  return ids.length;
}

function wired({
  session_id,
  last_activity_at,
}: {
  session_id: string;
  last_activity_at: Date;
}): SessionActivity {
  return { session_id, last_activity_at: last_activity_at.toISOString() };
}

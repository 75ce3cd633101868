import { sql, type Transaction } from 'kysely';
import {
  MAX_ENTRIES,
  MAX_SESSION_BYTES,
  type Scratchpad,
  type ScratchpadEntry,
} from '../../contract/scratchpad';
import { entryBytes, noRoom } from '../../core/shared/scratchpad';
import { jsonb, type Db, now, type Schema, excluded } from './schema';

/** Creates the scratchpads of all sessions on the store's table. */
export function createScratchpad(db: Db): Scratchpad {
  return {
    save: (sessionId, key, value) =>
      db.transaction().execute((trx) => writeEntry(trx, sessionId, key, value)),
    async read(sessionId, keys) {
      if (keys.length === 0) return new Map();
      await use(db, sessionId);
      const rows = await db
        .selectFrom('scratchpad')
        .select(['key', 'value'])
        .where('session_id', '=', sessionId)
        .where('key', 'in', keys)
        .execute();
      return new Map(rows.map(({ key, value }) => [key, value]));
    },
    async list(sessionId) {
      await use(db, sessionId);
      const rows = await db
        .selectFrom('scratchpad')
        .select(['key', 'bytes', 'created_at', 'updated_at'])
        .where('session_id', '=', sessionId)
        .orderBy('key')
        .execute();
      return rows.map(wired);
    },
    async delete(sessionId, key) {
      const { numDeletedRows } = await db
        .deleteFrom('scratchpad')
        .where('session_id', '=', sessionId)
        .where('key', '=', key)
        .executeTakeFirstOrThrow();
      await use(db, sessionId);
      return numDeletedRows > 0n;
    },
  };
}

/** Records the last use of a session, on which hygiene depends. */
async function use(db: Db, sessionId: string): Promise<void> {
  await db.updateTable('scratchpad').set({ used_at: now }).where('session_id', '=', sessionId).execute();
}

async function writeEntry(
  trx: Transaction<Schema>,
  session_id: string,
  key: string,
  value: unknown,
): Promise<ScratchpadEntry> {
  const bytes = entryBytes(JSON.stringify(value));
  // Two concurrent writes must not both use the remaining space.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`scratchpad ${session_id}`}, 0))`.execute(trx);
  const others = await trx
    .selectFrom('scratchpad')
    .select([sql<string>`count(*)`.as('entries'), sql<string>`coalesce(sum(bytes), 0)`.as('bytes')])
    .where('session_id', '=', session_id)
    .where('key', '!=', key)
    .executeTakeFirstOrThrow();
  if (Number(others.entries) >= MAX_ENTRIES) throw noRoom(`The session has ${MAX_ENTRIES} entries`);
  if (Number(others.bytes) + bytes > MAX_SESSION_BYTES)
    throw noRoom(`With it the session would have more than ${MAX_SESSION_BYTES} bytes`);
  const row = await trx
    .insertInto('scratchpad')
    .values({ session_id, key, value: jsonb(value), bytes })
    .onConflict((conflict) =>
      conflict.columns(['session_id', 'key']).doUpdateSet({ ...excluded('value', 'bytes'), updated_at: now }),
    )
    .returning(['key', 'bytes', 'created_at', 'updated_at'])
    .executeTakeFirstOrThrow();
  return wired(row);
}

type Row = { key: string; bytes: number; created_at: Date; updated_at: Date };

function wired({ created_at, updated_at, ...row }: Row): ScratchpadEntry {
  return { ...row, created_at: created_at.toISOString(), updated_at: updated_at.toISOString() };
}

import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { AccessStore, ApiKey, NewKey, Role, Standing, VouchedApprover } from '../../contract/access';
import { INSTALLATION } from '../../contract/audit';
import { keyRegistered, keyRevoked, linkMade, signedIn } from '../../core/access/audit-records';
import { appendAudit } from './audit';
import { createPasskeyStore } from './passkeys';
import { jsonb, now, present, type Db } from './schema';

const KEY_COLUMNS = [
  'key_id',
  'name',
  'role',
  'session_prefix',
  'created_at',
  'expires_at',
  'revoked_at',
] as const;
const aDayAgo = sql<Date>`now() - interval '1 day'`;

/** Creates the keys, sessions and remembered requests of the HTTP API on the store's tables. */
export function createAccessStore(db: Db): AccessStore {
  return {
    ...keysOver(db),
    ...sessionsOver(db),
    standingsOf: (people) => standingsOf(db, people),
    ...linksOver(db),
    ...attemptsOver(db),
    ...requestsOver(db),
    findOperations: (text) => findOperations(db, text),
    signingKey: () => signingKey(db),
    passkeys: createPasskeyStore(db),
  };
}

type KeyRow = Pick<ApiKey, 'key_id' | 'name' | 'role'> & {
  session_prefix: string | null;
  created_at: Date;
  expires_at: Date | null;
  revoked_at: Date | null;
};

function wired(row: KeyRow): ApiKey {
  const { created_at, expires_at, revoked_at, ...rest } = row;
  return {
    ...present(rest),
    created_at: created_at.toISOString(),
    ...(expires_at && { expires_at: expires_at.toISOString() }),
    ...(revoked_at && { revoked_at: revoked_at.toISOString() }),
  };
}

function keysOver(
  db: Db,
): Pick<AccessStore, 'createKey' | 'listKeys' | 'revokeKey' | 'findKey' | 'findKeyById'> {
  return {
    createKey: (key: NewKey) =>
      db.transaction().execute(async (trx) => {
        const row = await trx
          .insertInto('api_keys')
          .values({ ...key, key_id: `key-${randomUUID()}` })
          // The activity that creates a key may be retried.
          .onConflict((conflict) => conflict.column('hash').doUpdateSet({ name: key.name }))
          .returning(KEY_COLUMNS)
          .executeTakeFirstOrThrow();
        await appendAudit(trx, INSTALLATION, keyRegistered(wired(row)));
        return wired(row);
      }),
    listKeys: async () =>
      (await db.selectFrom('api_keys').select(KEY_COLUMNS).orderBy('created_at').execute()).map(wired),
    revokeKey: (keyId) =>
      db.transaction().execute(async (trx) => {
        const row = await trx
          .updateTable('api_keys')
          .set({ revoked_at: sql`coalesce(revoked_at, now())` })
          .where('key_id', '=', keyId)
          .returning(KEY_COLUMNS)
          .executeTakeFirst();
        if (row) await appendAudit(trx, INSTALLATION, keyRevoked(wired(row)));
        return row && wired(row);
      }),
    findKey: (hash) => validKey(db, 'hash', hash),
    findKeyById: (keyId) => validKey(db, 'key_id', keyId),
  };
}

const validKeys = (db: Db) =>
  db
    .selectFrom('api_keys')
    .select(KEY_COLUMNS)
    .where('revoked_at', 'is', null)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)]));

async function validKey(db: Db, column: 'hash' | 'key_id', value: string): Promise<ApiKey | undefined> {
  const row = await validKeys(db).where(column, '=', value).executeTakeFirst();
  return row && wired(row);
}

function sessionsOver(db: Db): Pick<AccessStore, 'openSession' | 'findSession' | 'closeSession'> {
  return {
    async openSession(hash, session) {
      await db.deleteFrom('signed_in').where('expires_at', '<=', now).execute();
      await db.transaction().execute(async (trx) => {
        await trx
          .insertInto('signed_in')
          .values({ hash, ...session, groups: session.groups && jsonb(session.groups) })
          .execute();
        await appendAudit(trx, INSTALLATION, signedIn(session));
      });
    },
    async findSession(hash) {
      const row = await db
        .selectFrom('signed_in')
        .select(['name', 'role', 'subject', 'groups', 'expires_at'])
        .where('hash', '=', hash)
        .where('expires_at', '>', now)
        .executeTakeFirst();
      return row && { ...present(row), expires_at: row.expires_at.toISOString() };
    },
    async closeSession(hash) {
      await db.deleteFrom('signed_in').where('hash', '=', hash).execute();
    },
  };
}

async function standingsOf(db: Db, people: readonly VouchedApprover[]): Promise<Standing[]> {
  const entries = people.map(({ subject, key }, at) => ({ at, subject, key }));
  const { rows } = await sql<{ key: string | null; role: Role | null; groups: string[] | null }>`
    select p.key, coalesce(k.role, s.role) as role, s.groups
    from jsonb_to_recordset(${jsonb(entries)}) as p(at int, subject text, key text)
    left join (${validKeys(db)}) as k on k.key_id = p.key
    left join lateral (
      select role, groups from batchgate.signed_in as o
      -- A subject names its issuer first (src/api/approver.ts).
      where p.key is null and o.expires_at > now() and (
        o.subject is null and o.name = p.subject
        or right(p.subject, length(o.subject) + 1) = '|' || o.subject
      )
      -- The latest sign-in: each lasts as long.
      order by o.expires_at desc limit 1
    ) as s on true
    order by p.at`.execute(db);
  return rows.map(({ key, role, groups }) => {
    if (role === null) return key === null ? 'unknown' : 'gone';
    return { role, groups: groups ?? [] };
  });
}

function linksOver(db: Db): Pick<AccessStore, 'keepLink' | 'findLink' | 'takeLink'> {
  return {
    async keepLink(link) {
      await db.deleteFrom('sign_in_links').where('expires_at', '<=', now).execute();
      await db.transaction().execute(async (trx) => {
        await trx
          .insertInto('sign_in_links')
          .values(link)
          // The activity that keeps a link may be retried.
          .onConflict((conflict) => conflict.column('hash').doNothing())
          .execute();
        await appendAudit(trx, INSTALLATION, linkMade(link));
      });
    },
    findLink: (hash) =>
      db
        .selectFrom('sign_in_links')
        .select(['name', 'role'])
        .where('hash', '=', hash)
        .where('expires_at', '>', now)
        .executeTakeFirst(),
    takeLink: (hash) =>
      db
        .deleteFrom('sign_in_links')
        .where('hash', '=', hash)
        .where('expires_at', '>', now)
        .returning(['name', 'role'])
        .executeTakeFirst(),
  };
}

function attemptsOver(db: Db): Pick<AccessStore, 'keepAttempt' | 'takeAttempt'> {
  return {
    async keepAttempt(hash, attempt) {
      await db.deleteFrom('sign_in_attempts').where('expires_at', '<=', now).execute();
      await db
        .insertInto('sign_in_attempts')
        .values({ hash, ...attempt })
        .execute();
    },
    async takeAttempt(hash) {
      const row = await db
        .deleteFrom('sign_in_attempts')
        .where('hash', '=', hash)
        .where('expires_at', '>', now)
        .returning(['state', 'nonce', 'code_verifier', 'return_to', 'expires_at'])
        .executeTakeFirst();
      return row && { ...row, expires_at: row.expires_at.toISOString() };
    },
  };
}

function requestsOver(db: Db): Pick<AccessStore, 'rememberRequest' | 'rememberAnswer' | 'recallAnswer'> {
  return {
    async rememberRequest(caller, key, request) {
      await db.deleteFrom('remembered_requests').where('created_at', '<', aDayAgo).execute();
      await db
        .insertInto('remembered_requests')
        .values({ caller, key, ...request })
        .onConflict((conflict) => conflict.columns(['caller', 'key']).doNothing())
        .execute();
      const row = await db
        .selectFrom('remembered_requests')
        .select(['digest', 'reference', 'answer'])
        .where('caller', '=', caller)
        .where('key', '=', key)
        .executeTakeFirstOrThrow();
      return present(row);
    },
    async rememberAnswer(caller, key, answer) {
      await db
        .updateTable('remembered_requests')
        .set({ answer: jsonb(answer) })
        .where('caller', '=', caller)
        .where('key', '=', key)
        // Keep the first answer.
        .where('answer', 'is', null)
        .execute();
    },
    async recallAnswer(caller, key) {
      const row = await db
        .selectFrom('remembered_requests')
        .select('answer')
        .where('caller', '=', caller)
        .where('key', '=', key)
        .executeTakeFirst();
      return row?.answer ?? undefined;
    },
  };
}

async function signingKey(db: Db) {
  const query = () => db.selectFrom('signing_key').select(['private_key', 'public_key']).executeTakeFirst();
  const existing = await query();
  if (existing) return existing;
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const key = {
    one: true,
    private_key: privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64'),
    // The last 32 bytes of the encoding are the key itself.
    public_key: publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('hex'),
  };
  await db.transaction().execute(async (trx) => {
    const row = await trx
      .insertInto('signing_key')
      .values(key)
      .onConflict((conflict) => conflict.column('one').doNothing())
      .returning('public_key')
      .executeTakeFirst();
    if (row) await appendAudit(trx, INSTALLATION, { kind: 'signing_key_made', facts: row });
  });
  return (await query()) ?? key;
}

const MAX_FOUND = 1_000;

async function findOperations(db: Db, text: string): Promise<string[]> {
  // Only these three characters are special in a pattern.
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  const rows = await db
    .selectFrom('operations as o')
    .select('o.operation_id')
    .where((where) =>
      where.or([
        where('o.requested_by', 'ilike', pattern),
        where.exists(
          where
            .selectFrom('items as i')
            .select('i.index')
            .whereRef('i.operation_id', '=', 'o.operation_id')
            .where('i.display_name', 'ilike', pattern),
        ),
      ]),
    )
    .orderBy('o.created_at', 'desc')
    .limit(MAX_FOUND)
    .execute();
  return rows.map(({ operation_id }) => operation_id);
}

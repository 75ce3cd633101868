import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import {
  INSTALLATION,
  signedText,
  type AuditKey,
  type AuditKeys,
  type AuditRecord,
  type AuditStore,
  type Checkpoint,
} from '../../contract/audit';
import { BatchgateError } from '../../contract/errors';
import { digestOf } from '../../core/shared/canonical';
import { merkleRoot } from '../../core/shared/merkle';
import { exportPage } from './audit-export';
import { jsonb, type Db } from './schema';

/** The maximum number of chains that one checkpoint covers. */
const CHAINS = 500;
/** The maximum number of chains whose personal data one run deletes. */
const FORGOTTEN = 500;

/** Creates the audit record on the store's tables. */
export function createAuditStore(db: Db, storeId: string): AuditStore {
  return {
    append: (chain, record) => appendAudit(db, chain, record),
    configured: (configuration) => db.transaction().execute((trx) => configured(trx, configuration)),
    async checkpoint(keys) {
      const checkpoints: Checkpoint[] = [];
      for (;;) {
        const next = await db.transaction().execute((trx) => coverSome(trx, keys));
        if (!next) return checkpoints;
        checkpoints.push(next);
      }
    },
    export: (request, keys) => exportPage(db, request, { storeId, key: keys.current }),
    forget: (rule) => forget(db, rule),
    forgetAdministration: (before) => forgetAdministration(db, before),
  };
}

/** Appends rows to a chain. Call it in the transaction that writes the facts. */
export async function appendAudit(db: Db, chain: string, ...records: AuditRecord[]): Promise<void> {
  await sql`select batchgate.append_audit(${chain}, r.kind, r.facts, r.fact)
    from jsonb_to_recordset(${jsonb(records)}) as r(kind text, facts jsonb, fact text)`.execute(db);
}

/** Covers chains by a checkpoint. Returns undefined if no chain has new rows. */
async function coverSome(db: Db, keys: AuditKeys): Promise<Checkpoint | undefined> {
  await holdInstallation(db);
  await introduce(db, keys);
  // A chain with a concurrent append is covered by the next checkpoint.
  const heads = await db
    .selectFrom('audit_heads')
    .select(['chain', 'covered', 'seq', 'hash'])
    .where('chain', '!=', INSTALLATION)
    .whereRef('seq', '>', 'covered')
    .orderBy('chain')
    .limit(CHAINS)
    .forUpdate()
    .skipLocked()
    .execute();
  if (heads.length === 0 && (await lastOf(db, INSTALLATION))?.kind === 'checkpoint') return undefined;
  const leaves = heads.map(({ chain, covered, seq, hash }) =>
    JSON.stringify([chain, covered + 1, seq, hash]),
  );
  const facts = { root: merkleRoot(leaves), chains: leaves.length };
  await appendAudit(db, INSTALLATION, { kind: 'checkpoint', facts });
  const { seq, hash, at, public_key, signature } = await sign(db, keys.current);
  if (heads.length > 0) {
    const rows = heads.map(({ chain }, index) => ({
      ...{ checkpoint: seq, place: index + 1, chain },
      leaf: leaves[index] ?? '',
    }));
    await db.insertInto('audit_leaves').values(rows).execute();
    await db
      .updateTable('audit_heads')
      .set((eb) => ({ covered: eb.ref('seq') }))
      .where(
        'chain',
        'in',
        heads.map(({ chain }) => chain),
      )
      .execute();
  }
  return { seq, hash, at: at.toISOString(), public_key, signature };
}

/** Locks the installation's chain against other appends until this transaction ends. */
async function holdInstallation(db: Db): Promise<void> {
  await sql`insert into batchgate.audit_heads (chain) values (${INSTALLATION}) on conflict do nothing`.execute(
    db,
  );
  await db.selectFrom('audit_heads').select('chain').where('chain', '=', INSTALLATION).forUpdate().execute();
}

async function configured(db: Db, configuration: unknown): Promise<void> {
  await holdInstallation(db);
  const fact = `configured ${digestOf(configuration)} `;
  const last = await db
    .selectFrom('audit')
    .select('fact')
    .where('chain', '=', INSTALLATION)
    .where('kind', '=', 'configured')
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (last?.fact?.startsWith(fact)) return;
  const facts = { private: { configuration } };
  await appendAudit(db, INSTALLATION, { kind: 'configured', facts, fact: fact + randomUUID() });
}

/** Appends a row for the first key, or for its replacement. The previous key signs the replacement. */
async function introduce(db: Db, { current, previous }: AuditKeys): Promise<void> {
  const key = await keyInForce(db);
  if (key === current.public_key) return;
  const signer = key === undefined ? current : previous;
  if (key !== undefined && key !== previous?.public_key) throw otherKey(current, key);
  if (!signer) return;
  const facts = { public_key: current.public_key, ...(key !== undefined && { replaces: key }) };
  await appendAudit(db, INSTALLATION, { kind: 'audit_key', facts });
  await sign(db, signer);
}

async function keyInForce(db: Db): Promise<string | undefined> {
  const row = await db
    .selectFrom('audit')
    .select(sql<string>`body::json -> 'data' ->> 'public_key'`.as('public_key'))
    .where('chain', '=', INSTALLATION)
    .where('kind', '=', 'audit_key')
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.public_key;
}

/** Signs the last row of the installation's chain. */
async function sign(db: Db, key: AuditKey) {
  const row = await lastOf(db, INSTALLATION);
  if (!row) throw new Error('the chain of the installation has no row to sign');
  const signature = { public_key: key.public_key, signature: key.sign(signedText(row.hash)) };
  const update = db.updateTable('audit').set(signature).where('chain', '=', INSTALLATION);
  await update.where('seq', '=', row.seq).execute();
  return { ...row, ...signature };
}

const lastOf = (db: Db, chain: string) =>
  db
    .selectFrom('audit')
    .select(['seq', 'hash', 'at', 'kind'])
    .where('chain', '=', chain)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();

/** Deletes personal data of operations, except those that wait or may wait for a person. */
async function forget(
  db: Db,
  { domain, except, before }: Parameters<AuditStore['forget']>[0],
): Promise<number> {
  const chains = await db
    .selectFrom('audit_heads as h')
    .select(['h.chain', 'h.seq'])
    .where('h.chain', '!=', INSTALLATION)
    .where('h.forgotten', '=', false)
    .where('h.written_at', '<', sql<Date>`${before}::timestamptz`)
    .$if(domain !== undefined, (query) => query.where('h.domain', '=', domain ?? ''))
    .$if(except.length > 0, (query) =>
      query.where((eb) => eb.or([eb('h.domain', 'is', null), eb('h.domain', 'not in', except)])),
    )
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('operations as o')
            .select('o.operation_id')
            .whereRef('o.operation_id', '=', 'h.chain')
            .where('o.status', 'is', null),
        ),
      ),
    )
    .orderBy('h.written_at')
    .limit(FORGOTTEN)
    .execute();
  for (const { chain, seq } of chains) await sql`select batchgate.forget_audit(${chain}, ${seq})`.execute(db);
  return chains.length;
}

/** Deletes by whole days, because each deletion adds a row. */
async function forgetAdministration(db: Db, before: string): Promise<boolean> {
  const day = `${before.slice(0, 10)}T00:00:00Z`;
  const last = await db
    .selectFrom('audit')
    .select('seq')
    .where('chain', '=', INSTALLATION)
    .where('opened', 'is not', null)
    .where('at', '<', sql<Date>`${day}::timestamptz`)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (last) await sql`select batchgate.forget_audit(${INSTALLATION}, ${last.seq})`.execute(db);
  return last !== undefined;
}

const otherKey = ({ public_key }: AuditKey, inForce: string) =>
  new BatchgateError(
    'NOT_CONFIGURED',
    `The audit record of this store is signed by the key ${inForce}, and this worker has ${public_key}.`,
    'Give every worker the same key: "audit.key" in batchgate.config.json, or `audit.key` of startWorker. To replace a ' +
      'key, name the old one beside it, as "audit.previous_key" or `audit.previousKey`. If the old one is lost, ' +
      '`npx batchgate audit export --covered` exports what it signed.',
  );

import { sql } from 'kysely';
import { INSTALLATION } from '../../contract/audit';
import {
  FRESH_SECONDS,
  type DecisionSignature,
  type Passkey,
  type PasskeyStore,
} from '../../contract/passkeys';
import { decisionSigned, passkeyRegistered, passkeyRevoked } from '../../core/access/audit-records';
import { appendAudit } from './audit';
import { jsonb, now, present, type Db } from './schema';

const inSeconds = (seconds: number) => sql<string>`now() + ${seconds} * interval '1 second'`;
/** A condition: the counter of the authenticator increases. An authenticator without a counter always sends 0. */
const countsOn = (counter: number) =>
  sql<boolean>`(counter < ${counter}::bigint or (counter = 0 and ${counter}::bigint = 0))`;
const LISTED = [
  'passkey_id',
  'subject',
  'by',
  'label',
  'created_at',
  'last_used_at',
  'revoked_at',
  'transports',
] as const;

/** Creates the store of passkeys and signed decisions. All times are the database's. */
export function createPasskeyStore(db: Db): PasskeyStore {
  return {
    ...challengesOver(db),
    ...invitationsOver(db),
    ...passkeysOver(db),
    ...signaturesOver(db),
    isFresh: async (session) =>
      (await db
        .selectFrom('signed_in')
        .select('hash')
        .where('hash', '=', session)
        // An identity provider may sign a person in again without interaction.
        .where(
          sql<Date>`case when subject is null then created_at else authenticated_at end`,
          '>',
          sql<Date>`now() - ${FRESH_SECONDS} * interval '1 second'`,
        )
        .executeTakeFirst()) !== undefined,
  };
}

function challengesOver(db: Db): Pick<PasskeyStore, 'keepChallenge' | 'takeChallenge'> {
  return {
    async keepChallenge({ decision, ...challenge }, validSeconds) {
      await db.deleteFrom('passkey_challenges').where('expires_at', '<=', now).execute();
      await db
        .insertInto('passkey_challenges')
        .values({
          ...challenge,
          ...(decision && { decision: jsonb(decision) }),
          expires_at: inSeconds(validSeconds),
        })
        .execute();
    },
    async takeChallenge(challenge, session) {
      const row = await db
        .deleteFrom('passkey_challenges')
        .where('challenge', '=', challenge)
        .where('session', '=', session)
        .where('expires_at', '>', now)
        .returning(['challenge', 'session', 'decision', 'policy'])
        .executeTakeFirst();
      return row && present(row);
    },
  };
}

function invitationsOver(db: Db): Pick<PasskeyStore, 'keepInvitation' | 'findInvitation' | 'takeInvitation'> {
  return {
    async keepInvitation(invitation, validSeconds) {
      await db.deleteFrom('passkey_invitations').where('expires_at', '<=', now).execute();
      await db
        .insertInto('passkey_invitations')
        .values({ ...invitation, expires_at: inSeconds(validSeconds) })
        .execute();
    },
    async findInvitation(hash) {
      const row = await db
        .selectFrom('passkey_invitations')
        .select(['hash', 'name', 'invited_by', 'expires_at'])
        .where('hash', '=', hash)
        .where('expires_at', '>', now)
        .executeTakeFirst();
      return row && { ...row, expires_at: row.expires_at.toISOString() };
    },
    takeInvitation: (hash) =>
      db
        .deleteFrom('passkey_invitations')
        .where('hash', '=', hash)
        .where('expires_at', '>', now)
        .returning(['hash', 'name', 'invited_by'])
        .executeTakeFirst(),
  };
}

type Times = { created_at: Date; last_used_at: Date | null; revoked_at: Date | null };

function wired<T extends Times>({ created_at, last_used_at, revoked_at, ...rest }: T) {
  return {
    ...rest,
    created_at: created_at.toISOString(),
    ...(last_used_at && { last_used_at: last_used_at.toISOString() }),
    ...(revoked_at && { revoked_at: revoked_at.toISOString() }),
  };
}

function passkeysOver(
  db: Db,
): Pick<PasskeyStore, 'addPasskey' | 'listPasskeys' | 'findPasskey' | 'renamePasskey' | 'revokePasskey'> {
  const changed = async (change: Promise<{ numUpdatedRows: bigint }>) => (await change).numUpdatedRows > 0n;
  return {
    addPasskey: ({ transports, ...passkey }) =>
      db.transaction().execute(async (trx) => {
        const { numInsertedOrUpdatedRows = 0n } = await trx
          .insertInto('passkeys')
          .values({ ...passkey, transports: jsonb(transports) })
          .onConflict((conflict) => conflict.column('passkey_id').doNothing())
          .executeTakeFirst();
        if (numInsertedOrUpdatedRows > 0n) await appendAudit(trx, INSTALLATION, passkeyRegistered(passkey));
        return numInsertedOrUpdatedRows > 0n;
      }),
    async listPasskeys(subject) {
      const rows = await db
        .selectFrom('passkeys')
        .select(LISTED)
        .$if(subject !== undefined, (query) => query.where('subject', '=', subject ?? ''))
        .orderBy('created_at')
        .execute();
      return rows.map((row): Passkey => wired(row));
    },
    async findPasskey(passkeyId) {
      const row = await db
        .selectFrom('passkeys')
        .selectAll()
        .where('passkey_id', '=', passkeyId)
        .where('revoked_at', 'is', null)
        .executeTakeFirst();
      return row && { ...wired(row), counter: Number(row.counter) };
    },
    renamePasskey: (passkeyId, subject, label) =>
      changed(
        db
          .updateTable('passkeys')
          .set({ label })
          .where('passkey_id', '=', passkeyId)
          .where('subject', '=', subject)
          .executeTakeFirst(),
      ),
    revokePasskey: (passkeyId, subject) =>
      db.transaction().execute(async (trx) => {
        const row = await trx
          .updateTable('passkeys')
          .set({ revoked_at: sql`coalesce(revoked_at, now())` })
          .where('passkey_id', '=', passkeyId)
          .$if(subject !== undefined, (query) => query.where('subject', '=', subject ?? ''))
          .returning(['passkey_id', 'public_key', 'subject', 'by', 'label'])
          .executeTakeFirst();
        if (row) await appendAudit(trx, INSTALLATION, passkeyRevoked(row));
        return row !== undefined;
      }),
  };
}

type SignatureRow = Omit<DecisionSignature, 'policy' | 'signed_at'> & {
  policy: string | null;
  signed_at: Date;
};

const signed = (row: SignatureRow): DecisionSignature => ({
  ...present(row),
  signed_at: row.signed_at.toISOString(),
});

function signaturesOver(db: Db): Pick<PasskeyStore, 'keepSignature' | 'findSignature' | 'signaturesOf'> {
  return {
    keepSignature: (signature, counter) =>
      db.transaction().execute(async (transaction) => {
        const update = await transaction
          .updateTable('passkeys')
          .set({ counter, last_used_at: now })
          .where('passkey_id', '=', signature.passkey_id)
          .where('revoked_at', 'is', null)
          .where(countsOn(counter))
          .executeTakeFirst();
        if (update.numUpdatedRows === 0n) return false;
        await transaction.insertInto('decision_signatures').values(signature).execute();
        await appendAudit(transaction, signature.operation_id, decisionSigned(signature));
        return true;
      }),
    async findSignature(challenge) {
      const row = await db
        .selectFrom('decision_signatures')
        .selectAll()
        .where('challenge', '=', challenge)
        .executeTakeFirst();
      return row && signed(row);
    },
    async signaturesOf(operationId) {
      const rows = await db
        .selectFrom('decision_signatures')
        .selectAll()
        .where('operation_id', '=', operationId)
        .orderBy('signed_at')
        .execute();
      return rows.map(signed);
    },
  };
}

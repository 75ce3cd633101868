import { type ColumnType, type Generated, type Kysely, sql, type RawBuilder } from 'kysely';
import type { QuestionTree } from '../../contract/item-proof';
import type { LedgerItem, OperationTerms, Resolution } from '../../contract/ledger-record';
import type { Role } from '../../contract/access';
import type { Change } from '../../contract/change';
import type { LedgerEdit } from '../../contract/edits';
import type { PreparedBulkContext } from '../../contract/items';
import type { ItemPreview } from '../../contract/preview';
import type { Answer } from '../../contract/record';
import { storableJson } from '../../contract/text';
import type { BulkStatus, Confirmation } from '../../contract/operation';
import type { DecisionSignature, SignedDecision } from '../../contract/passkeys';
import type { ProfileField } from '../../contract/profile';
import type { AuditTables } from './audit-tables';

/** All our tables are in one schema, so that the database can be shared. */
export const SCHEMA_NAME = 'batchgate';

type Time = ColumnType<Date, Date | string, Date | string>;

interface StoreTable {
  id: string;
}

interface OperationsTable {
  operation_id: string;
  /** Absent if the store never received the plan. */
  run_id: string | null;
  domain: string;
  action: string;
  session_id: string | null;
  requested_by: string | null;
  batch_size: number;
  terms: ColumnType<OperationTerms | null, string | undefined, string>;
  change_params: ColumnType<Record<string, unknown> | null, string | undefined, string>;
  metadata: ColumnType<Record<string, unknown> | null, string | undefined, never>;
  change: ColumnType<Change | null, string | undefined, string>;
  context: ColumnType<PreparedBulkContext | null, string | undefined, string>;
  /** The operation that this one undoes. */
  undoes: string | null;
  /** Starts at 1, and increases by 1 with each edit of the change. */
  edition: Generated<number>;
  /** The digest of a preview, which is compared with the digest that a start expects. */
  preview_digest: string | null;
  noun: ColumnType<{ one: string; many: string } | null, string | undefined, string>;
  status: ColumnType<BulkStatus | null, string | undefined, string>;
  /** Computed from `status`, for people who read it with SQL. */
  state: ColumnType<string | null, never, never>;
  created_at: ColumnType<Date, string | undefined, never>;
  updated_at: ColumnType<Date, string | undefined, Date>;
}

/** The fence of each batch. `confirmed_*` belong to the claim that holds it. */
interface BatchesTable {
  operation_id: string;
  batch: number;
  epoch: number;
  fenced: boolean;
  confirmed_by: string | null;
  confirmed_via: Confirmation['via'] | null;
  confirmed_assurance: Confirmation['assurance'] | null;
  confirmed_at: Time | null;
}

/** The questions that have ended. Without a decision, a question expired. */
interface QuestionsTable {
  operation_id: string;
  batch: number;
  attempt: number;
  asked_at: Time;
  digest: string | null;
  shown_at: Time | null;
  decision: string | null;
  decided_at: Time | null;
  decided_by: string | null;
  via: string | null;
  door: string | null;
  assurance: string | null;
  note: string | null;
  withdrawn: ColumnType<Answer['withdrawn'] | null, string | null, never>;
  /** The question's content, if its batch was begun. */
  tree: ColumnType<QuestionTree | null, never, never>;
}

interface ItemsTable {
  operation_id: string;
  index: number;
  id: string;
  display_name: string;
  raw_data: ColumnType<Record<string, unknown> | null, string | null | undefined, string | null>;
  /** The preview of the item, as its question shows it. */
  preview: ColumnType<ItemPreview | null, string | null | undefined, string | null>;
  batch: number;
  state: LedgerItem['state'];
  error: string | null;
  retryable: boolean | null;
  /** The edition of the plan that wrote this row. */
  edition: Generated<number>;
  /** The salt of the item's seal. A repeated plan keeps it. */
  salt: Generated<string>;
  /** Data from the tool's answer that an undo needs. */
  kept: ColumnType<Record<string, unknown> | null, never, never>;
  /** The epoch of the last claim or fence that wrote this row; 0 for the plan. */
  epoch: Generated<number>;
  /** Milliseconds since the epoch; the driver reads a bigint as text. */
  deadline: ColumnType<string | number | null, number | null, number | null>;
  confirmed_by: string | null;
  confirmed_via: Confirmation['via'] | null;
  confirmed_assurance: Confirmation['assurance'] | null;
  confirmed_at: Time | null;
  /** A person's resolution of an item in doubt. */
  resolution: ColumnType<Resolution | null, string | null, string>;
  finished_at: Time | null;
  updated_at: ColumnType<Date, Date | undefined, Date>;
}

/** The editions of an edited plan, and new plans that are not in force yet. */
interface PlanEditionsTable {
  operation_id: string;
  edition: number;
  /** Identifies the attempt to plan. */
  token: string;
  adopted: boolean;
  context: ColumnType<PreparedBulkContext, string, never>;
  change: ColumnType<Change, string, never>;
  change_params: ColumnType<Record<string, unknown> | null, string, never>;
  items: ColumnType<unknown, string, string>;
  edit: ColumnType<LedgerEdit | null, string | undefined, string>;
  /** The attempt under which its first question was asked. */
  attempt: number | null;
  created_at: ColumnType<Date, never, never>;
}

/** Values that a session keeps outside its history, by key. */
interface ScratchpadTable {
  session_id: string;
  key: string;
  value: ColumnType<unknown, string, string>;
  /** The size of the value as JSON in UTF-8. */
  bytes: Generated<number>;
  created_at: ColumnType<Date, Date | string | undefined, never>;
  updated_at: ColumnType<Date, Date | string | undefined, Date>;
  /** The time of the session's last read. */
  used_at: ColumnType<Date | null, Date | string | undefined, Date>;
}

type ProfilesTable = Record<
  ProfileField,
  ColumnType<number | null, number | null | undefined, number | null>
> & {
  profile: string;
  created_at: ColumnType<Date, never, never>;
  updated_at: ColumnType<Date, never, Date>;
};

/** Keys of the HTTP API, by the hash of the key. */
interface ApiKeysTable {
  key_id: string;
  hash: string;
  name: string;
  role: Role;
  session_prefix: string | null;
  created_at: ColumnType<Date, never, never>;
  expires_at: ColumnType<Date | null, string | null | undefined, never>;
  revoked_at: ColumnType<Date | null, never, RawBuilder<unknown> | Date>;
}

/** People who signed in to the HTTP API, by the hash of their cookie. */
interface SignedInTable {
  hash: string;
  name: string;
  role: Role;
  subject: string | null;
  groups: ColumnType<string[] | null, RawBuilder<unknown> | undefined, never>;
  authenticated_at: ColumnType<Date | null, string | undefined, never>;
  created_at: ColumnType<Date, never, never>;
  expires_at: ColumnType<Date, string, never>;
}

interface SignInLinksTable {
  hash: string;
  name: string;
  role: Role;
  expires_at: ColumnType<Date, string, never>;
}

/** Requested sign-ins at an identity provider, by the hash of the browser's cookie. */
interface SignInAttemptsTable {
  hash: string;
  state: string;
  nonce: string;
  code_verifier: string;
  return_to: string;
  expires_at: ColumnType<Date, string, never>;
}

/** Requests with an `Idempotency-Key`, and their answers. */
interface RememberedRequestsTable {
  caller: string;
  key: string;
  digest: string;
  reference: string;
  answer: ColumnType<unknown, never, string>;
  created_at: ColumnType<Date, never, never>;
}

interface SigningKeyTable {
  one: boolean;
  private_key: string;
  public_key: string;
}

interface PasskeysTable {
  passkey_id: string;
  subject: string;
  by: string;
  label: string;
  cose_key: string;
  public_key: string;
  /** The driver reads a bigint as text. */
  counter: ColumnType<string | number, number, number>;
  transports: ColumnType<string[], string, never>;
  created_at: ColumnType<Date, never, never>;
  last_used_at: ColumnType<Date | null, never, RawBuilder<unknown> | Date>;
  revoked_at: ColumnType<Date | null, never, RawBuilder<unknown> | Date>;
}

interface PasskeyChallengesTable {
  challenge: string;
  session: string;
  decision: ColumnType<SignedDecision | null, string | undefined, never>;
  policy: string | null;
  expires_at: ColumnType<Date, string, never>;
}

interface PasskeyInvitationsTable {
  hash: string;
  name: string;
  invited_by: string;
  expires_at: ColumnType<Date, string, never>;
}

type DecisionSignaturesTable = Omit<DecisionSignature, 'policy' | 'signed_at'> & {
  policy: string | null;
  signed_at: ColumnType<Date, string, never>;
};

export interface Schema extends AuditTables {
  store: StoreTable;
  operations: OperationsTable;
  batches: BatchesTable;
  questions: QuestionsTable;
  items: ItemsTable;
  plan_editions: PlanEditionsTable;
  scratchpad: ScratchpadTable;
  profiles: ProfilesTable;
  api_keys: ApiKeysTable;
  signed_in: SignedInTable;
  sign_in_links: SignInLinksTable;
  sign_in_attempts: SignInAttemptsTable;
  remembered_requests: RememberedRequestsTable;
  signing_key: SigningKeyTable;
  passkeys: PasskeysTable;
  passkey_challenges: PasskeyChallengesTable;
  passkey_invitations: PasskeyInvitationsTable;
  decision_signatures: DecisionSignaturesTable;
}

/** Our tables without the schema's name, inside or outside of a transaction. */
export type Db = Kysely<Schema>;

/**
 * Returns an assignment for `on conflict … do update`: these columns take the values of the row that was not inserted.
 */
export const excluded = <C extends string>(...columns: C[]): Record<C, RawBuilder<never>> =>
  Object.fromEntries(columns.map((column) => [column, sql.ref(`excluded.${column}`)])) as Record<
    C,
    RawBuilder<never>
  >;

/** The database's clock. */
export const now = sql<Date>`now()`;

type Present<T> = { [K in keyof T as null extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as null extends T[K] ? K : never]?: NonNullable<T[K]>;
};

/** Returns a row in the format of the wire types: null becomes absent. */
export function present<T extends object>(row: T): Present<T> {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as Present<T>;
}

/**
 * Returns a value as a jsonb parameter. PostgreSQL refuses NUL and lone surrogates, as in a name that was cut inside an
 * emoji; they become the replacement character.
 */
export function jsonb(value: unknown): RawBuilder<string> {
  return sql<string>`${storableJson(value)}::jsonb`;
}

/** Returns a value as a json parameter. Unlike jsonb, json keeps the order of the members of an object. */
export function json(value: unknown): RawBuilder<string> {
  return sql<string>`${storableJson(value)}::json`;
}

/** Passkeys, their challenges, and their signatures. */
export const PASSKEY_TABLES: readonly string[] = [
  `alter table batchgate.signed_in add column authenticated_at timestamptz`,
  `create table batchgate.passkeys (
    passkey_id text primary key,
    subject text not null,
    by text not null,
    label text not null,
    cose_key text not null,
    public_key text not null,
    counter bigint not null,
    transports jsonb not null,
    created_at timestamptz not null default now(),
    last_used_at timestamptz,
    revoked_at timestamptz
  )`,
  `create index passkeys_subject on batchgate.passkeys (subject)`,
  `create table batchgate.passkey_challenges (
    challenge text primary key,
    session text not null,
    decision jsonb,
    policy text,
    expires_at timestamptz not null
  )`,
  `create table batchgate.passkey_invitations (
    hash text primary key,
    name text not null,
    invited_by text not null,
    expires_at timestamptz not null
  )`,
  // Signatures of decisions, with all data that verifies them: a plain table for auditors.
  `create table batchgate.decision_signatures (
    signature_id text primary key,
    operation_id text not null,
    decision text not null,
    challenge text not null unique,
    subject text not null,
    by text not null,
    passkey_id text not null,
    public_key text not null,
    rp_id text not null,
    origin text not null,
    authenticator_data text not null,
    client_data_json text not null,
    signature text not null,
    policy text,
    decision_id text not null,
    signed_at timestamptz not null default now()
  )`,
  `create index decision_signatures_operation on batchgate.decision_signatures (operation_id)`,
];

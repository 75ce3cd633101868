/**
 * The audit record, as tables and functions of the database. Each write of a fact appends its row in the same
 * transaction. docs/audit-format.md specifies the format of a row.
 *
 * Each operation has its own chain, so that operations never wait for each other; the installation's chain (named by the
 * empty text) has administrative acts, and checkpoints that cover the other chains.
 */
const TABLES = [
  `create table batchgate.audit (
    chain text not null,
    seq integer not null,
    kind text not null,
    at timestamptz not null,
    hash text not null,
    body text not null,
    opened jsonb,
    fact text,
    public_key text,
    signature text,
    primary key (chain, seq)
  )`,
  'create unique index audit_fact on batchgate.audit (chain, fact) where fact is not null',
  `create table batchgate.audit_heads (
    chain text primary key,
    domain text,
    seq integer not null default 0,
    hash text,
    covered integer not null default 0,
    written_at timestamptz not null default clock_timestamp(),
    forgotten boolean not null default false
  )`,
  'create index audit_uncovered on batchgate.audit_heads (chain) where seq > covered',
  'create index audit_remembered on batchgate.audit_heads (written_at) where not forgotten',
  `create table batchgate.audit_leaves (
    checkpoint integer not null,
    place integer not null,
    chain text not null,
    leaf text not null,
    primary key (checkpoint, place)
  )`,
  'create index audit_leaves_chain on batchgate.audit_leaves (chain, checkpoint)',
];

/** Rows do not change, except that a checkpoint is signed once, and personal data and `fact` may be deleted. */
const APPEND_ONLY = [
  `create function batchgate.keep_audit() returns trigger language plpgsql as $$
  begin
    if tg_op = 'UPDATE'
      and (new.chain, new.seq, new.kind, new.at, new.hash, new.body)
        = (old.chain, old.seq, old.kind, old.at, old.hash, old.body)
      and (new.opened is null or new.opened = old.opened) and (new.fact is null or new.fact = old.fact)
      and (old.signature is null or (new.signature, new.public_key) = (old.signature, old.public_key))
    then return new; end if;
    raise exception 'batchgate.audit is append-only';
  end $$`,
  `create trigger keep_audit before update or delete on batchgate.audit
    for each row execute function batchgate.keep_audit()`,
];

/**
 * Appends a row, and returns its place, or null if the chain already contains the fact. The values of `private`, also
 * those of each entry of `items`, are stored beside the hashed body; the body contains a salted hash of them.
 */
const APPEND = `create function batchgate.append_audit(
  of_chain text, of_kind text, facts jsonb, of_fact text default null
) returns integer language plpgsql as $$
declare
  head batchgate.audit_heads;
  found_items jsonb;
  texts jsonb := '{}';
  own text;
  body text;
  moment timestamptz;
begin
  select * into head from batchgate.audit_heads where chain = of_chain for update;
  if not found then
    insert into batchgate.audit_heads (chain) values (of_chain) on conflict do nothing;
    select * into head from batchgate.audit_heads where chain = of_chain for update;
  end if;
  if of_fact is not null and exists (select from batchgate.audit where chain = of_chain and fact = of_fact) then
    return null;
  end if;

  if jsonb_typeof(facts -> 'items') = 'array' then
    select coalesce(jsonb_agg(
        case when t.own is null then t.item
          else (t.item - 'private') || jsonb_build_object('sealed', batchgate.audit_hash(t.own)) end order by t.place), '[]'),
        coalesce(jsonb_object_agg(batchgate.audit_hash(t.own), t.own) filter (where t.own is not null), '{}')
      into found_items, texts
      from (
        select e.item, e.place, case when e.item ? 'private'
          then json_build_array(gen_random_uuid(), e.item -> 'private')::text end as own
        from jsonb_array_elements(facts -> 'items') with ordinality as e(item, place)
      ) t;
    facts := facts || jsonb_build_object('items', found_items);
  end if;
  if facts ? 'private' then
    own := json_build_array(gen_random_uuid(), facts -> 'private')::text;
    texts := texts || jsonb_build_object(batchgate.audit_hash(own), own);
    facts := (facts - 'private') || jsonb_build_object('sealed', batchgate.audit_hash(own));
  end if;
  moment := clock_timestamp();
  body := json_build_object(
    'v', 1, 'chain', of_chain, 'seq', head.seq + 1, 'prev', head.hash,
    'at', to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'kind', of_kind, 'data', facts)::text;
  insert into batchgate.audit (chain, seq, kind, at, hash, body, opened, fact)
    values (of_chain, head.seq + 1, of_kind, moment, batchgate.audit_hash(body), body, nullif(texts, '{}'), of_fact);
  update batchgate.audit_heads set seq = head.seq + 1, hash = batchgate.audit_hash(body),
    domain = coalesce(facts ->> 'domain', domain), written_at = moment, forgotten = (of_kind = 'personal_data_deleted')
    where chain = of_chain;
  return head.seq + 1;
end $$`;

const HASH = `create function batchgate.audit_hash(of_text text) returns text language sql immutable strict as $$
  select encode(sha256(convert_to(of_text, 'UTF8')), 'hex') $$`;

/** The outcome of an item, as a row's entry. */
const OUTCOME = `create function batchgate.audit_outcome(item batchgate.items) returns jsonb language sql stable as $$
  select jsonb_build_object('index', item.index, 'outcome', item.state, 'private',
    jsonb_build_object('id', item.id, 'display_name', item.display_name)
    || case when item.error is null then '{}' else jsonb_build_object('error', item.error) end
    || case when item.preview ? 'before' then jsonb_build_object('before', item.preview -> 'before') else '{}' end
    || case when item.preview ? 'after' then jsonb_build_object('after', item.preview -> 'after') else '{}' end) $$`;

/** Deletes the personal data of a chain up to a row, and appends a row about the deletion. */
const FORGET = `create function batchgate.forget_audit(of_chain text, up_to integer) returns boolean
language plpgsql as $$
begin
  perform 1 from batchgate.audit_heads where chain = of_chain for update;
  update batchgate.audit set opened = null, fact = null
    where chain = of_chain and seq <= up_to and opened is not null;
  if not found then
    update batchgate.audit_heads set forgotten = true where chain = of_chain;
    return false;
  end if;
  perform batchgate.append_audit(of_chain, 'personal_data_deleted', jsonb_build_object('up_to', up_to));
  return true;
end $$`;

export const AUDIT = [...TABLES, ...APPEND_ONLY, HASH, APPEND, OUTCOME, FORGET];

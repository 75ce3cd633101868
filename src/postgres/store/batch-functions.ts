/**
 * The statements of each batch, as functions of the database. The database plans the statements of a function once per
 * connection, but plans a statement from a client every time. Each function is one statement, and so one commit.
 *
 * The row of a batch is its fence: every write for a batch first locks that row and checks its epoch. So the writes of
 * a claim end before the next claim or fence, or do not happen. `first_place` and `last_place` limit the items that are
 * read: without them the planner, which may have no statistics, reads all items of the operation.
 */

/**
 * Writes intents and skipped items: under a new claim if `confirmed` names the decision, else under the claim that
 * holds the batch. Returns false if the batch is not held. Writes nothing, and raises, when an item is not in the plan
 * or already has an outcome. `records` are rows for the audit record.
 */
const WRITE_INTENTS = `create function batchgate.write_intents(
  of_operation text, of_batch integer, of_epoch integer, confirmed jsonb,
  given jsonb, first_place integer, last_place integer, until bigint, records jsonb
) returns boolean language plpgsql as $$
declare
  held batchgate.batches;
  done integer;
begin
  if confirmed is null then
    select * into held from batchgate.batches
      where operation_id = of_operation and batch = of_batch and epoch = of_epoch for update;
  else
    insert into batchgate.batches as b
      (operation_id, batch, epoch, fenced, confirmed_by, confirmed_via, confirmed_assurance, confirmed_at)
    values (of_operation, of_batch, of_epoch, false, confirmed ->> 'by', confirmed ->> 'via',
      confirmed ->> 'assurance', (confirmed ->> 'at')::timestamptz)
    on conflict (operation_id, batch) do update set
      epoch = excluded.epoch, fenced = false, confirmed_by = excluded.confirmed_by,
      confirmed_via = excluded.confirmed_via, confirmed_assurance = excluded.confirmed_assurance,
      confirmed_at = excluded.confirmed_at
    where b.epoch < excluded.epoch
    returning * into held;
  end if;
  if not found then return false; end if;
  if confirmed -> 'question' is not null then
    insert into batchgate.questions
      (operation_id, batch, decision, decided_at, decided_by, via, assurance,
       attempt, digest, asked_at, shown_at, door, note, tree)
    select of_operation, of_batch, 'continue', held.confirmed_at, held.confirmed_by, held.confirmed_via,
      held.confirmed_assurance, q.*
    from jsonb_to_record(confirmed -> 'question') as q(
      attempt integer, digest text, asked_at timestamptz, shown_at timestamptz, door text, note text, tree jsonb)
    on conflict do nothing;
  end if;

  update batchgate.items as i set
    batch = of_batch, epoch = of_epoch, state = r.state, error = r.error, retryable = null,
    deadline = case r.state when 'intended' then until end,
    finished_at = case r.state when 'skipped' then now() end, updated_at = now(),
    confirmed_by = held.confirmed_by, confirmed_via = held.confirmed_via,
    confirmed_assurance = held.confirmed_assurance, confirmed_at = held.confirmed_at
  from jsonb_to_recordset(given) as r(index integer, state text, error text)
  where i.operation_id = of_operation and i.index between first_place and last_place and i.index = r.index
    and (i.state in ('planned', 'skipped')
      or (i.state = 'intended' and r.state = 'intended' and i.batch = of_batch));
  get diagnostics done = row_count;
  if done < jsonb_array_length(given) then
    perform batchgate.refuse((
      select jsonb_agg(coalesce(i.id, 'number ' || (r.index + 1)))
      from jsonb_to_recordset(given) as r(index integer, state text)
      left join batchgate.items i on i.operation_id = of_operation and i.index = r.index
      where i.id is null or i.state <> r.state or i.batch <> of_batch or i.epoch <> of_epoch));
    -- Another writer has come between the two looks; refuse() raises nothing for an empty list.
    raise exception using errcode = '40001', message = 'the items changed while they were written';
  end if;
  perform batchgate.append_audit(of_operation, r.kind, r.facts, r.fact)
    from jsonb_to_recordset(records) as r(kind text, facts jsonb, fact text);
  return true;
end $$`;

/**
 * Writes results under the claim that holds the batch. Returns the number of written results, or -1 if the claim no
 * longer holds it. Outcomes of earlier epochs and skipped items do not change.
 */
const WRITE_RESULTS = `create or replace function batchgate.write_results(
  of_operation text, of_batch integer, of_epoch integer, given jsonb, first_place integer, last_place integer
) returns integer language plpgsql as $$
declare
  written integer;
  outcomes jsonb;
begin
  perform 1 from batchgate.batches
    where operation_id = of_operation and batch = of_batch and epoch = of_epoch for update;
  if not found then return -1; end if;
  with done as (update batchgate.items as i set
    state = r.state, error = r.error, retryable = r.retryable, kept = r.kept, epoch = of_epoch,
    deadline = case r.state when 'planned' then null else i.deadline end,
    finished_at = case r.state when 'planned' then null else now() end,
    updated_at = now()
  from jsonb_to_recordset(given) as r(index integer, state text, error text, retryable boolean, kept jsonb)
  where i.operation_id = of_operation and i.index between first_place and last_place and i.index = r.index
    and i.batch = of_batch
    -- What a person left out stays so; a result that says it once more is the same.
    and (i.state in ('planned', 'intended', 'in_doubt')
      or (i.epoch = of_epoch and (i.state <> 'skipped' or r.state = 'skipped')))
  returning i as item)
  select count(*), jsonb_agg(batchgate.audit_outcome(item) order by (item).index) into written, outcomes from done;
  if written > 0 then
    perform batchgate.append_audit(of_operation, 'outcomes',
      jsonb_build_object('batch', of_batch, 'epoch', of_epoch, 'items', outcomes),
      batchgate.audit_hash(concat_ws(' ', 'outcomes', of_batch, of_epoch, outcomes)));
  end if;
  return written;
end $$`;

/** Returns the data of the whole plan and its items from one place up to another, in order. Null without a plan. */
const READ_PLANNED = `create or replace function batchgate.read_planned(
  of_operation text, first_place integer, end_place integer
) returns json language plpgsql stable as $$
declare
  answer json;
begin
  select json_build_object('context', o.context, 'change', o.change, 'requested_by', o.requested_by,
      'terms', o.terms, 'items', coalesce((
      select json_agg(json_build_object('index', i.index, 'id', i.id, 'display_name', i.display_name,
        'raw_data', i.raw_data, 'preview', i.preview, 'salt', i.salt, 'error', i.error, 'retryable', i.retryable)
        order by i.index)
      from batchgate.items i
      where i.operation_id = of_operation and i.index >= first_place and i.index < end_place), '[]'))
    into answer
    from batchgate.operations o
    where o.operation_id = of_operation and o.context is not null and o.change is not null;
  return answer;
end $$`;

/** `create or replace` cannot change a function's result type, so the first function is dropped and created. */
export const BATCH_FUNCTIONS = [
  'drop function if exists batchgate.write_intents',
  WRITE_INTENTS,
  WRITE_RESULTS,
  READ_PLANNED,
];

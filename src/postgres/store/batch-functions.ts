/**
 * The statements of each batch, as functions of the database. The database plans their statements once per connection,
 * but plans a statement that is sent every time. Each function is one statement for its caller, and so one commit.
 *
 * The row of a batch is its fence: every write for a batch first locks that row and checks its epoch. So the writes of
 * a claim end before the next claim or fence, or do not happen. `first_place` and `last_place` limit the items that are
 * read: without them the planner, which may have no statistics, reads all items of the operation.
 */

/**
 * Writes intents and skipped items (`given` with a state): under a new claim if `confirmed` names the decision, else
 * under the claim that holds the batch. Adds items that the plan lacks if they are given with their names. Returns the
 * items that are not skipped, as a JSON array in the given order; null if the batch is not held. It refuses, and writes
 * nothing, when an item already has an outcome or differs from the plan.
 */
const WRITE_INTENTS = `create or replace function batchgate.write_intents(
  of_operation text, of_batch integer, of_epoch integer, confirmed jsonb,
  given jsonb, first_place integer, last_place integer, until bigint
) returns json language plpgsql as $$
declare
  held batchgate.batches;
  done integer;
  answer json;
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
  if not found then return null; end if;

  update batchgate.items as i set
    id = r.id, display_name = coalesce(r.display_name, i.display_name), batch = of_batch, epoch = of_epoch,
    state = r.state, error = r.error, retryable = null,
    deadline = case r.state when 'intended' then until end,
    finished_at = case r.state when 'skipped' then now() end, updated_at = now(),
    confirmed_by = held.confirmed_by, confirmed_via = held.confirmed_via,
    confirmed_assurance = held.confirmed_assurance, confirmed_at = held.confirmed_at
  from jsonb_to_recordset(given) as r(index integer, id text, display_name text, state text, error text)
  where i.operation_id = of_operation and i.index between first_place and last_place and i.index = r.index
    and r.state is not null and (r.display_name is not null or i.id = r.id)
    and (i.state in ('planned', 'skipped')
      or (i.state = 'intended' and r.state = 'intended' and i.batch = of_batch and i.id = r.id));
  get diagnostics done = row_count;

  if done < jsonb_array_length(jsonb_path_query_array(given, '$[*] ? (@.state != null)')) then
    insert into batchgate.items
      (operation_id, index, id, display_name, batch, epoch, state, error, deadline, finished_at,
       confirmed_by, confirmed_via, confirmed_assurance, confirmed_at)
    select of_operation, r.index, r.id, r.display_name, of_batch, of_epoch, r.state, r.error,
      case r.state when 'intended' then until end, case r.state when 'skipped' then now() end,
      held.confirmed_by, held.confirmed_via, held.confirmed_assurance, held.confirmed_at
    from jsonb_to_recordset(given) as r(index integer, id text, display_name text, state text, error text)
    where r.state is not null and r.display_name is not null
    on conflict (operation_id, index) do nothing;
  end if;

  select coalesce(json_agg(json_build_object('index', i.index, 'id', i.id, 'display_name', i.display_name,
      'raw_data', i.raw_data, 'preview', i.preview) order by r.place)
      filter (where r.state is distinct from 'skipped'), '[]'), count(*)
    into answer, done
    from rows from (jsonb_to_recordset(given) as (index integer, id text, state text))
      with ordinality as r(index, id, state, place)
    join batchgate.items i
      on i.operation_id = of_operation and i.index between first_place and last_place and i.index = r.index
    where i.id = r.id and (r.state is null
      or (i.state = r.state and i.batch = of_batch and i.epoch = of_epoch));
  if done < jsonb_array_length(given) then
    perform batchgate.refuse((
      select jsonb_agg(jsonb_build_object('id', r.id, 'missing', r.display_name is null and i.id is null))
      from jsonb_to_recordset(given) as r(index integer, id text, display_name text, state text)
      left join batchgate.items i on i.operation_id = of_operation and i.index = r.index and i.id = r.id
      where i.id is null or (r.state is not null
        and (i.state <> r.state or i.batch <> of_batch or i.epoch <> of_epoch))));
    -- Another writer has come between the two looks; refuse() raises nothing for an empty list.
    raise exception using errcode = '40001', message = 'the items changed while they were written';
  end if;
  return answer;
end $$`;

/**
 * Writes results under the claim that holds the batch. Returns -1 if it no longer holds it, else the number of written
 * results. Outcomes of earlier epochs and skipped items do not change.
 */
const WRITE_RESULTS = `create or replace function batchgate.write_results(
  of_operation text, of_batch integer, of_epoch integer, given jsonb, first_place integer, last_place integer
) returns integer language plpgsql as $$
declare
  written integer;
begin
  perform 1 from batchgate.batches
    where operation_id = of_operation and batch = of_batch and epoch = of_epoch for update;
  if not found then return -1; end if;
  update batchgate.items as i set
    state = r.state, error = r.error, retryable = r.retryable, kept = r.kept, epoch = of_epoch,
    deadline = case r.state when 'planned' then null else i.deadline end,
    finished_at = case r.state when 'planned' then null else now() end,
    updated_at = now()
  from jsonb_to_recordset(given) as r(index integer, state text, error text, retryable boolean, kept jsonb)
  where i.operation_id = of_operation and i.index between first_place and last_place and i.index = r.index
    and i.batch = of_batch
    -- What a person left out stays so; a result that says it once more is the same.
    and (i.state in ('planned', 'intended', 'in_doubt')
      or (i.epoch = of_epoch and (i.state <> 'skipped' or r.state = 'skipped')));
  get diagnostics written = row_count;
  return written;
end $$`;

export const BATCH_FUNCTIONS = [WRITE_INTENTS, WRITE_RESULTS];

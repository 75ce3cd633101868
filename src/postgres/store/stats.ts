import { sql } from 'kysely';
import type { StatsFilter, StatsRow } from '../../contract/stats';
import { present, type Db } from './schema';

/** The maximum number of pairs of a domain and an action in a list. */
const MAX_ROWS = 1_000;

/** Counts in one statement, so that all numbers describe the same moment. Previews do not count as operations. */
export async function readStats(db: Db, filter: StatsFilter): Promise<StatsRow[]> {
  const { domain = null, action = null, session_prefix = null, since = null, until = null } = filter;
  const { rows } = await sql<Counted>`
    with planned as (
      select operation_id, domain, action, state, undoes from batchgate.operations
      where change is not null and operation_id not like 'preview-%'
        and (${domain}::text is null or domain = ${domain})
        and (${action}::text is null or action = ${action})
        and (${session_prefix}::text is null or starts_with(session_id, ${session_prefix}))
        and (${since}::timestamptz is null or created_at >= ${since})
        and (${until}::timestamptz is null or created_at < ${until})
    ),
    chosen as (select * from planned where undoes is null),
    operations as (
      select domain, action, ${count`true`} as operations, ${count`state is null`} as live,
        ${count`state = 'completed'`} as completed, ${count`state = 'cancelled'`} as cancelled,
        ${count`state = 'expired'`} as expired, ${count`state = 'rejected'`} as rejected
      from chosen group by domain, action
    ),
    questions as (
      select domain, action, ${count`true`} as questions, ${count`decided_at is not null`} as answered,
        ${quantile(0.5, sql`decided_at - asked_at`)} as median_seconds_to_decide,
        ${quantile(0.9, sql`decided_at - asked_at`)} as p90_seconds_to_decide,
        ${count`decided_at is not null and shown_at is not null`} as read,
        ${quantile(0.5, sql`decided_at - shown_at`)} as median_seconds_read
      from chosen join batchgate.questions using (operation_id) group by domain, action
    ),
    restored as (
      select distinct u.undoes as operation_id, i.id
      from batchgate.operations u join batchgate.items i on i.operation_id = u.operation_id
      where u.undoes in (select operation_id from chosen) and i.state = 'succeeded'
    ),
    undos as (
      select c.domain, c.action, ${count`true`} as undos
      from chosen c join batchgate.operations u on u.undoes = c.operation_id
      where u.change is not null and u.operation_id not like 'preview-%' group by c.domain, c.action
    ),
    items as (
      select c.domain, c.action, ${count`true`} as items, ${count`i.state = 'succeeded'`} as succeeded,
        ${count`i.state = 'failed'`} as failed, ${count`i.state = 'skipped' and ${LEFT_OUT}`} as left_out,
        ${count`i.state = 'skipped' and not ${LEFT_OUT}`} as skipped,
        ${count`i.state = 'in_doubt' or (i.state = 'intended' and c.state is not null)`} as in_doubt,
        ${count`i.state = 'succeeded' and r.id is not null`} as undone
      from chosen c join batchgate.items i using (operation_id)
      left join restored r on r.operation_id = c.operation_id and r.id = i.id
      group by c.domain, c.action
    )
    select * from operations
      left join questions using (domain, action)
      left join undos using (domain, action)
      left join items using (domain, action)
    order by domain, action limit ${MAX_ROWS}`.execute(db);
  return rows.map(rowOf);
}

/** True for an item that a person left out. An item that was skipped because it changed had an intent. */
const LEFT_OUT = sql`(i.epoch > 0 and i.deadline is null)`;

const count = (condition: TemplateStringsArray, ...values: unknown[]) =>
  sql`(count(*) filter (where ${sql(condition, ...values)}))::integer`;

const quantile = (share: number, interval: ReturnType<typeof sql>) =>
  sql`percentile_cont(${sql.lit(share)}) within group (order by extract(epoch from ${interval})::double precision)`;

type Nullable<T> = { [K in keyof T]: T[K] | null };
type Counted = Nullable<Required<StatsRow>> & Pick<StatsRow, 'domain' | 'action'>;

const NONE = {
  ...{ operations: 0, live: 0, completed: 0, cancelled: 0, expired: 0, rejected: 0, undos: 0 },
  ...{ questions: 0, answered: 0, read: 0 },
  ...{ items: 0, succeeded: 0, failed: 0, left_out: 0, skipped: 0, in_doubt: 0, undone: 0 },
};

function rowOf(counts: Counted): StatsRow {
  const row: StatsRow = { ...NONE, ...present(counts) };
  if (row.items === 0) return row;
  return {
    ...row,
    share_left_out: row.left_out / row.items,
    share_failed: row.failed / row.items,
    share_in_doubt: row.in_doubt / row.items,
    share_undone: row.undone / row.items,
  };
}

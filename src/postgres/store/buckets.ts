import { sql } from 'kysely';
import type { AllowanceLimit, SharedBuckets } from '../../contract/allowance';
import type { Db } from './schema';

/** The allowances of the tools, one row each. The database's clock counts, whatever those of the workers say. */
export const createBuckets =
  (db: Db): SharedBuckets =>
  (tool, limit) => ({
    async take(cost) {
      const left = unitsLeft(limit);
      const taken = await sql`
        insert into batchgate.allowances as kept (tool, units) values (${tool}, ${limit.burst - cost})
        on conflict (tool) do update set units = ${left} - ${cost}::float8, counted_at = clock_timestamp()
        where ${left} >= ${cost}
        returning units`.execute(db);
      if (taken.rows.length > 0) return 0;
      const { rows } = await sql<{ missing: number }>`
        select ${cost}::float8 - ${left} as missing from batchgate.allowances kept where tool = ${tool}`.execute(
        db,
      );
      return Math.max(1, Math.ceil(((rows[0]?.missing ?? 0) * limit.intervalMs) / limit.perInterval));
    },
  });

/** The units that are kept in the row `kept`, and those that have arrived since. */
const unitsLeft = ({ perInterval, intervalMs, burst }: AllowanceLimit) => sql`least(
  ${burst}::float8,
  kept.units + greatest(0, extract(epoch from clock_timestamp() - kept.counted_at))::float8 * ${(perInterval * 1_000) / intervalMs}::float8
)`;

import type { Client } from '@temporalio/client';
import { getBulkStatus, type OperationRow } from '../../client';
import type { BulkStatus } from '../../contract/operation';

/** The number of concurrent queries for one list. */
const AT_ONCE = 8;
/** The maximum age of a cached status. Rows of long lists and of ended operations have no revision. Milliseconds. */
const FRESH_MS = 15_000;
const MAX_CACHED = 2_000;

/** The statuses of listed operations. Each costs a query, so it is cached while its row is unchanged. */
export interface Statuses {
  of(rows: readonly OperationRow[]): Promise<Map<string, BulkStatus>>;
}

export function createStatuses(client: Client): Statuses {
  const cache = new Map<string, { of: string; until: number; status: BulkStatus }>();
  const statusOf = async (row: OperationRow): Promise<BulkStatus | undefined> => {
    const of = JSON.stringify([row.state, row.progress, row.closed_at, row.revision]);
    const entry = cache.get(row.operation_id);
    if (entry?.of === of && entry.until > Date.now()) return entry.status;
    // An operation that cannot answer must not make the list fail.
    const status = await getBulkStatus(client, row.operation_id).catch(() => undefined);
    cache.delete(row.operation_id);
    if (!status) return undefined;
    cache.set(row.operation_id, { of, until: Date.now() + FRESH_MS, status });
    const [oldest] = cache.keys();
    if (cache.size > MAX_CACHED && oldest !== undefined) cache.delete(oldest);
    return status;
  };
  return {
    async of(rows) {
      const statuses = new Map<string, BulkStatus>();
      const rest = [...rows].filter(({ quarantined }) => quarantined === undefined);
      const work = async () => {
        for (let row = rest.pop(); row; row = rest.pop()) {
          const status = await statusOf(row);
          if (status) statuses.set(row.operation_id, status);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      return statuses;
    },
  };
}

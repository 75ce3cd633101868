import type { Client } from '@temporalio/client';
import { getBulkStatus, type OperationRow } from '../../client';
import type { BulkStatus } from '../../contract/operation';

/** Concurrent queries for one list. */
const AT_ONCE = 8;
/** An operation without a revision, in a long list or after its end, may be shown as it was this long ago. Milliseconds. */
const FRESH_MS = 15_000;
const MAX_KEPT = 2_000;

/** What a list shows of a status beyond its row. It costs a query, so it is kept while the row is unchanged. */
export interface Statuses {
  of(rows: readonly OperationRow[]): Promise<Map<string, BulkStatus>>;
}

export function createStatuses(client: Client): Statuses {
  const kept = new Map<string, { of: string; until: number; status: BulkStatus }>();
  const one = async (row: OperationRow): Promise<BulkStatus | undefined> => {
    const of = JSON.stringify([row.state, row.progress, row.closed_at, row.revision]);
    const known = kept.get(row.operation_id);
    if (known?.of === of && known.until > Date.now()) return known.status;
    // An operation that cannot answer must not make the list fail.
    const status = await getBulkStatus(client, row.operation_id).catch(() => undefined);
    kept.delete(row.operation_id);
    if (!status) return undefined;
    kept.set(row.operation_id, { of, until: Date.now() + FRESH_MS, status });
    const [oldest] = kept.keys();
    if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
    return status;
  };
  return {
    async of(rows) {
      const found = new Map<string, BulkStatus>();
      const rest = [...rows].filter(({ quarantined }) => quarantined === undefined);
      const work = async () => {
        for (let row = rest.pop(); row; row = rest.pop()) {
          const status = await one(row);
          if (status) found.set(row.operation_id, status);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      return found;
    },
  };
}

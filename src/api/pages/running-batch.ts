import type { BatchProgress } from '../../contract/activities';
import type { OutcomeCode } from '../../contract/items';
import type { BulkStatus, ItemRow } from '../../contract/operation';
import { OUTCOME_OF } from '../../core/bulk/outcomes';

type Ended = Readonly<Record<string, OutcomeCode>>;

/** The outcomes of the running batch so far, by the positions of the items in the plan. */
const endedIn = ({ state }: BulkStatus, progress: BatchProgress | undefined): Ended =>
  (state === 'running_batch' && progress?.outcomes) || {};

/** The status, with the ended items of a running batch in its counts. */
export function statusNow(status: BulkStatus, progress: BatchProgress | undefined): BulkStatus {
  const codes = Object.values(endedIn(status, progress));
  const count = (code: OutcomeCode) => codes.filter((other) => other === code).length;
  const [succeeded, failed, in_doubt] = [count('s'), count('f'), count('d')];
  return {
    ...status,
    succeeded: status.succeeded + succeeded,
    failed: status.failed + failed,
    in_doubt: status.in_doubt + in_doubt,
    remaining: status.remaining - succeeded - failed - in_doubt,
  };
}

/** The items with the outcomes of a running batch so far. */
export function rowsNow(
  status: BulkStatus,
  rows: readonly ItemRow[],
  progress: BatchProgress | undefined,
): readonly ItemRow[] {
  const outcomes = endedIn(status, progress);
  return rows.map((row, at) => {
    const code = outcomes[at];
    return code === undefined || row.outcome !== 'pending' ? row : { ...row, outcome: OUTCOME_OF[code] };
  });
}

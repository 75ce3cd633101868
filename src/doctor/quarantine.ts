import { Client } from '@temporalio/client';
import { findQuarantined } from '../client';
import { ok, problem, type Finding } from './check';
import type { Probe } from './temporal';

const NAMED = 5;

/** Runs whose workflow task keeps failing: they answer nothing, and may hold a slot. */
export const probeQuarantine: Probe = async (connection, namespace, taskQueue): Promise<Finding> => {
  const found = await findQuarantined(new Client({ connection, namespace }), taskQueue);
  if (found.length === 0) return ok('no run is quarantined');
  const named = found
    .slice(0, NAMED)
    .map(
      ({ workflow_id, type, failures, reason }) =>
        `${workflow_id} (${type}, ${failures} failures): ${reason}`,
    );
  const more = found.length > NAMED ? `; and ${found.length - NAMED} more` : '';
  return problem(
    `${found.length} quarantined: ${named.join('; ')}${more}`,
    'Mend what the reason names, as a missing codec; or run `npx batchgate end ID --reason "…"`.',
  );
};

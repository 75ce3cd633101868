import type { Client } from '@temporalio/client';
import { noopMetricMeter, type MetricMeter } from '@temporalio/common';
import { findQuarantined } from '../client/quarantine';
import { WORKFLOW_TYPES } from '../contract/messages';
import { removeWedgedSentinel } from '../client/sentinel-calls';

interface WatchLog {
  error(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  info(fields: object, message: string): void;
}

const LOOK_EVERY_MS = 10_000;

/**
 * Ends a sentinel that cannot answer, and logs each quarantined run of this task queue once, with the reason, and again
 * when it is no longer quarantined. The gauge `batchgate_quarantined_runs` counts them by type.
 */
export function watchQuarantine(
  client: Client,
  taskQueue: string,
  log: WatchLog,
  {
    metricMeter = noopMetricMeter,
    everyMs = LOOK_EVERY_MS,
  }: { metricMeter?: MetricMeter; everyMs?: number } = {},
): { stop(): void } {
  const gauge = metricMeter.createGauge(
    'batchgate_quarantined_runs',
    'int',
    'runs',
    'Runs whose workflow task keeps failing',
  );
  let quarantined = new Set<string>();
  const look = async () => {
    const wedged = await removeWedgedSentinel(client, taskQueue);
    if (wedged !== undefined)
      log.warn({ reason: wedged }, 'the sentinel could not answer and is started anew');
    const runs = await findQuarantined(client, taskQueue);
    for (const workflow_type of Object.values(WORKFLOW_TYPES))
      gauge.set(runs.filter(({ type }) => type === workflow_type).length, { workflow_type });
    for (const run of runs) {
      if (quarantined.has(run.workflow_id)) continue;
      log.error(run, 'a run is quarantined: its workflow task keeps failing; fix the cause or end it');
    }
    const still = new Set(runs.map(({ workflow_id }) => workflow_id));
    for (const workflow_id of quarantined)
      if (!still.has(workflow_id)) log.info({ workflow_id }, 'no longer quarantined');
    quarantined = still;
  };
  const timer = setInterval(() => {
    look().catch((error: unknown) => log.warn({ error }, 'could not look for quarantined runs'));
  }, everyMs);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

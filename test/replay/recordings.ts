import { ACCESS } from './access-paths';
import { APPROVALS, RECORDED_POLICIES } from './approval-paths';
import { ASSISTANTS, CHAINED_ASSISTANTS } from './assistant-paths';
import { EDITS } from './edit-paths';
import { HYGIENE } from './hygiene-paths';
import { CHAINED_MACROS, MACROS } from './macro-paths';
import { CHAINED, SINGLE } from './paths';
import { PROFILES } from './profile-paths';
import { REVISIONS } from './revision-paths';
import { SCHEDULES } from './schedule-paths';
import { SCRATCHPADS } from './scratchpad-paths';
import { CHAINED_SENTINELS, SENTINELS } from './sentinel-paths';
import type { Path, StageOptions } from './stage';
import { SUGGESTIONS } from './suggestion-paths';
import { CHAINED_TASK_RUNS, TASK_RUNS } from './task-run-paths';
import { PREVIEWS_AND_UNDOS } from './undo-paths';
import { WEBHOOKS } from './webhook-paths';

/** Paths that share a stage. `runs`: how many runs each path has, with one file per run. */
interface Recording {
  stage: StageOptions;
  runs: number;
  paths: Record<string, Path>;
}

export const RECORDINGS: readonly Recording[] = [
  { stage: {}, runs: 1, paths: SINGLE },
  { stage: { batchesPerRun: 1 }, runs: 3, paths: CHAINED },
  { stage: {}, runs: 1, paths: PREVIEWS_AND_UNDOS },
  { stage: {}, runs: 1, paths: REVISIONS },
  { stage: {}, runs: 1, paths: SCHEDULES },
  { stage: {}, runs: 1, paths: EDITS },
  { stage: { policies: RECORDED_POLICIES }, runs: 1, paths: APPROVALS },
  { stage: {}, runs: 1, paths: TASK_RUNS },
  { stage: {}, runs: 1, paths: SENTINELS },
  { stage: {}, runs: 1, paths: HYGIENE },
  { stage: {}, runs: 1, paths: PROFILES },
  { stage: {}, runs: 1, paths: ACCESS },
  { stage: {}, runs: 1, paths: SUGGESTIONS },
  { stage: {}, runs: 1, paths: SCRATCHPADS },
  { stage: {}, runs: 1, paths: MACROS },
  { stage: {}, runs: 1, paths: ASSISTANTS },
  { stage: { webhooks: true }, runs: 1, paths: WEBHOOKS },
  { stage: { eventsPerRun: 40 }, runs: 3, paths: CHAINED_MACROS },
  { stage: { eventsPerRun: 30 }, runs: 3, paths: CHAINED_ASSISTANTS },
  { stage: { eventsPerRun: 20 }, runs: 3, paths: { ...CHAINED_TASK_RUNS, ...CHAINED_SENTINELS } },
];

/** The files of a path, the first run first. */
export function filesOf(path: string, runs: number): string[] {
  if (runs === 1) return [`${path}.json`];
  return Array.from({ length: runs }, (_, at) => `${path}-${at + 1}.json`);
}

import type { Job, JobRow } from '../../contract/sentinel';
import { iso } from '../bulk/view';
import { bytesOf } from '../shared/bounds';

/** Packs a job for a payload that holds all jobs of a task queue. */
export const rowOf = ({ job_id, run_id, kind, admitted_at, session_id, parent }: Job): JobRow => [
  job_id,
  run_id,
  kind,
  Date.parse(admitted_at),
  session_id ?? null,
  parent?.job_id ?? null,
  parent?.run_id ?? null,
];

/** Unpacks a job. A sentinel of an earlier version carries jobs that are not packed. */
export function jobOf(row: JobRow | Job): Job {
  if (!isRow(row)) return row;
  const [job_id, run_id, kind, admittedAt, session_id, parentId, parentRun] = row;
  const parent = parentId !== null && parentRun !== null && { job_id: parentId, run_id: parentRun };
  return {
    ...{ job_id, run_id, kind },
    ...(session_id !== null && { session_id }),
    ...(parent && { parent }),
    admitted_at: iso(admittedAt),
  };
}

const isRow = (row: JobRow | Job): row is JobRow => Array.isArray(row);

/** The sizes of jobs, which do not change while they hold a slot. A full sentinel would measure thousands at each start. */
const sizes = new WeakMap<Job, number>();

/** The size of these jobs in the state that a sentinel carries over, in bytes. */
export function sizeOf(jobs: readonly Job[]): number {
  return jobs.reduce((sum, job) => {
    const size = sizes.get(job) ?? bytesOf(rowOf(job)) + 1;
    sizes.set(job, size);
    return sum + size;
  }, 1);
}

import type { Client } from '@temporalio/client';
import { getBulkStatus, glanceAt, jobIdOf, listJobs, type JobRow } from '../../client';
import type { BatchProgress } from '../../contract/activities';
import type { BatchgateError } from '../../contract/errors';
import type { BulkStatus } from '../../contract/operation';
import { NO_PACE, observeBatch, type Pace } from '../../core/bulk/pace';
import { isClosed } from '../../core/bulk/transitions';
import { knownError } from '../output';

/** The intervals between looks, in milliseconds. They grow while nothing happens. */
const INTERVALS = [...Array<number>(10).fill(1_000), ...Array<number>(20).fill(2_000), 5_000];
export const AT_MOST = 100;

/** One watched operation, as of the last look that succeeded. */
export interface Watched {
  readonly operation_id: string;
  status?: BulkStatus;
  progress?: BatchProgress;
  pace: Pace;
  /** The error of the last look, if it failed. */
  problem?: BatchgateError;
}

interface Turns {
  due: number;
  quiet: number;
  busy: boolean;
}
type Entry = Watched & Turns & { revision?: string };

/** Whether it was seen before, and has since been deleted in Temporal. */
export const isGone = ({ status, problem }: Watched): boolean =>
  status !== undefined && problem?.code === 'NOT_FOUND';

/** A job other than a bulk operation. */
export type OtherRow = Exclude<JobRow, { kind: 'bulk_operation' }>;

export interface WatchEvents {
  /** Its status has changed. */
  changed(operation: Watched & { status: BulkStatus }): void;
  /** A job of another kind is new, or in another state. */
  changedOther(row: OtherRow): void;
  /** A look failed, and the one before did not. Without an operation, the list could not be read. */
  troubled(problem: BatchgateError, operation?: Watched): void;
}

/**
 * Looks at one operation, or at all live ones. It queries a workflow only if its history has grown: reading the length
 * of a history needs no worker.
 */
export class Watcher {
  private otherRows: OtherRow[] = [];
  private readonly entries = new Map<string, Entry>();
  private readonly list: Turns & { problem?: BatchgateError } = { due: 0, quiet: 0, busy: false };

  constructor(
    private readonly client: Client,
    private readonly events: WatchEvents,
    private readonly only?: string,
  ) {
    if (only !== undefined) this.add(only);
  }

  /** In the order in which they were started. */
  get operations(): readonly Watched[] {
    return [...this.entries.values()];
  }

  /** The rows of the live jobs of other kinds, in the same order. */
  get others(): readonly OtherRow[] {
    return this.otherRows;
  }

  /** The error, if the list cannot be read. */
  get problem(): BatchgateError | undefined {
    return this.list.problem;
  }

  /** Begins every look that is due; resolves when these are over. */
  async look(now: number): Promise<void> {
    if (this.only === undefined) await inTurn(this.list, now, () => this.readList());
    await Promise.all(
      [...this.entries.values()]
        .filter((entry) => !entry.status || (!isClosed(entry.status.state) && !isGone(entry)))
        .map((entry) => inTurn(entry, now, () => this.lookAt(entry))),
    );
  }

  private takeOthers(rows: OtherRow[]): void {
    const before = new Map(this.otherRows.map((row) => [jobIdOf(row), row]));
    this.otherRows = rows;
    for (const row of rows) if (before.get(jobIdOf(row))?.state !== row.state) this.events.changedOther(row);
  }

  private add(operation_id: string): void {
    if (!this.entries.has(operation_id)) {
      this.entries.set(operation_id, { operation_id, pace: NO_PACE, due: 0, quiet: 0, busy: false });
    }
  }

  private async readList(): Promise<boolean> {
    const before = this.entries.size;
    try {
      const rows = (await listJobs(this.client, { live: true, limit: AT_MOST, progress: false })).reverse();
      const others: OtherRow[] = [];
      for (const row of rows)
        if (row.kind === 'bulk_operation') this.add(row.operation_id);
        else others.push(row);
      this.takeOthers(others);
      this.list.problem = undefined;
    } catch (error) {
      const problem = knownError(error);
      if (!this.list.problem) this.events.troubled(problem);
      this.list.problem = problem;
    }
    return this.entries.size > before;
  }

  /** Returns whether anything happened. */
  private async lookAt(entry: Entry): Promise<boolean> {
    try {
      const { revision, progress } = await glanceAt(this.client, entry.operation_id);
      entry.progress = progress;
      const grown = entry.revision !== revision;
      if (grown) this.take(entry, await getBulkStatus(this.client, entry.operation_id));
      entry.revision = revision;
      entry.problem = undefined;
      return grown || progress !== undefined;
    } catch (error) {
      const problem = knownError(error);
      if (!entry.problem) this.events.troubled(problem, entry);
      entry.problem = problem;
      if (isGone(entry) && this.only === undefined) this.entries.delete(entry.operation_id);
      return false;
    }
  }

  private take(entry: Entry, status: BulkStatus): void {
    const before = entry.status;
    entry.status = status;
    entry.pace = observeBatch(entry.pace, status);
    if (JSON.stringify(before) !== JSON.stringify(status)) this.events.changed({ ...entry, status });
  }
}

async function inTurn(turns: Turns, now: number, look: () => Promise<boolean>): Promise<void> {
  if (turns.busy || now < turns.due) return;
  turns.busy = true;
  try {
    turns.quiet = (await look()) ? 0 : turns.quiet + 1;
  } finally {
    turns.busy = false;
    turns.due = now + (INTERVALS[Math.min(turns.quiet, INTERVALS.length - 1)] ?? 1_000);
  }
}

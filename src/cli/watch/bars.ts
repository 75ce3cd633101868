import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { glanceAt } from '../../client';
import type { BulkStatus } from '../../contract/operation';
import { io, readConfig } from '../io';
import { note } from '../output';
import { bad, dim, ok } from '../style';

const WIDTH = 24;
const LOOK_INTERVAL_MS = 250;

/** Whether a stream can redraw lines: it is a terminal that can move its cursor. */
export function redraws(stream: NodeJS.WriteStream): boolean {
  return stream.isTTY && !readConfig().dumbTerminal;
}

export function bar(done: number, total: number, stream: NodeJS.WriteStream, width = WIDTH): string {
  const filled = total === 0 ? width : Math.min(width, Math.floor((done / total) * width));
  return ok('█'.repeat(filled), stream) + dim('░'.repeat(width - filled), stream);
}

/** The counts of the whole operation, in words. */
export function progressWords({ total, remaining, failed, skipped, in_doubt }: BulkStatus): string {
  return [
    // Items in doubt and items left out are not done.
    `${total - remaining - skipped - in_doubt}/${total} done`,
    `${remaining} remaining`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
    ...(in_doubt > 0 ? [`${in_doubt} in doubt`] : []),
  ].join(', ');
}

/** Whether to draw bars: for a person at a terminal, on the error stream; never for a pipe. */
export function showsBars(json: boolean): boolean {
  return !json && redraws(io().stderr);
}

/** Runs a decision, and draws the progress of its batch and of the operation. Draws nothing without a status. */
export async function withBars<T>(
  client: Client,
  status: BulkStatus | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const gate = status?.next_batch;
  if (!status || !gate) return work();
  const { createLogUpdate } = await import('log-update');
  const draw = createLogUpdate(io().stderr, { showCursor: true });
  const over = new AbortController();
  const drawing = async () => {
    for (;;) {
      await pause(LOOK_INTERVAL_MS, undefined, { signal: over.signal });
      const { progress } = await glanceAt(client, status.operation_id);
      const done = progress?.batch === gate.number ? progress.done : 0;
      if (over.signal.aborted) return;
      draw(
        lines(
          { number: gate.number, done, total: gate.items.length },
          { ...status, remaining: status.remaining - done },
        ),
      );
    }
  };
  // A failure to draw does not fail the decision.
  drawing().catch(() => undefined);
  try {
    return await work();
  } finally {
    over.abort();
    draw.clear();
  }
}

/** Prints the final bars of a decision: of the batch that ran, and of the whole operation. */
export function leaveBars(status: BulkStatus): void {
  const { last_batch: last } = status;
  if (!last) return;
  const done = last.succeeded + last.failed;
  const total = done + last.in_doubt;
  note(lines({ number: last.number, done, total, failed: last.failed, in_doubt: last.in_doubt }, status));
}

function lines(
  batch: { number: number; done: number; total: number; failed?: number; in_doubt?: number },
  status: BulkStatus,
): string {
  const name = `batch ${batch.number} of ${status.batches_total}`;
  const stream = io().stderr;
  const failed = batch.failed ? bad(`, ${batch.failed} failed`, stream) : '';
  const inDoubt = batch.in_doubt ? bad(`, ${batch.in_doubt} in doubt`, stream) : '';
  const { total, remaining, skipped, in_doubt } = status;
  return [
    `${name}  ${bar(batch.done, batch.total, stream)}  ${batch.done}/${batch.total}${failed}${inDoubt}`,
    `${'whole'.padEnd(name.length)}  ${bar(total - remaining - skipped - in_doubt, total, stream)}  ${progressWords(status)}`,
  ].join('\n');
}

import type { Command } from 'commander';
import { getBulkStatus, undoBulkOperation } from '../../client';
import { undoCommand } from '../../commands/follow-ups';
import { isClosed } from '../../core/bulk/transitions';
import { withClient } from '../connect';
import { io } from '../io';
import { confirmedAtTerminal, UsageError } from '../output';
import { withFlags, type Given } from '../flags';
import { verb } from '../verb';
import { waiting } from '../wait-line';
import { listedIds } from './listed-ids';
import { show } from './status';

interface UndoFlags extends Given<
  typeof undoCommand,
  'batch_size' | 'reason' | 'requested_by' | 'batch_sizes'
> {
  overwrite?: string;
  overwriteAll?: boolean;
  cancelFirst?: boolean;
  wait?: boolean;
}

export function addUndoVerb(program: Command): void {
  const undoes = verb(program, 'undo <id>', undoCommand, undo)
    .option(
      '--overwrite <ids>',
      'restore these items although they were changed afterwards, separated by commas',
    )
    .option('--overwrite-all', 'restore all items that were changed afterwards')
    .option('--cancel-first', 'cancel the operation if it has not ended')
    .option('--wait', 'wait for the end of the operation if it has not ended');
  withFlags(undoes, undoCommand, {
    batch_size: '--batch-size <n>',
    reason: '--reason <text>',
    requested_by: '--requested-by <who>',
    batch_sizes: '--batch-sizes <list>',
  });
}

async function undo(json: boolean, id: string, flags: UndoFlags): Promise<void> {
  const { overwrite, overwriteAll, cancelFirst, wait, ...fields } = flags;
  if (cancelFirst && wait)
    throw new UsageError('--cancel-first and --wait exclude each other.', 'Give one of them.');
  const ids = overwrite === undefined ? undefined : listedIds(overwrite);
  const status = await withClient(async (client, task_queue) => {
    const cancel_first =
      cancelFirst || (!wait && (await cancelsFirst(json, await getBulkStatus(client, id))));
    return undoBulkOperation(client, id, {
      ...waiting(),
      task_queue,
      cancel_first,
      wait,
      ...(overwriteAll ? { overwrite: 'all' as const } : ids && { overwrite: ids }),
      ...fields,
      via: 'terminal',
    });
  });
  show(status, json);
}

/** An operation that has not ended is cancelled only if a person agrees. */
async function cancelsFirst(
  json: boolean,
  { state, message }: Awaited<ReturnType<typeof getBulkStatus>>,
): Promise<boolean> {
  if (isClosed(state) || json || !io().stdin.isTTY) return false;
  return confirmedAtTerminal(`${message}\nCancel it, and undo what it did?`);
}

import { InvalidArgumentError, Option, type Command } from 'commander';
import { getBulkStatus, resumeJobs, startRemainingItems } from '../../client';
import { BatchgateError } from '../../contract/errors';
import { isClosed } from '../../core/bulk/transitions';
import { oneLine } from '../../core/shared/plain-text';
import { withClient } from '../connect';
import { show } from './status';
import { showMacro } from '../macro/runs';
import { EXIT, fail, note, print, UsageError } from '../output';
import { showAssistant } from '../chat/restoration';
import { showTask } from '../progress/task';
import { verb } from '../verb';

const UNITS_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Without an id, the verb omits operations that expired longer ago than `--since`. */
export function addResumeVerb(program: Command): void {
  verb(
    program,
    'resume [id]',
    'list interrupted operations with their questions, or show the one with this id; expired ones continue in a new operation over the remaining items',
    resume,
  )
    .option('--session <id>', 'only those of this session')
    .option('--requested-by <who>', 'who requests the remaining items of an operation that names nobody')
    .addOption(
      new Option('--since <time>', 'expired ones only if they expired within it: 30m, 12h, 7d')
        .argParser(timeSpan)
        .default({ text: '7d', ms: 7 * UNITS_MS.d }, '7d'),
    );
}

interface TimeSpan {
  text: string;
  ms: number;
}

interface ResumeFlags {
  session?: string;
  since: TimeSpan;
  requestedBy?: string;
}

async function resume(
  json: boolean,
  id: string | undefined,
  { session, since, requestedBy: requested_by }: ResumeFlags,
): Promise<number> {
  const asks = { via: 'terminal' as const, ...(requested_by !== undefined && { requested_by }) };
  if (id !== undefined && session !== undefined)
    throw new UsageError('Both an id and a session are given.', 'Give one of them.');
  if (id !== undefined) return resumeOne(json, id, asks);
  const expired_after = new Date(Date.now() - since.ms).toISOString();
  return withClient(async (client, task_queue) => {
    let count = 0;
    let code: number = EXIT.done;
    const filter = { expired_after, task_queue, session_id: session, asks };
    for await (const resumed of resumeJobs(client, filter)) {
      if (!json && count++ > 0) print('');
      if ('error' in resumed) {
        code = EXIT.refused;
        fail(cannot(resumed), json);
        continue;
      }
      if ('task' in resumed) {
        showTask(resumed.task, json);
        continue;
      }
      if ('macro' in resumed) {
        showMacro(resumed.macro, json);
        continue;
      }
      if ('assistant' in resumed) {
        showAssistant(resumed.assistant, resumed.open, json);
        continue;
      }
      if (!json && resumed.rest_of !== undefined)
        print(`${oneLine(resumed.rest_of)} expired; this operation continues with its remaining items:`);
      show(resumed.status, json);
    }
    if (!json && count === 0) note(`Nothing was interrupted, and nothing expired in the last ${since.text}.`);
    return code;
  });
}

/** Shows the operation while it is live, otherwise the one over its remaining items. */
async function resumeOne(
  json: boolean,
  id: string,
  asks: Parameters<typeof startRemainingItems>[2],
): Promise<number> {
  const status = await withClient(async (client) => {
    let current = await getBulkStatus(client, id);
    // The operation over the remaining items may have expired too.
    while (isClosed(current.state)) current = await startRemainingItems(client, current.operation_id, asks);
    return current;
  });
  show(status, json);
  return EXIT.done;
}

function cannot({ operation_id, error }: { operation_id: string; error: BatchgateError }): BatchgateError {
  const message = `${operation_id} could not be resumed: ${error.message}`;
  return new BatchgateError(error.code, message, error.hint, { operation_id });
}

function timeSpan(text: string): TimeSpan {
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  if (count === undefined || unit === undefined)
    throw new InvalidArgumentError('Give a number and m, h or d, for example 12h.');
  return { text, ms: Number(count) * UNITS_MS[unit as keyof typeof UNITS_MS] };
}

import type { Command } from 'commander';
import {
  cancelJob,
  continueBulkOperation,
  endQuarantined,
  gateOf,
  getBulkStatus,
  getStatusAfter,
  handleMessage,
  NO_GATE,
  startBulkOperation,
} from '../../client';
import { WORKFLOW_TYPES } from '../../contract/messages';
import type { BulkOperationInput } from '../../contract/operation';
import { BatchgateError } from '../../contract/errors';
import { isClosed } from '../../core/bulk/transitions';
import { leaveBars, showsBars, withBars } from '../watch/bars';
import { visibleText } from '../../core/shared/plain-text';
import { withClient } from '../connect';
import { readConfig } from '../io';
import { readItems } from '../items/item-files';
import { show, showJob } from './status';
import { EXIT, fail, note, print, printJson } from '../output';
import { keepAsked, keepShown, lastAsked } from './shown-gate';
import { jsonObject, share, verb, wholeNumber } from '../verb';
import { waiting } from '../wait-line';

const SHOWN_LINES = 10;

interface StartFlags {
  domain: string;
  action: string;
  params?: Record<string, unknown>;
  items?: string;
  batchSize?: number;
  session?: string;
  id?: string;
  metadata?: Record<string, unknown>;
  requestedBy?: string;
  idleTimeout?: number;
  contract?: Record<string, unknown>;
  failureThreshold?: number;
  wait?: number;
}

export function addActVerbs(program: Command): void {
  verb(
    program,
    'start',
    'start a bulk operation and show its first question',
    async (json, flags: StartFlags) => {
      const input: BulkOperationInput = {
        domain: flags.domain,
        action: flags.action,
        ...(flags.params && { params: flags.params }),
        ...(flags.items !== undefined && { items: await itemsOf(flags.items) }),
        ...(flags.batchSize !== undefined && { batch_size: flags.batchSize }),
        ...(flags.session !== undefined && { session_id: flags.session }),
        ...(flags.metadata && { metadata: flags.metadata }),
        ...(flags.requestedBy !== undefined && { requested_by: flags.requestedBy }),
        ...(flags.idleTimeout !== undefined && { idle_timeout_seconds: flags.idleTimeout }),
        ...(flags.contract && { contract: flags.contract }),
        ...(flags.failureThreshold !== undefined && { failure_threshold: flags.failureThreshold }),
      };
      const status = await withClient((client, task_queue) =>
        startBulkOperation(client, input, { operation_id: flags.id, task_queue, ...waiting(flags.wait) }),
      );
      show(status, json);
    },
  )
    .requiredOption('--domain <adapter>', 'the tool, as gmail')
    .requiredOption('--action <action>', 'what to do to each item, as label')
    .option('--params <json>', 'query and action parameters, a JSON object', jsonObject)
    .option('--items <file>', 'the explicit list, .csv or .jsonl; then --params holds only what to do')
    .option('--batch-size <n>', 'items a batch', wholeNumber)
    .option('--session <id>', 'the conversation it belongs to')
    .option(
      '--metadata <json>',
      'kept with the operation and handed to the adapter, a JSON object',
      jsonObject,
    )
    .option('--requested-by <who>', 'who asked for it')
    .option('--idle-timeout <seconds>', 'how long a question waits for an answer', wholeNumber)
    .option('--contract <json>', 'what completion needs, a JSON object, as {"min_completed": 40}', jsonObject)
    .option('--failure-threshold <share>', 'past this share of failed items the question says so', share)
    .option('--id <id>', 'the operation id; the same start again finds the same operation')
    .option('--wait <seconds>', 'how long to wait for the first question (240)', wholeNumber);

  addDecisionVerbs(program);
  addEndVerb(program);
  addSayVerb(program);
}

/** The list of a file. What is in it twice is done once, and that is said. */
async function itemsOf(path: string): Promise<BulkOperationInput['items']> {
  const { items, repeated } = await readItems(path, readConfig().settings.max_total_items);
  if (repeated.length > 0) {
    const shown = repeated.slice(0, SHOWN_LINES).join(', ');
    const more = repeated.length > SHOWN_LINES ? ', …' : '';
    note(`${repeated.length} line(s) repeat an id and count once: line ${shown}${more}.`);
  }
  return items;
}

function addDecisionVerbs(program: Command): void {
  verb(program, 'continue <id>', 'confirm the open batch and wait until it is over', confirm)
    .option('--batch <n>', 'only if this batch is the open one', wholeNumber)
    .option('--attempt <n>', 'only if this attempt is the open one', wholeNumber)
    .option('--digest <digest>', 'only if exactly this would run')
    .option('--exclude <ids>', 'leave these items of the batch out, comma separated')
    .option('--by <who>', 'who decided')
    .option('--note <text>', 'kept with the decision');

  verb(
    program,
    'cancel <id>',
    'end a job of any kind; an operation at its next item boundary',
    async (json, id: string, flags: { reason?: string; by?: string }) => {
      showJob(await withClient((client) => cancelJob(client, id, flags)), json);
    },
  )
    .option('--reason <text>', 'kept with the decision')
    .option('--by <who>', 'who decided');
}

function addEndVerb(program: Command): void {
  verb(
    program,
    'end <id>',
    'end a quarantined run, and give its slot back',
    async (json, id: string, { reason }: { reason: string }) => {
      const ended = await withClient((client) => endQuarantined(client, id, { reason }));
      if (json) printJson(ended);
      else {
        print(visibleText(`Ended ${ended.workflow_id}, which failed with: ${ended.failure}`));
        if (ended.type === WORKFLOW_TYPES.bulkOperation)
          print(visibleText(`What it did: npx batchgate report ${ended.workflow_id}`));
      }
    },
  ).requiredOption('--reason <text>', 'why; kept with the run');
}

function addSayVerb(program: Command): void {
  verb(program, 'say <text>', 'one turn of conversation', say)
    .requiredOption('--session <id>', 'the conversation')
    .option('--message-id <id>', 'the same message twice decides once');
}

interface SayFlags {
  session: string;
  messageId?: string;
}

async function say(json: boolean, text: string, { session, messageId }: SayFlags): Promise<number> {
  const seen = lastAsked(session);
  const turn = await withClient((client, task_queue) =>
    handleMessage(client, session, text, {
      message_id: messageId,
      by: 'terminal',
      task_queue,
      ...(seen && { seen }),
    }),
  );
  const { error, status, intent } = turn;
  if (json) printJson(turn);
  else if (error) fail(BatchgateError.from(error), false);
  else if (turn.handled) print(visibleText(turn.reply));
  else note(`Nothing in session ${visibleText(session)} is waiting for an answer to that.`);
  // A refused answer was for another question: the one that is open is shown, so that the next answer is for it.
  if (!json && error && status && 'guard' in status && status.needs_confirmation) show(status, json);
  else if (status && (json || error || isClosed(status.state))) keepShown(status);
  else if (turn.handled) keepAsked(session, turn.asked);
  return error || (intent === 'continue' && status?.state === 'batch_failed') ? EXIT.refused : EXIT.done;
}

interface ContinueFlags {
  batch?: number;
  attempt?: number;
  digest?: string;
  exclude?: string;
  by?: string;
  note?: string;
}

async function confirm(json: boolean, id: string, { exclude, ...flags }: ContinueFlags): Promise<number> {
  const excluded = exclude?.split(',').map((item) => ({ id: item.trim() }));
  const named = flags.batch !== undefined || flags.digest !== undefined;
  const status = await withClient(async (client) => {
    const before = named && !showsBars(json) ? undefined : await getBulkStatus(client, id);
    // What its own look showed, and nothing else: by the time it arrives, another question may be open.
    const gate = named ? {} : ((before && gateOf(before)) ?? NO_GATE);
    const turn = await withBars(client, showsBars(json) ? before : undefined, () =>
      continueBulkOperation(client, id, { ...gate, ...flags, ...(excluded && { exclude: excluded }) }),
    );
    return getStatusAfter(client, turn);
  });
  if (showsBars(json)) leaveBars(status);
  show(status, json);
  return status.state === 'batch_failed' ? EXIT.refused : EXIT.done;
}

import { InvalidArgumentError, type Command } from 'commander';
import { z } from 'zod';
import {
  cancelBulkOperation,
  continueBulkOperation,
  getBulkStatus,
  handleMessage,
  startBulkOperation,
} from '../client';
import type { BulkOperationInput } from '../contract/operation';
import { withClient } from './connect';
import { readItems } from './item-files';
import { show } from './look';
import { EXIT, note, print, printJson } from './output';
import { verb, wholeNumber } from './verb';

interface StartFlags {
  domain: string;
  action: string;
  params?: Record<string, unknown>;
  items?: string;
  batchSize?: number;
  session?: string;
  id?: string;
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
        ...(flags.items !== undefined && { items: await readItems(flags.items) }),
        ...(flags.batchSize !== undefined && { batch_size: flags.batchSize }),
        ...(flags.session !== undefined && { session_id: flags.session }),
      };
      const status = await withClient((client) =>
        startBulkOperation(client, input, { operation_id: flags.id }),
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
    .option('--id <id>', 'the operation id; the same start again finds the same operation');

  addDecisionVerbs(program);
  addSayVerb(program);
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
    'end it at the next item boundary',
    async (json, id: string, flags: { reason?: string; by?: string }) => {
      const status = await withClient(async (client) => {
        await cancelBulkOperation(client, id, flags);
        return getBulkStatus(client, id);
      });
      show(status, json);
    },
  )
    .option('--reason <text>', 'kept with the decision')
    .option('--by <who>', 'who decided');
}

function addSayVerb(program: Command): void {
  verb(
    program,
    'say <text>',
    'one turn of conversation',
    async (json, text: string, flags: { session: string; messageId?: string }) => {
      const turn = await withClient((client) =>
        handleMessage(client, flags.session, text, { message_id: flags.messageId }),
      );
      if (json) printJson(turn);
      else if (turn.handled) print(turn.reply);
      else note(`Nothing in session ${flags.session} waits for this.`);
    },
  )
    .requiredOption('--session <id>', 'the conversation')
    .option('--message-id <id>', 'the same message twice decides once');
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
  const status = await withClient(async (client) => {
    await continueBulkOperation(client, id, { ...flags, ...(excluded && { exclude: excluded }) });
    return getBulkStatus(client, id);
  });
  show(status, json);
  return status.state === 'batch_failed' ? EXIT.refused : EXIT.done;
}

function jsonObject(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new InvalidArgumentError(`It is not JSON: ${error instanceof Error ? error.message : ''}`);
  }
  const parsed = z.record(z.string(), z.unknown()).safeParse(value);
  if (parsed.success) return parsed.data;
  throw new InvalidArgumentError('It is not a JSON object.');
}

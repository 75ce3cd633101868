import type { Command } from 'commander';
import {
  cancelDeliveries,
  listDeliveries,
  missingReceivers,
  moveDeliveries,
  retryDeliveries,
  testWebhook,
} from '../client';
import { BatchgateError } from '../contract/errors';
import type { DeliveryRow } from '../contract/webhooks';
import { oneLine } from '../core/shared/plain-text';
import { withClient } from './connect';
import { readConfig } from './io';
import { note, print, printJson, table } from './output';
import { verb } from './verb';

interface Flags {
  target?: string;
}

/** Verbs for messages to receivers about operations. The worker sends them; the verbs list and control them. */
export function addWebhookVerbs(program: Command): void {
  const group = program.command('webhooks').description('messages about operations to their receivers');
  verb(group, 'list [operation-id]', 'each message and its outcome', list).option(
    '--target <name>',
    'only this receiver',
  );
  verb(group, 'retry [operation-id]', 'send waiting and abandoned messages now', retry).option(
    '--target <name>',
    'only this receiver',
  );
  verb(
    group,
    'cancel [operation-id]',
    'give up what waits for a receiver, and follow no more',
    cancel,
  ).requiredOption('--target <name>', 'the receiver, which the settings need not name any more');
  verb(group, 'move [operation-id]', 'send what waits for a receiver, and what follows, to another one', move)
    .requiredOption('--target <name>', 'the receiver, which the settings need not name any more')
    .requiredOption('--to <name>', 'the receiver that gets them instead');
  verb(group, 'test [target]', 'send a test from the worker; without a name to all receivers', test);
}

const filterOf = (operationId: string | undefined, { target }: Flags) => ({
  operation_id: operationId,
  target,
});

async function list(json: boolean, operationId: string | undefined, flags: Flags): Promise<void> {
  const configured = namesOf();
  const { rows, missing } = await withClient(async (client, queue) => ({
    rows: await listDeliveries(client, filterOf(operationId, flags), queue),
    missing: await missingReceivers(client, configured, queue),
  }));
  for (const [name, count] of missing) {
    note(
      `batchgate.config.json has no webhook '${oneLine(name)}', and ${count} operation(s) are followed for it: their messages wait.`,
    );
    note(
      `Name it again, or run \`npx batchgate webhooks move --target ${oneLine(name)} --to NAME\` or \`npx batchgate webhooks cancel --target ${oneLine(name)}\`.`,
    );
  }
  if (json) return rows.forEach(printJson);
  if (rows.length === 0) return note('No messages yet. `npx batchgate webhooks test` sends one.');
  print(table(['TARGET', 'OPERATION', 'EVENT', 'AT', 'STATE', 'TRIES', 'ERROR'], rows.map(cellsOf)));
}

function cellsOf({
  target,
  operation_id = '',
  type,
  at,
  state,
  attempts,
  error = '',
}: DeliveryRow): string[] {
  return [target, operation_id, type, at, state, attempts === undefined ? '' : String(attempts), error];
}

async function retry(json: boolean, operationId: string | undefined, flags: Flags): Promise<void> {
  const retried = await withClient((client, queue) =>
    retryDeliveries(client, filterOf(operationId, flags), queue),
  );
  if (json) return printJson({ retried });
  if (retried === 0) return note('No message is waiting, and none was given up.');
  print(`${retried} message(s) are sent again. \`npx batchgate webhooks list\` shows their outcome.`);
}

type Chosen = Required<Flags>;

async function cancel(json: boolean, operation_id: string | undefined, { target }: Chosen): Promise<void> {
  const cancelled = await withClient((client, queue) =>
    cancelDeliveries(client, { operation_id, target }, queue),
  );
  if (json) return printJson({ cancelled });
  print(`${cancelled} operation(s) are followed no more for ${oneLine(target)}; what waited is given up.`);
}

async function move(
  json: boolean,
  operation_id: string | undefined,
  { target, to }: Chosen & { to: string },
): Promise<void> {
  if (!namesOf().includes(to)) throw noSuchReceiver(to);
  const moved = await withClient((client, queue) =>
    moveDeliveries(client, { operation_id, target, to }, queue),
  );
  if (json) return printJson({ moved });
  print(`${moved} operation(s) are followed for ${to} instead of ${oneLine(target)}.`);
}

const noSuchReceiver = (name: string) =>
  new BatchgateError(
    'NOT_CONFIGURED',
    `batchgate.config.json has no webhook '${oneLine(name)}'.`,
    'Add it under "webhooks", restart the worker, and move the messages then (docs/webhooks.md).',
  );

const namesOf = (): string[] => readConfig().file.webhooks.map(({ name }) => name);

async function test(json: boolean, target: string | undefined): Promise<void> {
  const configured = namesOf();
  const targets = target === undefined ? configured : [target];
  if (targets.length === 0) throw noneConfigured();
  await withClient(async (client, queue) => {
    for (const name of targets) {
      await testWebhook(client, name, queue);
      if (json) printJson({ target: name, delivered: true });
      else print(`The test reached ${name}.`);
    }
  });
}

const noneConfigured = () =>
  new BatchgateError(
    'NOT_CONFIGURED',
    'batchgate.config.json names no webhooks.',
    'Add one under "webhooks", with its "url" and "secret", and restart the worker (docs/webhooks.md).',
  );

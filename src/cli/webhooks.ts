import type { Command } from 'commander';
import { listDeliveries, retryDeliveries, testWebhook } from '../client';
import { BatchgateError } from '../contract/errors';
import type { DeliveryRow } from '../contract/webhooks';
import { withClient } from './connect';
import { readConfig } from './io';
import { note, print, printJson, table } from './output';
import { verb } from './verb';

interface Flags {
  target?: string;
}

/** Messages to receivers about operations. The worker sends them; these verbs list them and ask for them. */
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
  verb(group, 'test [target]', 'send a test from the worker; without a name to all receivers', test);
}

const filterOf = (operationId: string | undefined, { target }: Flags) => ({
  operation_id: operationId,
  target,
});

async function list(json: boolean, operationId: string | undefined, flags: Flags): Promise<void> {
  const rows = await withClient((client, queue) =>
    listDeliveries(client, filterOf(operationId, flags), queue),
  );
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

async function test(json: boolean, target: string | undefined): Promise<void> {
  const configured = readConfig().file.webhooks.map(({ name }) => name);
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

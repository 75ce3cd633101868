import { Option, type Command } from 'commander';
import type { Config } from '../config';
import { BatchgateError } from '../contract/errors';
import { authorizePage, EXPIRATIONS, forgetTrello, loginTrello } from '../credentials/trello/login';
import type { Expiration } from '../credentials/trello/login';
import { visibleText, oneLine } from '../core/plain-text';
import { readConfig } from './io';
import { note, print, printJson } from './output';
import { readSecretLine } from './secret-line';
import { verb } from './verb';

interface TrelloFlags {
  key?: string;
  expiration: Expiration;
  forget?: boolean;
}

export function addTrelloLogin(login: Command): void {
  verb(login, 'trello', 'log in to Trello with a token that its page shows', trello)
    .option('--key <key>', 'the API key; else BATCHGATE_TRELLO_KEY')
    .addOption(
      new Option('--expiration <time>', 'how long the token lives').choices(EXPIRATIONS).default('never'),
    )
    .option('--forget', 'revoke the stored token and remove it');
}

async function trello(json: boolean, flags: TrelloFlags): Promise<void> {
  const config = readConfig();
  if (flags.forget) return forget(config, json);
  const key = flags.key ?? config.trelloKey;
  if (key === undefined) {
    throw new BatchgateError(
      'NOT_CONFIGURED',
      'There is no API key of Trello to log in with.',
      'Make one at https://trello.com/power-ups/admin (docs/trello.md says how), and give it with --key.',
    );
  }
  const page = authorizePage(config, key, flags.expiration);
  note(
    `Open this page in a browser, allow the access, and copy the token that it shows:\n\n${visibleText(page)}\n`,
  );
  const result = await loginTrello(config, key, await readSecretLine('Token (it is not shown): '));
  if (json) printJson(result);
  else print(oneLine(`Logged in to Trello as ${result.username}. The login is in ${result.file}.`));
  if (config.trelloToken !== undefined)
    note('BATCHGATE_TRELLO_TOKEN is set and comes first; unset it to use this login.');
}

async function forget(config: Config, json: boolean): Promise<void> {
  const forgotten = await forgetTrello(config);
  if (json) printJson(forgotten);
  else if (forgotten.revoked) print('The token is revoked, and the login removed.');
  else print('The login is removed; nothing in it could be revoked.');
}

import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { Option, type Command } from 'commander';
import type { Config } from '../../host/config';
import { BatchgateError } from '../../contract/errors';
import {
  authorizePage,
  EXPIRATIONS,
  forgetTrello,
  loginTrello,
  type Expiration,
} from '../../../activities/adapters/trello/login';
import { visibleText, oneLine } from '../../core/shared/plain-text';
import { readConfig, io } from '../io';
import { note, print, printJson } from '../output';
import { verb } from '../verb';

interface TrelloFlags {
  key?: string;
  expiration: Expiration;
  forget?: boolean;
}

export function addTrelloLogin(login: Command): void {
  verb(login, 'trello', 'log in to Trello with a token that its page shows', trello)
    .option('--key <key>', 'the API key; by default BATCHGATE_TRELLO_KEY')
    .addOption(
      new Option('--expiration <time>', 'how long the token is valid').choices(EXPIRATIONS).default('never'),
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
      'No Trello API key is configured.',
      'Create one at https://trello.com/power-ups/admin (see docs/trello.md), and pass it with --key.',
    );
  }
  const page = authorizePage(config, key, flags.expiration);
  note(
    `Open this page in a browser, allow access, and copy the token that it shows:\n\n${visibleText(page)}\n`,
  );
  const result = await loginTrello(config, key, await readSecretLine('Token (not shown): '));
  if (json) printJson(result);
  else print(oneLine(`Logged in to Trello as ${result.username}. The login is in ${result.file}.`));
  if (config.trelloToken !== undefined)
    note('BATCHGATE_TRELLO_TOKEN is set and takes precedence; unset it to use this login.');
}

async function forget(config: Config, json: boolean): Promise<void> {
  const outcome = await forgetTrello(config);
  if (json) printJson(outcome);
  else if (outcome.revoked) print('The token is revoked, and the login removed.');
  else print('The login is removed; there was nothing to revoke.');
}

/**
 * Reads one line with a secret, from a terminal without showing it, or from a pipe. Returns an empty text if the input
 * ends without one.
 */
async function readSecretLine(prompt: string): Promise<string> {
  const terminal = io().stdin.isTTY;
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: io().stdin, output: unseen, terminal, historySize: 0 });
  // From here on the terminal does not show what is typed.
  if (terminal) io().stderr.write(prompt);
  try {
    return await new Promise<string>((resolve) => {
      lines.once('line', resolve);
      // Ctrl-C and Ctrl-D end it; raw mode sends no signal.
      lines.once('SIGINT', () => resolve(''));
      lines.once('close', () => resolve(''));
    }).then((line) => line.trim());
  } finally {
    lines.close();
    if (terminal) note('');
  }
}

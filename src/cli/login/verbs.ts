import type { Command } from 'commander';
import type { Config } from '../../host/config';
import { BatchgateError } from '../../contract/errors';
import { googleSource } from '../../../activities/adapters/google/describe';
import { googleServices, type GoogleService } from '../../../activities/adapters/google/services';
import { findRuntime } from '../../host/runtime-file';
import { visibleText, oneLine } from '../../core/shared/plain-text';
import { io, readConfig } from '../io';
import { addTrelloLogin } from './trello';
import { note, print, printJson } from '../output';
import { verb } from '../verb';

interface GoogleFlags {
  client?: string;
  browser: boolean;
  forget?: boolean;
  for: string;
}

export function addLoginVerb(program: Command): void {
  const login = program.command('login').description('let batchgate act for you at a provider');
  verb(login, 'google', 'log in to Google in a browser on this machine', google)
    .option('--for <services>', `what it is for, separated by commas: ${googleServices.join(',')}`, 'gmail')
    .option('--client <file>', 'the OAuth client, as the JSON file of the console; by default from variables')
    .option('--no-browser', 'print the address of the page only')
    .option('--forget', 'revoke the stored login and remove it');
  addTrelloLogin(login);
}

async function google(json: boolean, flags: GoogleFlags): Promise<void> {
  const config = readConfig();
  const { forgetGoogle, googleClient, loginGoogle } =
    await import('../../../activities/adapters/google/login.js');
  if (flags.forget) {
    const outcome = await forgetGoogle(config);
    if (json) printJson(outcome);
    else
      print(
        outcome.revoked
          ? 'The login is revoked and removed.'
          : 'The login is removed; there was nothing to revoke.',
      );
    return;
  }
  const services = readServices(flags.for);
  const client = await googleClient(config, flags.client);
  const result = await loginGoogle(config, client, services, async (url) => {
    note(`Open this page in a browser on this machine, and allow access:\n\n${visibleText(url)}\n`);
    note('Waiting for the answer, 5 minutes at most.');
    if (flags.browser && io().stdin.isTTY) await openBrowser(url);
  });
  if (json) printJson(result);
  else print(oneLine(`Logged in to Google for ${result.scopes.join(' ')}. The login is in ${result.file}.`));
  if (result.login_expires_at !== undefined)
    note(oneLine(`Google ends this login at ${result.login_expires_at}.`));
  await sayWhatStandsInTheWay(config);
}

function readServices(text: string): GoogleService[] {
  const names = text.split(',').map((name) => name.trim());
  const services = googleServices.filter((service) => names.includes(service));
  if (services.length === new Set(names).size) return services;
  throw new BatchgateError(
    'INVALID_INPUT',
    `--for ${text} is not a Google service that batchgate can log in to`,
    `Choose one or more, separated by commas: ${googleServices.join(',')}.`,
  );
}

/** Opens the page in a browser if possible. The terminal shows the address in any case. */
async function openBrowser(url: string): Promise<void> {
  try {
    const { default: open } = await import('open');
    const child = await open(url);
    child.once('error', () => undefined);
  } catch {
    note('No browser could be opened.');
  }
}

async function sayWhatStandsInTheWay(config: Config): Promise<void> {
  const source = await googleSource(config);
  if (source === 'token')
    note('BATCHGATE_GOOGLE_ACCESS_TOKEN is set and takes precedence; unset it to use this login.');
  if (source === 'service_account')
    note('BATCHGATE_GOOGLE_SERVICE_ACCOUNT_FILE is set and takes precedence; unset it to use this login.');
  const runtime = await findRuntime(config.dataDir);
  if (runtime?.mailbox_url !== undefined)
    note(`The running batchgate (pid ${runtime.pid}) keeps using the local mailbox until you restart it.`);
}

import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ConfigFile, SecretSource } from './config-file';
import { BatchgateError } from '../contract/errors';
import { hostAllowed, hostsOfSecret } from '../core/shared/allowed-hosts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Secrets by their names in the configuration. Each is read on use, and never kept. */
export interface Secrets {
  /** @throws BatchgateError `NOT_CONFIGURED` when the name is unknown, or its source is missing or empty. */
  read(name: string): Promise<string>;
  /**
   * Reads a secret for a request to this origin. `allowedHosts` are all hosts that requests may go to.
   * @throws BatchgateError like `read`, and if the secret is not for this host.
   */
  readFor(name: string, origin: string, allowedHosts: readonly string[]): Promise<string>;
}

export function createSecrets(
  { secrets, folder }: Pick<ConfigFile, 'secrets' | 'folder'>,
  env: Environment,
): Secrets {
  const sourceOf = (name: string) => {
    const source = Object.hasOwn(secrets, name) ? secrets[name] : undefined;
    if (source === undefined) throw unknownSecret(name, Object.keys(secrets));
    return source;
  };
  const read = async (name: string) => readSource(sourceOf(name), `The secret '${name}'`, folder, env);
  return {
    read,
    async readFor(name, origin, allowedHosts) {
      const { hosts } = sourceOf(name);
      const permitted = hostsOfSecret(hosts, allowedHosts);
      if (hostAllowed(new URL(origin), permitted) === undefined) throw notForHost(name, origin, hosts);
      return read(name);
    },
  };
}

function notForHost(name: string, origin: string, hosts: readonly string[] | undefined): BatchgateError {
  const { protocol, host } = new URL(origin);
  const entry = protocol === 'https:' ? host : `${protocol}//${host}`;
  return new BatchgateError(
    'NOT_CONFIGURED',
    hosts === undefined
      ? `The secret '${name}' names no hosts, and more than one may be asked.`
      : `The secret '${name}' may not be sent to ${origin}.`,
    `If it is meant for that host, add "${entry}" to "hosts" of the secret '${name}' in batchgate.config.json, and ` +
      'start the worker again. Nothing was sent.',
  );
}

/**
 * Reads the text at a place that the configuration names, without the line break that editors append.
 * @throws BatchgateError `NOT_CONFIGURED`; `what` begins its message.
 */
export async function readSource(
  source: SecretSource,
  what: string,
  folder: string,
  env: Environment,
): Promise<string> {
  if ('env' in source) {
    const value = env[source.env]?.trim();
    if (value !== undefined && value !== '') return value;
    throw missing(`${what} is missing: the variable ${source.env} is not set`, `Set ${source.env}`);
  }
  const path = resolve(folder, source.file);
  let text: string;
  try {
    text = (await readFile(path, 'utf8')).trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'there is no such file' : `it cannot be read (${code ?? 'unknown'})`;
    throw missing(`${what} is missing at ${path}: ${why}`, 'Put it there, readable for this user');
  }
  if (text !== '') return text;
  throw missing(`${what} is missing: ${path} is empty`, 'Put it there');
}

/** The names of variables that contain secrets. */
const SECRET_VARIABLE = /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD)$/i;
/** Shorter secrets are not redacted, because that would remove too much of any text. */
const SHORTEST_HIDDEN = 6;

/** All secrets that this process can read: those of the configuration, and variables with the name of a secret. */
export async function knownSecrets(
  config: Pick<ConfigFile, 'secrets' | 'folder'>,
  env: Environment,
): Promise<string[]> {
  const secrets = createSecrets(config, env);
  const values = await Promise.all(
    Object.keys(config.secrets).map((name) => secrets.read(name).catch(() => '')),
  );
  const variables = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && SECRET_VARIABLE.test(name) ? [value.trim()] : [],
  );
  return [...values, ...variables].filter(({ length }) => length >= SHORTEST_HIDDEN);
}

function missing(message: string, hint: string): BatchgateError {
  return new BatchgateError(
    'NOT_CONFIGURED',
    `${message}.`,
    `${hint}, where the worker runs, and start it again.`,
  );
}

function unknownSecret(name: string, names: readonly string[]): BatchgateError {
  const list = names.length > 0 ? `There are: ${names.join(', ')}.` : 'There are none yet.';
  return new BatchgateError(
    'NOT_CONFIGURED',
    `The configuration names no secret '${name}'.`,
    `Name it under "secrets" in batchgate.config.json, by the variable or the file that holds it. ${list}`,
  );
}

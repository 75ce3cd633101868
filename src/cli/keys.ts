import { createHash, randomBytes } from 'node:crypto';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { createKey, listKeys, revokeKey } from '../client';
import { ROLES, type ApiKey, type Role } from '../contract/access';
import { oneLine } from '../core/shared/plain-text';
import { withClient } from './connect';
import { note, print, printJson, table } from './output';
import { verb } from './verb';

interface CreateFlags {
  name: string;
  role: Role;
  sessionPrefix?: string;
  expiresInDays?: number;
}

const DAY_MS = 86_400_000;

/** Verbs for keys of the HTTP API. The verb creates the key and prints it once; the store keeps its hash. */
export function addKeyVerbs(program: Command): void {
  const group = program.command('keys').description('keys of the HTTP API, for backends and agents');
  verb(group, 'create', 'create a key; it is shown once', create)
    .requiredOption('--name <name>', 'who uses it, as decisions record it')
    .addOption(new Option('--role <role>', 'what it may do').choices(ROLES).makeOptionMandatory())
    .option('--session-prefix <prefix>', 'only sessions whose id begins with this')
    .option('--expires-in-days <days>', 'refuse it after this many days', days);
  verb(group, 'list', 'all keys, without the keys themselves', async (json) => {
    const keys = await withClient((client, taskQueue) => listKeys(client, taskQueue));
    if (json) return keys.forEach(printJson);
    if (keys.length === 0) return note('There are no keys. Create one with `npx batchgate keys create`.');
    print(table(['KEY', 'NAME', 'ROLE', 'SESSIONS', 'CREATED', 'STATE'], keys.map(rowOf)));
  });
  verb(group, 'revoke <key-id>', 'refuse a key from now on', async (json, keyId: string) => {
    const key = await withClient((client, taskQueue) => revokeKey(client, keyId, taskQueue));
    if (json) printJson(key);
    else print(`The key ${key.key_id} (${oneLine(key.name)}) is revoked.`);
  });
}

async function create(
  json: boolean,
  { name, role, sessionPrefix, expiresInDays }: CreateFlags,
): Promise<void> {
  const secret = `bgk_${randomBytes(32).toString('base64url')}`;
  const expires = expiresInDays === undefined ? undefined : new Date(Date.now() + expiresInDays * DAY_MS);
  const key = {
    name,
    role,
    session_prefix: sessionPrefix,
    ...(expires && { expires_at: expires.toISOString() }),
    hash: createHash('sha256').update(secret).digest('hex'),
  };
  const created = await withClient((client, taskQueue) => createKey(client, key, taskQueue));
  if (json) return printJson({ ...created, key: secret });
  note(`Key ${created.key_id} with the role ${role}. It is shown only this once:`);
  print(secret);
}

function days(text: string): number {
  const value = Number(text);
  if (value > 0 && value <= 36_500) return value;
  throw new InvalidArgumentError('It is not a number of days.');
}

function rowOf(key: ApiKey): string[] {
  const { key_id, name, role, session_prefix = '', created_at } = key;
  return [key_id, name, role, session_prefix === '' ? 'all' : `${session_prefix}…`, created_at, stateOf(key)];
}

function stateOf({ revoked_at, expires_at }: ApiKey): string {
  if (revoked_at !== undefined) return `revoked ${revoked_at}`;
  if (expires_at === undefined) return 'valid';
  return `${Date.parse(expires_at) <= Date.now() ? 'expired' : 'valid until'} ${expires_at}`;
}

import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AuditKey, AuditKeys } from '../contract/audit';
import { BatchgateError } from '../contract/errors';
import type { ConfigFile, SecretSource } from './config-file';
import { makeFolder, replaceFile, whenMissing } from './files';
import { readSource } from './secrets';

/** The place of the installation's key. */
export interface AuditKeyPlace {
  dataDir: string;
  file?: Pick<ConfigFile, 'audit' | 'folder'>;
  env?: Readonly<Record<string, string | undefined>>;
}

const ownFile = ({ dataDir }: AuditKeyPlace) => join(dataDir, 'audit-key.pem');
/** The key that a rotation replaced, until the record contains the rotation. */
const replacedFile = ({ dataDir }: AuditKeyPlace) => join(dataDir, 'audit-key.previous.pem');

/**
 * Reads the key that signs checkpoints: the configured one, or that of the data folder. `make` creates a missing one
 * there, which only this user can read.
 * @throws BatchgateError `NOT_CONFIGURED`
 */
export async function readAuditKeys(place: AuditKeyPlace, make: { make?: boolean } = {}): Promise<AuditKeys> {
  const { file, env = {} } = place;
  const { key, previous_key } = file?.audit ?? {};
  const read = async (source: SecretSource, field: string) =>
    parsed(await readSource(source, `"audit.${field}"`, file?.folder ?? '.', env), `"audit.${field}"`);
  const current = key ? await read(key, 'key') : parsed(await ownKey(place, make), ownFile(place));
  const previous = previous_key
    ? await read(previous_key, 'previous_key')
    : await readPrevious(replacedFile(place));
  // While a rotation begins, both files have the same key.
  const isReplaced = previous !== undefined && previous.public_key !== current.public_key;
  return { current, ...(isReplaced && { previous }) };
}

async function readPrevious(path: string): Promise<AuditKey | undefined> {
  const text = await readFile(path, 'utf8').catch(whenMissing);
  return text === undefined ? undefined : parsed(text, path);
}

async function ownKey(place: AuditKeyPlace, { make = false }: { make?: boolean }): Promise<string> {
  const path = ownFile(place);
  const text = await readFile(path, 'utf8').catch(whenMissing);
  if (text !== undefined) return text;
  if (!make)
    throw new BatchgateError(
      'NOT_CONFIGURED',
      `There is no key of an audit record at ${path}.`,
      'Run this where the worker runs, with its BATCHGATE_DATA_DIR; a worker makes the key when it starts.',
    );
  await makeFolder(place.dataDir, 0o700);
  // If two processes start at once, one of them creates the key.
  await writeFile(path, newKey(), { mode: 0o600, flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  return readFile(path, 'utf8');
}

const newKey = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

function parsed(text: string, what: string): AuditKey {
  let key: KeyObject | undefined;
  try {
    key = createPrivateKey(text);
  } catch {
    // Its error may quote the key.
  }
  if (key?.asymmetricKeyType !== 'ed25519')
    throw new BatchgateError(
      'NOT_CONFIGURED',
      `${what} is not an Ed25519 private key in PEM.`,
      'Make one with `openssl genpkey -algorithm ed25519`, and start the worker again.',
    );
  const own = key;
  return {
    // The last 32 bytes of the encoding are the key itself.
    public_key: createPublicKey(own).export({ type: 'spki', format: 'der' }).subarray(-32).toString('hex'),
    sign: (message) => sign(null, Buffer.from(message), own).toString('hex'),
  };
}

/**
 * Creates a new key in the data folder, and returns its public key. The old key signs it with the next checkpoint, and
 * is then deleted.
 * @throws BatchgateError `NOT_CONFIGURED` if the key is configured elsewhere, or the last rotation is not recorded yet.
 */
export async function rotateAuditKey(place: AuditKeyPlace): Promise<string> {
  if (place.file?.audit.key)
    throw new BatchgateError(
      'NOT_CONFIGURED',
      'The key of the audit record is named in batchgate.config.json.',
      'Put a new key there as "audit.key", name the old one as "audit.previous_key", and start the workers again.',
    );
  const { previous } = await readAuditKeys(place);
  if (previous)
    throw new BatchgateError(
      'NOT_CONFIGURED',
      'The last rotation is not recorded yet.',
      'Run a worker with this data folder, or `npx batchgate audit export`, then rotate the key.',
    );
  // Copy first: a process creates a key if there is none.
  await copyFile(ownFile(place), replacedFile(place));
  await replaceFile(ownFile(place), newKey());
  return (await readAuditKeys(place)).current.public_key;
}

/** Deletes the key that a rotation replaced. For use once the record contains the rotation. */
export const forgetReplacedKey = (place: AuditKeyPlace): Promise<void> =>
  rm(replacedFile(place), { force: true });

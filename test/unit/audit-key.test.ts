import { generateKeyPairSync, verify } from 'node:crypto';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AuditKeys, Checkpoint } from '../../src/contract/audit';
import { forgetReplacedKey, readAuditKeys, rotateAuditKey } from '../../src/host/audit-key';
import { startAuditor } from '../../src/worker/audit';

let dataDir: string;
beforeEach(async () => void (dataDir = await mkdtemp(join(tmpdir(), 'batchgate-key-'))));
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const pem = () =>
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

it('makes a key that only its owner can read, once', async () => {
  await expect(readAuditKeys({ dataDir })).rejects.toMatchObject({ code: 'NOT_CONFIGURED' });
  const [one, other] = await Promise.all([1, 2].map(() => readAuditKeys({ dataDir }, { make: true })));
  expect(one?.current.public_key).toBe(other?.current.public_key);
  expect((await stat(join(dataDir, 'audit-key.pem'))).mode & 0o777).toBe(0o600);
  const { current } = await readAuditKeys({ dataDir });
  const der = Buffer.from(`302a300506032b6570032100${current.public_key}`, 'hex');
  const key = { key: der, format: 'der', type: 'spki' } as const;
  expect(verify(null, Buffer.from('text'), key, Buffer.from(current.sign('text'), 'hex'))).toBe(true);
});

it('keeps the key that a rotation replaces until the record says so', async () => {
  const { current: old } = await readAuditKeys({ dataDir }, { make: true });
  const made = await rotateAuditKey({ dataDir });
  const { current, previous } = await readAuditKeys({ dataDir });
  expect([current.public_key, previous?.public_key]).toEqual([made, old.public_key]);
  await expect(rotateAuditKey({ dataDir })).rejects.toMatchObject({ code: 'NOT_CONFIGURED' });
  for (const file of await readdir(dataDir))
    expect((await stat(join(dataDir, file))).mode & 0o777).toBe(0o600);
  await forgetReplacedKey({ dataDir });
  expect(await readdir(dataDir)).toEqual(['audit-key.pem']);
});

it('takes the key from where the configuration names it, and quotes no key in an error', async () => {
  const audit = { key: { env: 'AUDIT_KEY' }, previous_key: { file: 'old.pem' }, retention_days: {} };
  const place = { dataDir, file: { audit, folder: dataDir }, env: { AUDIT_KEY: pem() } };
  await writeFile(join(dataDir, 'old.pem'), pem());
  expect(Object.keys(await readAuditKeys(place))).toEqual(['current', 'previous']);
  await expect(rotateAuditKey(place)).rejects.toThrow('is named in batchgate.config.json');
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey.export({
    type: 'pkcs8',
    format: 'pem',
  });
  for (const text of ['no key', rsa.toString()]) {
    const wrong = readAuditKeys({ ...place, env: { AUDIT_KEY: text } });
    await expect(wrong).rejects.toThrow('"audit.key" is not an Ed25519 private key in PEM.');
  }
  expect(await readdir(dataDir)).toEqual(['old.pem']);
});

it('makes a checkpoint when a worker starts and when it stops, and tells of each', async () => {
  const asked: AuditKeys[] = [];
  const checkpoint = { seq: 2, hash: 'h', at: 'now', public_key: 'k', signature: 's' };
  const store = {
    append: () => Promise.resolve(),
    configured: () => Promise.resolve(),
    export: () => Promise.resolve({ lines: [] }),
    forget: () => Promise.resolve(0),
    forgetAdministration: () => Promise.resolve(false),
    checkpoint: (keys: AuditKeys) => Promise.resolve(asked.push(keys) === 1 ? [checkpoint] : []),
  };
  const told: Checkpoint[] = [];
  const warned: string[] = [];
  const log = { warn: (_: object, message: string) => void warned.push(message) };
  const auditor = startAuditor(store, { dataDir }, log, (one) => Promise.resolve(void told.push(one)));
  await Promise.all([auditor.stop(), auditor.stop()]);
  expect([asked.length, told, warned]).toEqual([2, [checkpoint], []]);
  const broken = { ...store, checkpoint: () => Promise.reject(new Error('no database')) };
  await startAuditor(broken, { dataDir }, log).stop();
  expect(warned).toEqual(['no checkpoint of the audit record was made']);
});

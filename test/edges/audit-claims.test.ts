import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { createDeliveries } from '../../src/api/deliveries';
import { openStore } from '../../src/postgres/store/open';
import { createFakeAdapter } from '../../src/testing/fake-adapter';
import { newAuditKey, pythonVerifierEnv } from '../helpers/audit';
import { runBatchgate } from '../helpers/command-line';
import { manyItems, startHarness, testServer, type Harness } from '../helpers/harness';
import { startHttpApi, type HttpApi } from '../helpers/http-api';
import { Browser, startIdentityProvider } from '../helpers/identity-provider';
import { personWithPasskey } from '../helpers/passkeys';
import { newStoreUrl } from '../helpers/store';

/**
 * What an auditor shows of a change, with an export, the public key and a verifier, while nothing of ours runs. The
 * people come from a real identity provider, and the record from a PostgreSQL database.
 */
const keys = { current: newAuditKey() };
const CLIENT = { client_id: 'batchgate', client_secret: 'the secret of the client' };
const [CHANGED, SIGNED] = ['item-017', 'item-003'];
const marks = new Map(manyItems(20).map(({ id }) => [id, 'A']));
let folder: string;
let env: NodeJS.ProcessEnv;
let operation: string;
let signed: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'batchgate-claims-'));
  await copyFile(join(__dirname, '../../verifier/verify-audit.mjs'), join(folder, 'verify-audit.mjs'));
  await copyFile(join(__dirname, '../helpers/verify_audit.py'), join(folder, 'verify_audit.py'));
  env = { PATH: process.env['PATH'], PYTHONPATH: (await pythonVerifierEnv())['PYTHONPATH'] };
  const url = await newStoreUrl();
  const provider = await startIdentityProvider();
  const harness = await startHarness({
    adapters: [createFakeAdapter({ items: () => manyItems(20), apply: () => Promise.resolve(), marks })],
    store: await openStore({ dataDir: '', databaseUrl: url }),
    auditKeys: keys,
    policies: [
      {
        name: 'signed',
        when: 'params.group == "signed"',
        require: { from: ['role:approver'], not_requester: true, assurance: 'signed' },
      },
      {
        name: 'two of finance',
        when: 'action == "mark"',
        require: { approvals: 2, from: ['group:finance'], not_requester: true, assurance: 'session' },
      },
    ],
  });
  const { issuer } = provider;
  const openId = {
    ...{ issuer, client_id: CLIENT.client_id, clientSecret: () => Promise.resolve(CLIENT.client_secret) },
    ...{ scope: 'openid profile groups', name_claim: 'name', session_hours: 1 },
    roles: [{ role: 'operator' as const, claim: 'groups', value: 'finance' }],
  };
  const http = await startHttpApi(harness, { openId });
  try {
    await provider.configure({
      clients: [{ ...CLIENT, redirect_uris: [`${http.url}/sign-in/oidc/callback`] }],
      people: Object.fromEntries(
        ['Anna', 'Bert', 'Rita'].map((name) => [name.toLowerCase(), { name, groups: ['finance', 'tennis'] }]),
      ),
    });
    operation = await changedByFinance(http);
    signed = await changedBySignature(harness, http);
    await exported(harness, 'whole.jsonl');
    await exported(harness, 'one.jsonl', '--operation', operation);
    await tampered(url, 'item-017', 'item-018');
    await exported(harness, 'tampered.jsonl', '--operation', operation);
  } finally {
    await http.close();
    await harness.close();
    provider.close();
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Rita asks for a change, and Anna and Bert approve each of its batches. */
async function changedByFinance(http: HttpApi): Promise<string> {
  const [anna, bert, rita] = await Promise.all(
    ['anna', 'bert', 'rita'].map((login) => signedIn(http, login)),
  );
  const params = { group: 'all', mark: 'B' };
  const started = await rita?.('/v1/operations', { domain: 'fake', action: 'mark', params, batch_size: 7 });
  const id = started?.body.operation_id as string;
  const path = `/v1/operations/${id}`;
  for (const number of [1, 2, 3]) {
    const { next_batch: gate } = (await http.done('GET', path)).body;
    const named = { batch: number, attempt: gate.attempt, digest: gate.digest };
    const answers = [rita, anna, bert].map((person) => async () => person?.(`${path}/continue`, named));
    const codes: (number | undefined)[] = [];
    for (const answer of answers) codes.push((await answer())?.status);
    expect([number, codes]).toEqual([number, [403, 202, 200]]);
  }
  const proof = await http.done('GET', `${path}/proof?item_id=${CHANGED}`);
  await writeFile(join(folder, 'proof.json'), JSON.stringify(proof.body));
  return id;
}

/** A person at the identity provider's pages, then at ours. */
async function signedIn(http: HttpApi, login: string) {
  const browser = new Browser();
  const back = await browser.signIn(`${http.url}/sign-in/oidc`, login, `${http.url}/sign-in/oidc/callback`);
  await browser.open(back);
  const me = (await (await browser.open(`${http.url}/v1/me`)).json()) as { form_token: string };
  return async (path: string, body: object) => {
    const headers = {
      ...{ 'content-type': 'application/json', origin: http.url },
      'x-batchgate-form-token': me.form_token,
    };
    const answer = await browser.open(`${http.url}${path}`, {
      ...{ method: 'POST', headers, body: JSON.stringify(body) },
    });
    return { status: answer.status, body: (await answer.json()) as { operation_id?: string } };
  };
}

/** Ada leaves an item out and signs for the rest with a passkey. */
async function changedBySignature(harness: Harness, http: HttpApi): Promise<string> {
  const deliveries = await createDeliveries(harness.store.access);
  const ada = await personWithPasskey(http, deliveries, { name: 'Ada' });
  expect((await ada.register()).status).toBe(303);
  const params = { group: 'signed', mark: 'C' };
  const status = await harness.start({ params, batch_size: 20, requested_by: 'Rita' });
  expect((await ada.sign(status.operation_id, ada.form(status, [1]))).status).toBe(303);
  const [{ passkey_id = '' } = {}] = await harness.store.access.passkeys.listPasskeys();
  expect(await harness.store.access.passkeys.revokePasskey(passkey_id)).toBe(true);
  for (let now = status; now.state !== 'completed';) now = await harness.status(status.operation_id);
  return status.operation_id;
}

async function exported({ taskQueue }: Harness, file: string, ...flags: string[]): Promise<void> {
  const env = { TEMPORAL_ADDRESS: testServer().address, BATCHGATE_TASK_QUEUE: taskQueue };
  const out = join(folder, file);
  const made = await runBatchgate(['audit', 'export', '--out', out, ...flags], { dataDir: folder, env });
  expect(made).toMatchObject({ code: 0 });
}

/** As the owner of the database does who knows everything of it, but has not the key. */
async function tampered(url: string, from: string, to: string): Promise<void> {
  const client = new Client(url);
  await client.connect();
  await client.query('alter table batchgate.audit disable trigger keep_audit');
  const { rowCount } = await client.query(
    `update batchgate.audit set opened = replace(opened::text, $1, $2)::jsonb
      where chain = $3 and kind = 'outcomes' and position($1 in opened::text) > 0`,
    [from, to, operation],
  );
  expect(rowCount).toBeGreaterThan(0);
  await client.end();
}

interface Verdict {
  code: number;
  text: string;
}

/** A command in the auditor's folder, with a crypto library for Python. */
const run = (file: string, args: string[]) =>
  new Promise<Verdict>((resolve) => {
    execFile(file, args, { cwd: folder, env }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, text: stdout + stderr }),
    );
  });

/** Both verifiers about an export, and files that it must show, by name. */
async function verdicts(
  lines: string,
  kind: 'claim' | 'proof',
  files: Record<string, object>,
): Promise<[Verdict, Verdict]> {
  const names = Object.keys(files).map((name) => `${name}.json`);
  for (const [name, content] of Object.entries(files))
    await writeFile(join(folder, `${name}.json`), JSON.stringify(content));
  const key = keys.current.public_key;
  const flags = names.flatMap((name) => [`--${kind}`, name]);
  return Promise.all([
    run(process.execPath, ['verify-audit.mjs', lines, '--key', key, ...flags]),
    run('python3', ['verify_audit.py', lines, key, ...names.map((name) => `${kind}=${name}`)]),
  ]);
}

/** Neither verifier shows any of these. */
async function expectUnshown(kind: 'claim' | 'proof', files: Record<string, object>): Promise<void> {
  const [ours, other] = await verdicts('whole.jsonl', kind, files);
  expect([ours.code, other.code]).toEqual([1, 1]);
  const named = (text: string) => Object.keys(files).filter((name) => text.includes(`${name}.json`));
  expect([ours.text, named(ours.text)]).toEqual([ours.text, Object.keys(files)]);
  expect(ours.text).not.toContain('shows this claim');
  expect(ours.text).not.toContain('was part of');
  expect([other.text, named(other.text)]).toEqual([other.text, Object.keys(files)]);
}

const claim = () => ({
  ...{ operation, batch: 3, item: CHANGED, before: { mark: 'A' }, after: { mark: 'B' } },
  ...{ approved_by: ['Anna', 'Bert'], requester: 'Rita', assurance: 'session' },
});

it('shows who approved exactly which change of an item, from the export of all or of one operation', async () => {
  const proof = JSON.parse(await readFile(join(folder, 'proof.json'), 'utf8')) as object;
  for (const lines of ['whole.jsonl', 'one.jsonl']) {
    const shown = await verdicts(lines, 'claim', { claim: claim() });
    expect(shown).toMatchObject([
      { code: 0, text: expect.stringContaining('shows this claim') },
      { code: 0 },
    ]);
    expect(await verdicts(lines, 'proof', { 'the-proof': proof })).toMatchObject([{ code: 0 }, { code: 0 }]);
  }
});

it('shows no other claim', async () => {
  const others: Record<string, object> = {
    'another-item': { item: 'item-021' },
    'item-of-another-batch': { item: 'item-001' },
    'another-batch': { batch: 2 },
    'another-operation': { operation: 'bulk-other' },
    'another-value-before': { before: { mark: 'B' } },
    'another-value-after': { after: { mark: 'A' } },
    'another-outcome': { outcome: 'failed' },
    'another-approver': { approved_by: ['Anna', 'Carl'] },
    'one-approver-of-two': { approved_by: ['Anna'] },
    'one-more-approver': { approved_by: ['Anna', 'Bert', 'Carl'] },
    'one-approver-twice': { approved_by: ['Anna', 'Anna'] },
    'the-requester-among-the-approvers': { approved_by: ['Anna', 'Rita'] },
    'another-requester': { requester: 'Anna' },
    'a-signature': { assurance: 'signed' },
    'something-else': { approved: true },
  };
  const claims = Object.entries(others).map(([name, change]) => [name, { ...claim(), ...change }] as const);
  await expectUnshown('claim', Object.fromEntries(claims));
});

it('shows a signature of a passkey, which was revoked later, over what was left out', async () => {
  const all = { operation: signed, batch: 1, item: SIGNED, before: { mark: 'B' }, after: { mark: 'C' } };
  const own = { ...all, approved_by: ['Ada'], requester: 'Rita', assurance: 'signed' };
  expect(await verdicts('whole.jsonl', 'claim', { own })).toMatchObject([{ code: 0 }, { code: 0 }]);
  await expectUnshown('claim', { 'left-out': { ...own, item: 'item-002' } });
});

it('refuses a proof of something else', async () => {
  const text = await readFile(join(folder, 'proof.json'), 'utf8');
  const proof = JSON.parse(text) as { proofs: { root: string }[] };
  const edited = (from: string, to: string) => {
    expect(text).toContain(from);
    return JSON.parse(text.replaceAll(from, to)) as object;
  };
  await expectUnshown('proof', {
    'another-item': { ...proof, item_id: 'item-016' },
    'another-operation': { ...proof, operation_id: signed },
    nothing: { ...proof, proofs: [] },
    'another-value': edited('\\"A\\"', '\\"D\\"'),
    'another-question': edited(proof.proofs[0]?.root ?? '', 'f'.repeat(64)),
  });
});

it('finds what the owner of the database changed', async () => {
  const moved = { ...claim(), item: 'item-018' };
  for (const { code, text } of await verdicts('tampered.jsonl', 'claim', { moved })) {
    expect(code).toBe(1);
    expect(text).toMatch(new RegExp(`^line \\d+, row \\d+ of ${operation}: `, 'm'));
  }
});

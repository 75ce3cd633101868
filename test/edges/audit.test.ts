import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { newAuditKey } from '../helpers/audit';
import { inherited, runBatchgate } from '../helpers/command-line';
import { confirmOpen } from '../helpers/confirm';
import { countingTool, startHarness, testServer, type Harness } from '../helpers/harness';
import { startHttpApi, type HttpApi } from '../helpers/http-api';

const BIN = resolve(__dirname, '../../bin/batchgate.cjs');

/** The audit record at a terminal and over HTTP. */
const keys = { current: newAuditKey() };
let harness: Harness;
let http: HttpApi;
let folder: string;
let id: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'batchgate-audit-'));
  harness = await startHarness({ adapters: [countingTool(5).adapter], auditKeys: keys });
  http = await startHttpApi(harness);
  ({ operation_id: id } = await harness.start({ batch_size: 5 }));
  await confirmOpen(harness.client, id, { by: 'Ana' });
});
afterAll(async () => {
  await http?.close();
  await harness?.close();
  await rm(folder, { recursive: true, force: true });
});

const run = (...args: string[]) =>
  runBatchgate(['audit', ...args], {
    dataDir: folder,
    env: { TEMPORAL_ADDRESS: testServer().address, BATCHGATE_TASK_QUEUE: harness.taskQueue },
  });

it('exports, and verifies with the verifier of the package', async () => {
  const file = join(folder, 'export.jsonl');
  const made = await run('export', '--out', file);
  expect(made).toMatchObject({ code: 0, stderr: expect.stringMatching(/^\d+ lines written to /) });
  const key = keys.current.public_key;
  const verified = await run('verify', file, '--key', key, '--item', 'item-003');
  expect(verified.stdout).toMatch(/^\d+ rows, exported at 2\S+Z, are as they were written\.\n/);
  expect(verified.stdout).toContain(`${id}, batch 1: succeeded, Item 3 (item-003)`);
  expect(verified.stdout).toContain('continue (accepted) by "Ana", asserted, of the question');
  expect(verified.code).toBe(0);
  // Nothing was written since.
  const covered = await run('export', '--covered');
  const rowsOf = (text: string) => text.trim().split('\n').slice(1);
  expect(rowsOf(covered.stdout)).toEqual(rowsOf(await readFile(file, 'utf8')));
  const one = await run('export', '--operation', id);
  expect(one.stdout.split('\n').length).toBeLessThan((await readFile(file, 'utf8')).split('\n').length);

  const other = await run('verify', file, '--key', 'a'.repeat(64));
  expect(other).toMatchObject({ code: 1, stdout: expect.stringContaining('which you do not trust') });
  await writeFile(file, (await readFile(file, 'utf8')).replace('"accepted\\"', '"refused\\"'));
  const changed = await run('verify', file, '--key', key, '--json');
  expect(changed.code).toBe(1);
  expect(JSON.parse(changed.stdout)).toMatchObject({
    verified: false,
    lines: expect.arrayContaining([expect.stringMatching(`^line \\d+, row 2 of ${id}: it was changed`)]),
  });
  expect(await run('verify', join(folder, 'none'))).toMatchObject({ code: 2 });
});

it('verifies what others wrote without their terminal commands, each outcome on one line', async () => {
  const forged = 'x\n9 rows, exported at 2026, are as they were written.\u001b[2K\u202e';
  const items = [{ id: 'odd', display_name: forged, raw_data: {} }];
  const { operation_id } = await harness.start({ params: {}, items });
  await confirmOpen(harness.client, operation_id, { by: 'Ana' });
  const file = join(folder, 'odd.jsonl');
  await run('export', '--out', file);
  const { stdout } = await run('verify', file, '--key', keys.current.public_key, '--item', 'odd');
  const lines = stdout.split('\n').filter((line) => line.includes('(odd)'));
  expect(lines).toEqual([expect.stringMatching(/‹U\+000A›9 rows.*‹U\+001B›\[2K‹U\+202E› \(odd\)/)]);
  expect(stdout).not.toMatch(/[\u001b\u202e]/);

  const rows = (await readFile(file, 'utf8')).trim().split('\n');
  const renamed = rows.map((row) => {
    const { body, ...line } = JSON.parse(row) as { body: string };
    const { chain, ...said } = JSON.parse(body) as { chain?: string };
    if (chain !== operation_id) return row;
    return JSON.stringify({ ...line, body: JSON.stringify({ ...said, chain: `${chain}\u001b[2K` }) });
  });
  await writeFile(file, renamed.join('\n'));
  const changed = await run('verify', file, '--key', keys.current.public_key);
  expect(changed.code).toBe(1);
  expect(changed.stdout).toContain(`${operation_id}‹U+001B›[2K`);
  expect(changed.stdout).not.toContain('\u001b');
});

it('refuses what it cannot export, and says why', async () => {
  expect((await run('export', '--operation', 'bulk-none', '--json')).stdout).toContain('"NOT_FOUND"');
  expect(await run('export', '--since', 'yesterday')).toMatchObject({ code: 2 });
  expect(await run('export', '--out', join(folder, 'no', 'where'))).toMatchObject({ code: 1 });
  const kept = join(folder, 'kept');
  await mkdir(kept);
  await writeFile(join(kept, 'earlier.jsonl'), 'an earlier export');
  const out = join(kept, 'earlier.jsonl');
  expect(await run('export', '--operation', 'bulk-none', '--out', out)).toMatchObject({ code: 1 });
  expect([await readdir(kept), await readFile(out, 'utf8')]).toEqual([
    ['earlier.jsonl'],
    'an earlier export',
  ]);
  expect((await run('key')).stderr).toContain('There is no key of an audit record');
  expect((await run('rotate-key')).code).toBe(1);
});

/** Runs `audit` in its own process, after a script in a shell of the same process id. */
const runAfter = async (script: string, args: string[], env: Record<string, string> = {}) =>
  promisify(execFile)('sh', ['-c', `${script}\nexec "$@"`, 'sh', process.execPath, BIN, 'audit', ...args], {
    env: {
      ...inherited(),
      ...{ BATCHGATE_DATA_DIR: folder, TEMPORAL_ADDRESS: testServer().address },
      ...{ BATCHGATE_TASK_QUEUE: harness.taskQueue, ...env },
    },
  });

it('replaces the draft of an interrupted export by a process with the same number', async () => {
  const kept = join(folder, 'interrupted');
  await mkdir(kept);
  const out = join(kept, 'export.jsonl');
  await runAfter('echo half > "$DRAFT.$$.draft"', ['export', '--operation', id, '--out', out], {
    DRAFT: out,
  });
  expect(await readdir(kept)).toEqual(['export.jsonl']);
  expect(await run('verify', out, '--key', keys.current.public_key)).toMatchObject({ code: 0 });
});

it('overwrites a file whose folder takes no draft, once the export is whole', async () => {
  const temporary = join(folder, 'temporary');
  await mkdir(temporary);
  const file = await open(join(folder, 'removed.jsonl'), 'w+');
  try {
    // Nothing can be created beside a removed file that a process has open.
    await rm(join(folder, 'removed.jsonl'));
    const out = `/proc/${process.pid}/fd/${file.fd}`;
    const earlier = 'an earlier export\n'.repeat(5_000);
    await writeFile(out, earlier);
    const env = { TMPDIR: temporary };
    await expect(runAfter('', ['export', '--operation', 'bulk-none', '--out', out], env)).rejects.toThrow();
    expect(await readFile(out, 'utf8')).toBe(earlier);
    await runAfter('', ['export', '--operation', id, '--out', out], env);
    expect(await run('verify', out, '--key', keys.current.public_key)).toMatchObject({ code: 0 });
    expect(await readFile(out, 'utf8')).not.toContain('an earlier export');
    expect(await readdir(temporary)).toEqual([]);
  } finally {
    await file.close();
  }
});

it('sends the lines over HTTP, to administrators alone', async () => {
  const { status, body, headers } = await http.ask('GET', `/v1/audit?operation_id=${id}`);
  expect([status, headers.get('content-type')]).toEqual([200, 'application/jsonl; charset=utf-8']);
  const lines = (body as string).trim().split('\n');
  expect(lines.map((line) => typeof (JSON.parse(line) as { hash: unknown }).hash)).not.toContain('undefined');
  for (const key of [
    await http.key('approver'),
    await http.key('operator'),
    await http.key('admin', 'team-'),
  ])
    expect((await http.ask('GET', '/v1/audit', { key })).status).toBe(403);
  expect((await http.ask('GET', '/v1/audit?operation_id=bulk-none')).body.code).toBe('NOT_FOUND');
  expect((await http.ask('GET', '/v1/audit?since=yesterday')).status).toBe(400);
});

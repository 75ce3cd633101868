import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BulkStatus } from '../../src/contract/operation';
import { createFakeAdapter } from '../../src/testing/fake-adapter';
import { jsonLines, runBatchgate, screenOf, startBatchgate, startOnTerminal } from '../helpers/command-line';
import { countingTool, gateway, manyItems, startHarness, testServer, type Harness } from '../helpers/harness';
import { confirmOpen } from '../helpers/confirm';
import { caughtUp } from '../helpers/look-again';

/** The verbs as separate processes, on pipes and on real pseudo-terminals. */
const ESCAPE = '\u001b';
const CURSOR_CODE = /\u001b\[(\?|\d*[A-HJKSTfhl])/;
const held = new Map<string, Promise<void>>();
const tool = countingTool(10, { apply: async ({ id }) => held.get(id) });

/** A tool that can preview and undo. */
const marks = new Map<string, string>();
const marked = createFakeAdapter({
  toolName: 'marked',
  items: () => manyItems(6),
  apply: () => Promise.resolve(),
  marks,
});

let harness: Harness;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'batchgate-terminal-'));
  harness = await startHarness({ adapters: [tool.adapter, marked], settings: { batches_per_run: 2 } });
});
afterAll(async () => {
  await harness.close();
  await rm(folder, { recursive: true, force: true });
});
afterEach(() => held.clear());

const settings = (env: Record<string, string> = {}) => ({
  dataDir: folder,
  env: { TEMPORAL_ADDRESS: testServer().address, BATCHGATE_TASK_QUEUE: harness.taskQueue, ...env },
});
const run = (...args: string[]) => runBatchgate(args, settings());
const terminal = (args: string[], env?: Record<string, string>) => startOnTerminal(args, settings(env));
const next = (id: string) => confirmOpen(harness.client, id, {});

it('draws the progress of the batch and of the whole while a person waits, and keeps both on the screen', async () => {
  const { operation_id: id } = await harness.start({ batch_size: 5 });
  const { opened, open } = gateway();
  held.set('item-003', opened);
  await run('status', id);
  const verb = terminal(['continue', id]);
  await verb.says('2/5');
  open();
  const { code, stdout } = await verb.ended;
  expect(code).toBe(0);
  const screen = await screenOf(stdout);
  expect(screen[0]).toMatch(/^batch 1 of 2 {2}█{24} {2}5\/5$/);
  expect(screen[1]).toMatch(/^whole {9}█{12}░{12} {2}5\/10 done, 5 remaining$/);
  const [, , ...answer] = screen;
  expect(answer[0]).toBe(`operation  ${id}`);
  const sentence = answer.findIndex((line) => /^Mark each item.* Cannot be undone\.$/.test(line));
  expect(answer[sentence + 1]).toMatch(/^Processed 5 items \(5\/10 total\)/);
  expect(answer.slice(sentence + 2).join('\n')).toContain(`Next: npx batchgate continue ${id}`);
});

it('prints plain lines on a pipe and on a terminal that cannot draw', async () => {
  const { operation_id: id } = await harness.start({ batch_size: 5 });
  await run('status', id);
  const piped = await run('continue', id);
  expect(piped).toMatchObject({ code: 0, stderr: '' });
  expect(piped.stdout).not.toContain(ESCAPE);
  const dumb = await terminal(['continue', id], { TERM: 'dumb' }).ended;
  expect(dumb.stdout).toContain('✅ Completed! Processed 10/10 items.');
  expect(dumb.stdout).not.toContain(ESCAPE);
});

it('colours on a terminal, and never where NO_COLOR is set', async () => {
  const { operation_id: id } = await harness.start({});
  const [coloured, plain] = await Promise.all([
    terminal(['status', id]).ended,
    terminal(['status', id], { NO_COLOR: '1' }).ended,
  ]);
  expect(coloured.stdout).toContain(`${ESCAPE}[33mawaiting_confirmation`);
  expect(plain.stdout).not.toContain(ESCAPE);
  // Each verb reads its own clock, so the age and the time left may differ.
  const ageless = async (output: string): Promise<string> =>
    (await screenOf(output))
      .join('\n')
      .replaceAll(/^(started|expires) .*/gmu, '$1')
      .trim();
  expect(await ageless(coloured.stdout)).toContain(await ageless(plain.stdout));
});

it('watches one operation on a terminal: progress, rate, how long it has been waiting; q quits', async () => {
  const { operation_id: id } = await harness.start({ batch_size: 5 });
  await next(id);
  const { opened, open } = gateway();
  held.set('item-008', opened);
  const verb = terminal(['watch', id]);
  await verb.says('waiting for you since');
  const running = next(id);
  await verb.says('2/5');
  const during = (await screenOf(verb.output)).join('\n');
  expect(during).toContain(`${id}  mark on fake  running_batch`);
  expect(during).toMatch(/7\/10 done, 3 remaining · \d+ items\/min · about .* of work left/);
  expect(during).toContain('batch 2 of 2: 2/5');
  verb.type('q');
  const { code, stdout } = await verb.ended;
  expect(code).toBe(0);
  expect(stdout.lastIndexOf(`${ESCAPE}[?25h`)).toBeGreaterThan(stdout.lastIndexOf(`${ESCAPE}[?25l`));
  open();
  await running;
});

it('watches on a pipe with one line per change, until the operation ends', async () => {
  const { operation_id: id } = await harness.start({ batch_size: 5 });
  const words = startBatchgate(['watch', id], settings());
  const objects = startBatchgate(['watch', id, '--json'], settings());
  await Promise.all([words.says('Ready to mark'), objects.says('Ready to mark')]);
  await next(id);
  await Promise.all([words.says('5/10'), objects.says('(5/10 total)')]);
  await next(id);
  const [plain, json] = await Promise.all([words.ended, objects.ended]);
  expect([plain.code, json.code, plain.stderr, json.stderr]).toEqual([0, 0, '', '']);
  const lines = plain.stdout.trim().split('\n');
  expect(plain.stdout).not.toContain(ESCAPE);
  expect(lines[0]).toContain(`${id}  awaiting_confirmation  0/10  0 failed  Mark each item`);
  expect(lines[0]).toContain('Cannot be undone. Ready to mark 10 items');
  expect(lines.at(-1)).toContain('completed  10/10  0 failed  ✅ Completed!');
  const states = jsonLines(json.stdout);
  expect(states.at(-1)).toMatchObject({ operation_id: id, state: 'completed', succeeded: 10 });
  expect(new Set(states.map((status) => JSON.stringify(status))).size).toBe(states.length);
});

it('watches every live operation until it is interrupted', async () => {
  const one = await harness.start({});
  const other = await harness.start({});
  const verb = startBatchgate(['watch', '--json'], settings());
  await Promise.all([verb.says(one.operation_id), verb.says(other.operation_id)]);
  expect((await verb.interrupt()).code).toBe(0);
});

it('says that a list goes on, and how to see more of it', async () => {
  for (let at = 0; at < 2; at++) await harness.start({ batch_size: 5 });
  await caughtUp(async () => {
    const cut = await run('list', '--limit', '1', '--json');
    expect(jsonLines(cut.stdout)).toHaveLength(1);
    expect(cut.stderr).toBe('Only the first 1 are listed. For more, add --limit 10.\n');
  });
  const whole = await run('list', '--limit', '20000', '--json');
  expect(jsonLines(whole.stdout).length).toBeGreaterThan(1);
  expect(whole.stderr).toBe('');
});

it('answers a watch of a missing operation like any other verb', async () => {
  expect(await run('watch', 'bulk-none', '--json')).toMatchObject({ code: 1 });
});

it("lets no name, id or error move the reader's cursor", async () => {
  const wide = '漢字 👩‍👩‍👧 ok';
  const items = manyItems(6).map((item, at) => ({
    ...item,
    display_name: at === 1 ? wide : item.display_name,
  }));
  items[0] = {
    id: 'bad\u202eid',
    display_name: `Pay now${ESCAPE}[2J${ESCAPE}[1;1H${ESCAPE}[8m\u009b2J\u202egnp.exe\nDone`,
  };
  const { operation_id: id } = await harness.start({ items, params: {}, batch_size: 6 });
  for (const args of [
    ['status', id],
    ['items', id],
    ['watch', id],
    ['report', id],
  ]) {
    const verb = terminal(args, { NO_COLOR: '1' });
    await verb.says(args[0] === 'watch' ? 'remaining' : 'Item 6');
    if (args[0] === 'watch') verb.type('q');
    const { stdout } = await verb.ended;
    if (args[0] !== 'watch') expect(stdout).not.toMatch(CURSOR_CODE);
    expect(stdout).not.toContain(`${ESCAPE}]`);
    expect(stdout).not.toMatch(/[\u0080-\u009f\u202e\u0007]/);
  }
  const { stdout } = await run('items', id);
  const column = (line: string) => (line.includes(wide) ? line.indexOf(wide) : line.indexOf('Item'));
  const rows = stdout.trim().split('\n').slice(2);
  expect(new Set(rows.map(column)).size).toBe(1);
  expect(stdout).toContain('Pay now‹U+001B›[2J');
  expect(stdout).toContain('bad‹U+202E›id');
  const status = jsonLines((await run('status', id, '--json')).stdout)[0] as unknown as BulkStatus;
  expect(status.next_batch?.items[0]).toEqual(items[0]);
});

describe('files', () => {
  it('refuses a file of 100,000 lines by its count, before any call to a server', async () => {
    const path = join(folder, 'large.csv');
    const rows = Array.from({ length: 100_000 }, (_, at) => `${at},"Item, ${at}"`);
    await writeFile(path, `id,display_name\n${rows.join('\n')}\n`);
    const start = ['start', '--domain', 'gmail', '--action', 'star', '--items', path, '--json'];
    const { code, stdout } = await runBatchgate(start, { dataDir: join(folder, 'none') });
    expect(code).toBe(1);
    expect(jsonLines(stdout)).toMatchObject([
      {
        error: {
          code: 'TOO_MANY_ITEMS',
          message: '100000 items match, and one bulk operation takes at most 200. Please narrow the request.',
        },
      },
    ]);
  });

  it('reports each item across continue-as-new in three formats, and names a row that was altered', async () => {
    const items = manyItems(15).map((item) => ({ ...item, display_name: `${item.display_name}, "q" | p` }));
    const { operation_id: id } = await harness.start({ items, params: {}, batch_size: 5 });
    for (let batch = 1; batch <= 3; batch++) await confirmOpen(harness.client, id, { by: 'ana' });
    const csv = await run('report', id);
    expect(csv).toMatchObject({ code: 0, stderr: expect.stringContaining('Next: npx batchgate status') });
    const lines = csv.stdout.trim().split('\n');
    expect(lines).toHaveLength(16);
    expect(lines[0]).toBe(
      'id,display_name,batch,outcome,error,confirmed_by,confirmed_at,finished_at,confirmed_via,confirmed_assurance,asked_at,waited_seconds,confirmed_in,shown_at,read_seconds',
    );
    expect(lines[15]).toMatch(/^item-015,"Item 15, ""q"" \| p",3,succeeded,,ana,2/);
    const jsonl = jsonLines((await run('report', id, '--format', 'jsonl')).stdout);
    expect(jsonl.map((row) => row['batch'])).toEqual([1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3]);
    const md = (await run('report', id, '--format', 'md')).stdout.split('\n');
    expect(md[0]).toBe('Mark each item. Cannot be undone.');
    expect(md[2]).toBe(`| ${lines[0]?.replaceAll(',', ' | ')} |`);
    expect(md[4]).toMatch(/^\| item-001 \| Item 1, "q" \\\| p \| 1 \| succeeded \| {2}\| ana \| /);
    await harness.store.db
      .updateTable('items')
      .set({ state: 'failed' })
      .where('operation_id', '=', id)
      .where('id', '=', 'item-007')
      .execute();
    const altered = await run('report', id);
    expect(altered.code).toBe(1);
    expect(altered.stderr).toContain('item-007: failed in the ledger, succeeded in the history');
  });
});

describe('a preview', () => {
  const LATER = ['--domain', 'marked', '--action', 'mark', '--params', '{"group":"all","mark":"later"}'];
  beforeEach(() => {
    marks.clear();
    marks.set('item-001', 'later').set('item-002', 'a mark of several words').set('item-003', '=1+1');
  });

  it('lists each item before and after in every format, and how to start exactly that operation', async () => {
    const shown = await run('preview', ...LATER);
    expect(shown.code).toBe(0);
    const lines = shown.stdout.split('\n').map((line) => line.trimEnd());
    expect(lines.slice(0, 6)).toEqual([
      'Mark each item of the group “all” with “later”. Can be undone.',
      '6 items in 1 batch; 1 is already so. Nothing was changed.',
      '',
      'batch  id        name    change',
      '1      item-001  Item 1  already so',
      '1      item-002  Item 2  mark: “a mark of several words” → “later”',
    ]);
    const digest = /^digest {2}(\w{64})$/m.exec(shown.stdout)?.[1] ?? '';
    const command = `npx batchgate start ${LATER.slice(0, 4).join(' ')} --params '${LATER[5]}' --expect ${digest}`;
    expect(shown.stderr).toBe(`To start exactly this: ${command}\n`);
    const [whole] = jsonLines((await run('preview', ...LATER, '--json')).stdout);
    expect(whole).toMatchObject({ digest, total: 6, already: 1, change: { reversible: 'yes' } });
    const rows = jsonLines((await run('preview', ...LATER, '--format', 'jsonl')).stdout);
    expect(rows).toEqual(whole?.['items']);
    const csv = (await run('preview', ...LATER, '--format', 'csv')).stdout.split('\n');
    expect(csv.slice(0, 2)).toEqual([
      'id,display_name,batch,before,after,already,skipped,expected_error,reversible,conflict,not_shown',
      'item-001,Item 1,1,mark: “later”,mark: “later”,yes,,,,,',
    ]);
    const md = (await run('preview', ...LATER, '--format', 'md')).stdout.split('\n');
    expect(md[7]).toBe('| 1 | item-002 | Item 2 | mark: “a mark of several words” → “later” |');
  });

  it('starts nothing on a pipe, exactly what it showed on a terminal after a yes, and nothing else later', async () => {
    const piped = await run('start', ...LATER, '--preview');
    expect([piped.code, piped.stdout.includes('Ready to')]).toEqual([0, false]);
    expect(piped.stderr).toContain('Nothing was started. To start exactly this: npx batchgate start');
    const asked = terminal(['start', ...LATER, '--preview']);
    await asked.says('Start exactly this? (y/N)');
    asked.write('y');
    await asked.says('Ready to mark 6 items');
    expect((await asked.ended).code).toBe(0);
    const digest = /^digest {2}(\w{64})$/m.exec(piped.stdout)?.[1] ?? '';
    marks.set('item-004', 'mine');
    const refused = await run('start', ...LATER, '--expect', digest);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(
      'CHANGED_SINCE_PREVIEW: This is not what was previewed: 1 item is changed: Item 4 (item-004) was ' +
        '[mark: none → “later”], is [mark: “mine” → “later”].',
    );
  });
});

it('undoes from the terminal: cancels first on request, and overwrites the named items', async () => {
  marks.clear();
  const { operation_id: id } = await harness.start({ domain: 'marked', batch_size: 5 });
  const shown = await run('status', id);
  expect(shown.stdout).toMatch(/5 items: mark: none → “done”\n +1\. Item 1 \(item-001\)\n/);
  await next(id);
  expect((await run('undo', id)).stderr).toContain(`npx batchgate undo ${id} --cancel-first`);
  marks.set('item-005', 'mine').set('item-004', 'mine');
  const undone = await run('undo', id, '--cancel-first', '--overwrite', 'item-005');
  expect(undone.code).toBe(0);
  expect(undone.stdout).toContain('1 item(s) were changed after the operation and stay as they are:');
  expect((await run('continue', `${id}.undo`)).stdout).toContain('Processed 4/5 items.');
  expect([...marks]).toEqual([['item-004', 'mine']]);
  const csv = (await run('report', `${id}.undo`)).stdout.split('\n');
  expect(csv[0]).toMatch(
    /,finished_at,confirmed_via,confirmed_assurance,before,after,asked_at,waited_seconds,confirmed_in,shown_at,read_seconds$/,
  );
  expect(csv[1]).toMatch(
    /^item-005,Item 5,1,succeeded,.*,mark: “mine”,mark: none,2.*Z,[\d.]+,terminal,2.*Z,[\d.]+$/,
  );
  expect((await run('undo', id, '--overwrite-all', '--json')).stdout).toContain(`"undoes":"${id}"`);
});

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beginBatch } from '../../src/client';
import { DATA_NOTICE } from '../../src/mcp/results';
import { TOOLS } from '../../src/mcp/tools';
import { createFakeAdapter } from '../../src/testing/fake-adapter';
import { startHarness, type Harness } from '../helpers/harness';
import { lure, LURED } from '../helpers/lures';
import { agent, connectAgent, mcpContext, type Connected } from '../helpers/mcp';

/** Agents read two texts for each item that other people wrote: its name, and the error with which it fails. */
const COUNT = 500;
const PAGE = COUNT / 4;
// A lone surrogate reaches no server, because UTF-8 cannot encode it.
const written = (at: number) => Buffer.from(lure(at)).toString();

let harness: Harness;
let reader: Connected;
let macrosDir: string;
const outputs: { tool: string; texts: string[]; data: unknown }[] = [];
const mail = createFakeAdapter({
  toolName: 'mail',
  items: () => Array.from({ length: COUNT }, (_, at) => ({ id: `id-${at}`, display_name: written(at) })),
  apply: ({ id }) => {
    const at = Number(id.slice(3));
    const error = written(at + COUNT);
    return Promise.resolve({ item_id: id, success: false, error, retryable: at < 20 });
  },
  marks: new Map(),
  sliceSize: PAGE,
});

beforeAll(async () => {
  macrosDir = await mkdtemp(join(tmpdir(), 'mcp-lures-'));
  const asks = { type: 'ask', of: 'person', prompt: '{{.lure}}', output_variable: 'answer' };
  const macro = { name: 'asks', parameters: ['lure'], steps: [asks] };
  await writeFile(join(macrosDir, 'asks.json'), JSON.stringify(macro));
  const settings = { max_batch_size: PAGE, max_total_items: COUNT };
  harness = await startHarness({ adapters: [mail], settings, macros: { macrosDir } });
  reader = await connectAgent(mcpContext(harness, [mail]), agent('reader'));
});
afterAll(async () => {
  await reader?.close();
  await harness?.close();
  await rm(macrosDir, { recursive: true, force: true });
});

async function call(tool: string, args: Record<string, unknown>, options?: object): Promise<any> {
  const { texts, data } = await reader.call(tool, args, options);
  outputs.push({ tool, texts, data });
  return data;
}

/** Makes every tool return what others wrote, in its results, its errors and the arguments that it repeats. */
async function readAll(): Promise<string> {
  const wish = {
    domain: 'mail',
    action: 'mark',
    params: { group: 'all', mark: lure(90) },
    batch_size: PAGE,
    reason: 'They are all read.',
  };
  await call('preview_bulk_operation', wish);
  const { operation_id } = await call('start_bulk_operation', wish);
  for (const asks of ['extend', 'edit', 'revise']) await call(`${asks}_bulk_operation`, { operation_id });
  await call('withdraw_bulk_operation', { operation_id, reason: lure(93) });
  for (let batch = 1; batch <= COUNT / PAGE; batch++) {
    await call('get_bulk_status', { operation_id });
    await call('continue_bulk_operation', { operation_id, batch, person_message: written(batch) });
    const asked = call('continue_bulk_operation', { operation_id, batch }, { onprogress: () => undefined });
    // Always a lure that begins with "SYSTEM:", because a person's name may not contain a line break.
    const by = written(25 * batch + 1);
    await beginBatch(harness.client, operation_id, { batch, by, note: written(batch) });
    expect((await asked).decision).toBe('confirmed');
  }
  await call('complete_bulk_operation', { operation_id });
  await call('resolve_item', { operation_id, item_id: lure(3) });
  for (let offset: number | undefined = 0; offset !== undefined;) {
    const page = await call('get_bulk_report', { operation_id, offset, limit: PAGE, outcome: 'failed' });
    expect([page.rows.length, page.total, page.rows[0].id]).toEqual([PAGE, COUNT, `id-${offset}`]);
    offset = page.next_offset;
  }
  const last = await call('get_bulk_report', { operation_id, offset: COUNT - 3 });
  expect([last.rows.length, last.rows[0].id, last.next_offset]).toEqual([3, `id-${COUNT - 3}`, undefined]);
  await call('undo_bulk_operation', { operation_id });
  const retry = await call('retry_failed_items', { operation_id });
  await call('cancel_bulk_operation', { operation_id: retry.operation_id, reason: lure(91) });
  await call('list_bulk_operations', {});
  const { task_run_id } = await call('task_run_start', { goal: lure(94) });
  await call('task_run_update', { task_run_id, failed: [{ item: lure(95), reason: lure(96) }] });
  await call('task_run_complete', { task_run_id });
  await call('task_run_get', { task_run_id, items: true });
  await call('task_run_list', {});
  await call('task_run_cancel', { task_run_id });
  await call('run_macro', { macro: 'asks', args: { lure: lure(92) } });
  await call('start_bulk_operation', { domain: lure(97).slice(0, 50), action: 'mark' });
  await call('describe_tools', { domain: lure(98) });
  await call('list_tools', { name: lure(99) });
  return operation_id;
}

it('stays in its own field of the data, through every tool', async () => {
  const operation_id = await readAll();
  const called = new Set(outputs.map(({ tool }) => tool));
  expect(TOOLS.map(({ name }) => name).filter((name) => !called.has(name))).toEqual([]);
  for (const { tool, texts, data } of outputs) {
    const [said = '', rest = ''] = texts;
    expect([tool, texts.length]).toEqual([tool, 2]);
    expect(said).not.toMatch(LURED);
    const { message = '', next_step = '' } = data as { message?: string; next_step?: string };
    expect(message + next_step).not.toMatch(LURED);
    expect(rest.startsWith(`${DATA_NOTICE}\n`)).toBe(true);
    // One line, without characters that move or hide text.
    const line = rest.slice(DATA_NOTICE.length + 1);
    expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
    expect(JSON.parse(line)).toEqual(data);
  }
  const shown = JSON.stringify(outputs.map(({ data }) => data));
  const missing = Array.from({ length: 2 * COUNT }, (_, at) => JSON.stringify(written(at)).slice(1, -1));
  expect(missing.filter((text) => !shown.includes(text))).toEqual([]);
  for (const uri of ['inbox', `operations/${operation_id}`, `operations/${operation_id}/report`])
    for (const { text } of (await reader.client.readResource({ uri: `batchgate://${uri}` })).contents as {
      text: string;
    }[])
      expect(text).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
});

it('logs each tool and its outcome, and none of the content', async () => {
  const logs: object[] = [];
  const logged = await connectAgent(mcpContext(harness, [mail]), agent('logged'), {}, (client) =>
    client.setNotificationHandler('notifications/message', ({ params }) => void logs.push(params)),
  );
  await logged.client.setLoggingLevel('debug');
  await logged.call('task_run_start', { goal: lure(1), session_id: 'secret-of-the-agent' });
  await logged.call('start_bulk_operation', { domain: lure(2), password: 'secret' });
  expect(logs).toEqual([
    { level: 'info', logger: 'batchgate', data: { tool: 'task_run_start', outcome: 'done' } },
    {
      level: 'warning',
      logger: 'batchgate',
      data: { tool: 'start_bulk_operation', outcome: 'INVALID_INPUT' },
    },
  ]);
  await logged.close();
});

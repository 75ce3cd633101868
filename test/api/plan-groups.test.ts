import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Batchgate } from '../../src/batchgate';
import { handleMessage } from '../../src/client';
import type { BulkAdapter } from '../../src/contract/adapter';
import type { ItemGroup } from '../../src/contract/preview';
import { createFakeAdapter } from '../../src/testing/fake-adapter';
import { runBatchgate } from '../helpers/command-line';
import { manyItems, startHarness, testServer, type Harness } from '../helpers/harness';
import { startHttpApi, type HttpApi } from '../helpers/http-api';
import { agent, connectAgent, mcpContext, type Connected } from '../helpers/mcp';
import { leftoverOf } from '../helpers/page-text';
import { visitorOf } from '../helpers/sign-in';

/** The groups of a plan that are too large for a status, at every door. */
const TOTAL = 15;
const NAMES = Array.from({ length: 18 }, (_, at) => `field ${at + 1}`);
const wordy = (word: string) => Object.fromEntries(NAMES.map((name) => [name, `${word} ${'x'.repeat(24)}`]));
const plain = createFakeAdapter({ items: () => manyItems(TOTAL), apply: () => Promise.resolve() });
const adapter: BulkAdapter = {
  ...plain,
  previewItem: ({ id }) => ({ before: wordy(`old ${Number(id.slice(-1)) % 5}`), after: wordy('new') }),
};

let harness: Harness;
let http: HttpApi;
let connected: Connected | undefined;
let folder: string;
let id: string;
const session_id = 'wordy';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'batchgate-groups-'));
  harness = await startHarness({ adapters: [adapter] });
  http = await startHttpApi(harness);
  ({ operation_id: id } = await harness.start({ batch_size: 5, session_id }));
});
afterAll(async () => {
  await connected?.close();
  await http?.close();
  await harness?.close();
  await rm(folder, { recursive: true, force: true });
});

/** All items, each once, in groups of what happens to them. */
function expectWhole(groups: readonly ItemGroup[]) {
  expect(groups).toHaveLength(5);
  expect(groups.reduce((sum, { count }) => sum + count, 0)).toBe(TOTAL);
  for (const { items = [], count } of groups) expect(items).toHaveLength(count);
  const ids = groups.flatMap(({ items = [] }) => items);
  expect(ids.sort()).toEqual(manyItems(TOTAL).map((item) => item.id));
}

it('says in a status that there are more, and lists them page by page over HTTP and in TypeScript', async () => {
  const { body: status } = await http.done('GET', `/v1/operations/${id}`);
  expect(status.groups_truncated).toBe(true);
  expect(status.groups.length).toBeLessThan(5);
  const pages: ItemGroup[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined;) {
    const next: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const { body } = await http.done('GET', `/v1/operations/${id}/groups?limit=1${next}`);
    expect(body.total).toBe(5);
    pages.push(...body.items);
    cursor = body.next_cursor as string | undefined;
  }
  expectWhole(pages);
  const { client, taskQueue } = harness;
  expectWhole((await new Batchgate({ client, taskQueue }).groups(id)).groups);
  const missing = await http.ask('GET', '/v1/operations/bulk-none/groups');
  expect([missing.status, missing.body.code]).toEqual([404, 'NOT_FOUND']);
});

it('opens to all of them on the page, also for a viewer, and without a script', async () => {
  const viewer = await visitorOf(http, 'viewer');
  const { page } = await viewer.visit(`/operations/${id}`);
  expect(page).toContain('and others');
  const [, link = ''] = /href="([^"]*)">See all of them/.exec(page) ?? [];
  const all = await viewer.visit(link);
  expect(all.status).toBe(200);
  for (const { display_name } of manyItems(TOTAL)) expect(all.page).toContain(`>${display_name}<`);
  expect(leftoverOf(all.page)).toBeUndefined();
});

it('lists them on the command line, and for an agent as a resource', async () => {
  const run = (...args: string[]) =>
    runBatchgate(args, {
      dataDir: folder,
      env: { TEMPORAL_ADDRESS: testServer().address, BATCHGATE_TASK_QUEUE: harness.taskQueue },
    });
  const status = await run('status', id);
  expect(status.stdout).toContain(`npx batchgate status ${id} --groups`);
  const shown = await run('status', id, '--groups');
  for (const item of manyItems(TOTAL)) expect(shown.stdout).toContain(`${item.display_name} (${item.id})`);
  const listed = await run('status', id, '--groups', '--json');
  expectWhole(
    listed.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as ItemGroup),
  );
  connected = await connectAgent(mcpContext(harness, [adapter]), agent('wordy'));
  const input = {
    domain: 'fake',
    action: 'mark',
    params: { group: 'all' },
    batch_size: 5,
    reason: 'They are old.',
  };
  const { data } = await connected.call('start_bulk_operation', input);
  expect(data.groups_truncated).toBe(true);
  const uri = `batchgate://operations/${data.operation_id}/groups`;
  const { contents } = await connected.client.readResource({ uri });
  const [content] = contents;
  expectWhole(
    (JSON.parse(content && 'text' in content ? content.text : '') as { groups: ItemGroup[] }).groups,
  );
  const which = await handleMessage(harness.client, session_id, 'which ones?', {
    task_queue: harness.taskQueue,
  });
  expect(which.reply).toContain('and others');
});

import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { adapterDescriptionSchema } from '../../src/contract/adapter';
import { runBatchgate } from '../helpers/command-line';

/** `batchgate adapters`, also with adapters that a user adds. */
const SHELF = join(__dirname, '../../examples/adapters/shelf-adapters.mjs');
let folder: string;

beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'batchgate-adapters-'))));
afterAll(() => rm(folder, { recursive: true, force: true }));

async function adapters(config: unknown, ...args: string[]) {
  const file = join(folder, 'batchgate.config.json');
  await writeFile(file, typeof config === 'string' ? config : JSON.stringify(config));
  return runBatchgate(['adapters', ...args], { dataDir: folder, env: { BATCHGATE_CONFIG_FILE: file } });
}
const described = async (config: unknown, ...args: string[]) =>
  (await adapters(config, ...args, '--json')).stdout
    .trim()
    .split('\n')
    .map((line) => adapterDescriptionSchema.parse(JSON.parse(line)));

it('lists every adapter with its actions, and the schema of their parameters', async () => {
  const list = await described({});
  const actions = Object.fromEntries(
    list.map((one) => [one.adapter, one.actions.map(({ action }) => action)]),
  );
  expect(actions).toEqual({
    gmail: ['label', 'unlabel', 'archive', 'mark_read', 'mark_unread', 'star', 'trash'],
    calendar: ['delete', 'move', 'patch', 'shift', 'respond'],
    trello: ['archive', 'unarchive', 'move', 'add_label', 'remove_label', 'set_due', 'assign'],
    sql: ['update', 'delete', 'insert', 'upsert'],
    http: ['request'],
    caldav: ['delete', 'move', 'patch', 'shift', 'respond'],
    imap: [
      ...[
        'label',
        'unlabel',
        'move',
        'archive',
        'mark_read',
        'mark_unread',
        'flag',
        'unflag',
        'trash',
        'delete',
      ],
    ],
  });
  for (const { adapter, actions } of list) {
    for (const { action, params, params_with_items } of actions) {
      for (const schema of [params, params_with_items]) {
        // Readers of JSON Schema differ in their support for Unicode properties.
        expect(JSON.stringify(schema)).not.toContain('\\\\p{');
        const reader = z.fromJSONSchema(schema);
        const strays = reader.safeParse({ no_such_parameter: 1 });
        expect([adapter, action, strays.success]).toEqual([adapter, action, false]);
      }
    }
  }
});

it('gives schemas that accept what the adapter accepts', async () => {
  const [gmail] = await described({}, 'gmail');
  const label = gmail?.actions.find(({ action }) => action === 'label');
  const params = z.fromJSONSchema(label?.params ?? {});
  expect(params.safeParse({ sender: 'news@example.org', label_name: 'Later' }).success).toBe(true);
  expect(params.safeParse({ sender: 'news@example.org' }).success).toBe(false);
  const withItems = z.fromJSONSchema(label?.params_with_items ?? {});
  expect(withItems.safeParse({ label_name: 'Later' }).success).toBe(true);
  expect(withItems.safeParse({ sender: 'news@example.org', label_name: 'Later' }).success).toBe(false);
});

it("shows one adapter's parameters to a person, including those of an own adapter", async () => {
  const { stdout } = await adapters({ adapters: [SHELF] }, 'shelf');
  expect(stdout).toContain('move: Move books to another shelf');
  expect(stdout).toMatch(/target_shelf +required +The shelf to move them to/);
});

it.each([
  [{ adapters: ['./none.mjs'] }, 'NOT_CONFIGURED', './none.mjs'],
  [{ adapters: [join(__dirname, '../../examples/adapters/shelf.mjs')] }, 'NOT_CONFIGURED', 'shelf.mjs'],
  [{ adapters: [SHELF, SHELF] }, 'NOT_CONFIGURED', 'Two adapters are named shelf'],
  [{ adaptors: [] }, 'NOT_CONFIGURED', 'adaptors'],
  ['{ not json', 'NOT_CONFIGURED', 'is not valid JSON'],
])('refuses the configuration %j, and says what is wrong with it', async (config, code, said) => {
  const { code: exit, stdout } = await adapters(config, '--json');
  expect(exit).toBe(1);
  const { error } = JSON.parse(stdout);
  expect(error.code).toBe(code);
  expect(error.message).toContain(said);
  expect(error.hint).not.toBe('');
});

it('names the known adapters when asked for another', async () => {
  const { stdout } = await adapters({}, 'slack', '--json');
  const { error } = JSON.parse(stdout);
  expect(error).toMatchObject({
    code: 'UNKNOWN_ADAPTER',
    message: 'No bulk adapter registered for tool: slack',
  });
  expect(error.hint).toContain('gmail');
});

/** Node's loader follows no link after this: https://github.com/nodejs/node/issues/51142 */
const LOOKS_AT_A_SOCKET = `
  const [folder, loader] = process.argv.slice(1);
  const { loadOwn } = require(loader);
  const load = (name, path) => loadOwn({ folder }, [path], { name, shape: require('zod').z.any(), page: '' });
  const server = require('node:net').createServer().listen(folder + '/socket', async () => {
    await load('tools', 'examples/tools/days.mjs');
    require('node:fs').statSync(folder + '/socket');
    const [shelf] = await load('adapters', 'examples/adapters/shelf-adapters.mjs').finally(() => server.close());
    console.log(shelf.toolName);
  });`;

it('loads a module behind a link, whatever file the process looked at last', async () => {
  const root = join(__dirname, '../..');
  for (const name of ['examples', 'dist', 'package.json', 'node_modules'])
    await symlink(join(root, name), join(folder, name));
  const loader = join(root, 'dist/src/worker/own-modules.js');
  const run = promisify(execFile)(process.execPath, ['-e', LOOKS_AT_A_SOCKET, folder, loader], { cwd: root });
  expect((await run).stdout).toBe('shelf\n');
});

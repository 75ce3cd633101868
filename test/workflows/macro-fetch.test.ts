import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { awaitMacro, startMacro } from '../../src/client';
import type { Json, Step } from '../../src/contract/macro';
import { startHarness, type Harness } from '../helpers/harness';
import { macrosOf } from '../helpers/macro-tools';

let folder: string;
let harness: Harness;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'batchgate-resources-'));
  const resourcesDir = join(folder, 'resources');
  await mkdir(join(resourcesDir, 'lists'), { recursive: true });
  await writeFile(join(folder, 'secret.json'), '["outside"]');
  await symlink(join(folder, 'secret.json'), join(resourcesDir, 'link.json'));
  await writeFile(join(resourcesDir, 'lists', 'people.csv'), 'name,age\nAna,41\nBen,9\nCleo,\n');
  const people = [
    { name: 'Ana', age: 41 },
    { name: 'Ben', age: 9 },
    { name: 'Cleo', age: null },
  ];
  await writeFile(join(resourcesDir, 'people.json'), JSON.stringify(people));
  await writeFile(join(resourcesDir, 'marked.json'), `\uFEFF${JSON.stringify(people)}`);
  await writeFile(join(resourcesDir, 'marked.csv'), '\uFEFFname,age\nAna,41\n');
  await writeFile(join(resourcesDir, 'none.csv'), 'name,age\n');
  await writeFile(join(resourcesDir, 'torn.json'), '[{"name": ');
  await writeFile(join(resourcesDir, 'torn.csv'), 'name,age\nAna\n');
  await mkdir(join(resourcesDir, 'folder.json'));
  execFileSync('mkfifo', [join(resourcesDir, 'pipe.json')]);
  harness = await startHarness({ adapters: [], macros: macrosOf([], { resourcesDir }) });
});
afterAll(async () => {
  await harness.close();
  await rm(folder, { recursive: true });
});

async function fetched(step: object): Promise<Json | string> {
  const steps = [
    { type: 'fetch', source: '.', resource: 'people.json', variable: 'rows', ...step },
  ] as Step[];
  const macro = { name: 'fetching', parameters: ['from'], steps };
  const options = { task_queue: harness.taskQueue };
  const { run_id } = await startMacro(harness.client, { macro, args: { from: 10 } }, options);
  const { state, variables, error } = await awaitMacro(harness.client, run_id);
  return state === 'completed'
    ? (variables['rows'] ?? null)
    : `${(error?.details as { code: string }).code}: ${error?.message}`;
}

const older = [{ column: 'age', op: '>', value: '{{.from}}' }];

it('reads a JSON file: filtered by bound values, ordered, limited, or as a single row', async () => {
  expect(await fetched({ filter: older })).toEqual([{ name: 'Ana', age: 41 }]);
  expect(await fetched({ order: [{ column: 'age' }], limit: 2 })).toEqual([
    { name: 'Ben', age: 9 },
    { name: 'Ana', age: 41 },
  ]);
  expect(await fetched({ filter: older, single: true })).toEqual({ name: 'Ana', age: 41 });
  expect(await fetched({ filter: [{ column: 'age', op: 'is_null' }], single: true })).toEqual({
    name: 'Cleo',
    age: null,
  });
  expect(await fetched({ filter: [{ column: 'name', op: 'like', value: '_e%' }] })).toEqual([
    { name: 'Ben', age: 9 },
  ]);
});

it('reads a CSV file, and compares its texts with numbers as numbers', async () => {
  expect(await fetched({ source: 'lists', resource: 'people.csv', filter: older })).toEqual([
    { name: 'Ana', age: '41' },
  ]);
  expect(
    await fetched({
      source: 'lists',
      resource: 'people.csv',
      order: [{ column: 'age', direction: 'desc' }],
      limit: 1,
    }),
  ).toEqual([{ name: 'Ana', age: '41' }]);
});

it('reads files with a byte order mark, and files without rows', async () => {
  expect(await fetched({ resource: 'marked.json', filter: older })).toEqual([{ name: 'Ana', age: 41 }]);
  expect(await fetched({ resource: 'marked.csv' })).toEqual([{ name: 'Ana', age: '41' }]);
  expect(await fetched({ resource: 'none.csv' })).toEqual([]);
});

it('reports what is wrong with a damaged file', async () => {
  expect(await fetched({ resource: 'torn.json' })).toMatch(
    /^INVALID_INPUT: .*'torn.json' cannot be read: line 1, column \d+: it is not valid JSON/,
  );
  expect(await fetched({ resource: 'torn.csv' })).toMatch(
    /^INVALID_INPUT: .*'torn.csv' cannot be read: line 2, column B/,
  );
});

it('fails if one row was requested and there are none or several', async () => {
  expect(await fetched({ single: true })).toContain('TOOL_FAILED: [TOOL ERROR] More than one row');
  expect(await fetched({ single: true, filter: [{ column: 'age', op: '>', value: 99 }] })).toContain(
    '[TOOL ERROR] No row',
  );
});

it.each([
  ['out of the folder', { resource: '../secret.json' }],
  ['out of it by the source', { source: '..', resource: 'secret.json' }],
  ['along a link that leads out', { resource: 'link.json' }],
  ['an absolute path', { source: '/', resource: 'etc/hostname.json' }],
  ['a file that is not there', { resource: 'none.json' }],
  ['a folder', { resource: 'folder.json' }],
  ['a pipe', { resource: 'pipe.json' }],
  ['a file of another kind', { resource: 'people.txt' }],
])('reads nothing %s', async (_, step) => {
  expect(await fetched(step)).toMatch(/^INVALID_INPUT: \[GATEWAY ERROR\] There is no resource/);
});

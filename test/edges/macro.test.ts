import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sharedBackend } from '../helpers/backend';
import { runBatchgate, startBatchgate, type RunningVerb } from '../helpers/command-line';
import { workbook } from '../helpers/workbook';
import { caughtUp } from '../helpers/look-again';

let dataDir: string;
let up: RunningVerb;
let env: Record<string, string>;
const run = (...args: string[]) => runBatchgate(['macro', ...args], { dataDir, env });
const json = ({ stdout }: { stdout: string }) => JSON.parse(stdout) as Record<string, unknown>;

const COUNT = `{
  // Counts who is older.
  "name": "count_older",
  "description": "How many people are older",
  "parameters": ["age"],
  "steps": [
    { "type": "fetch", "source": ".", "resource": "people.csv", "variable": "people",
      "filter": [{ "column": "age", "op": ">", "value": "{{.age}}" }] },
    { "type": "set", "variable": "some", "value": false },
    { "type": "if", "condition": "size(people) > 0", "then": [{ "type": "set", "variable": "some", "value": true }] },
  ]
}`;
const CALLS = `{ "name": "calls", "steps": [
  { "type": "macro", "macro_name": "count_older", "macro_args": { "age": 40 }, "output_variable": "older" },
  { "type": "loop", "list": "{{.older.some}}", "iterator": "i", "steps": [] }
] }`;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'batchgate-macros-'));
  const config = join(dataDir, 'config.json');
  await mkdir(join(dataDir, 'macros'));
  await mkdir(join(dataDir, 'files'));
  await writeFile(config, JSON.stringify({ macros_dir: 'macros', resources_dir: 'files' }));
  await writeFile(join(dataDir, 'files', 'people.csv'), 'name,age\nAna,41\nBen,9\n');
  await writeFile(join(dataDir, 'macros', 'count_older.json'), COUNT);
  await writeFile(join(dataDir, 'macros', 'broken.json'), '{"name": "broken", "steps": [{"type": "sleep"}]}');
  await writeFile(join(dataDir, 'calls.json'), CALLS);
  env = { ...(await sharedBackend()), BATCHGATE_CONFIG_FILE: config };
  up = startBatchgate(['up'], { dataDir, env });
  await up.says('batchgate is up');
});
afterAll(async () => {
  await up.interrupt();
  await rm(dataDir, { recursive: true, force: true });
});

it('runs a macro of macros_dir by its name, reports each step, and traces it afterwards', async () => {
  const ran = await run('run', 'count_older', '--arg', 'age:=10', '--json');
  expect(ran.code).toBe(0);
  const result = json(ran);
  expect(result).toMatchObject({
    state: 'completed',
    variables: { some: true, people: [{ name: 'Ana', age: '41' }] },
  });
  expect(ran.stderr).toMatch(
    /✓ count_older steps\[0\] {2}fetch \. people\.csv \d+ ms\n✓ count_older steps\[1\]/,
  );
  const traced = await run('trace', result['run_id'] as string);
  expect(traced.stdout).toContain('count_older: completed, 4 steps, 1 of at most');
});

it('fetches tables as people have them, and names the place of a mistake', async () => {
  const rowsOf = async (name: string, content: Buffer | string) => {
    await writeFile(join(dataDir, 'files', name), content);
    const steps = [{ type: 'fetch', source: '.', resource: name, variable: 'rows' }];
    const file = join(dataDir, 'fetches.json');
    await writeFile(file, JSON.stringify({ name: 'fetches', steps }));
    const ran = json(await run('run', file, '--json'));
    return (ran['variables'] as { rows: object[] } | undefined)?.rows ?? ran['error'];
  };
  const rows = [{ Name: 'Änne', sum: '1,5' }];
  expect(
    await rowsOf('a.csv', Buffer.from('sep=;\r\nName;sum;\r\n\xc4nne;1,5;\r\n;;\r\n', 'latin1')),
  ).toEqual(rows);
  expect(await rowsOf('a.tsv', Buffer.from('\ufeffName\tsum\nÄnne\t1,5\n', 'utf16le'))).toEqual(rows);
  expect(
    await rowsOf(
      'a.xlsx',
      workbook([
        {
          name: 'S',
          rows: [
            ['Name', 'sum'],
            ['Änne', '1,5'],
          ],
        },
      ]),
    ),
  ).toEqual(rows);
  expect(await rowsOf('c.csv', 'name,sum\nAnna,\\N\nBen,\n')).toEqual([
    { name: 'Anna', sum: null },
    { name: 'Ben', sum: '' },
  ]);
  expect(await rowsOf('b.csv', 'name,sum\nAnna,1\nBen,2,3\n')).toMatchObject({
    message: expect.stringContaining("'b.csv' cannot be read: line 3, column C: “3” is beyond") as string,
  });
  expect(await rowsOf('b.json', '[{"n":1},\n {"n":1e400}]')).toMatchObject({
    message: expect.stringContaining("'b.json' cannot be read: line 2, column 7: The number 1e400") as string,
  });
});

it('exits with 1 and the place of the failure, and with every mistake of a macro that it does not start', async () => {
  const failed = await run('run', join(dataDir, 'calls.json'), '--json');
  expect(failed.code).toBe(1);
  expect(json(failed)).toMatchObject({
    error: {
      code: 'MACRO_FAILED',
      message: "[GATEWAY ERROR] The loop's list is a boolean (calls steps[1]).",
      details: { path: 'steps[1]', state: 'failed', run_id: expect.stringMatching(/^macro-/) as string },
    },
  });
  const refused = await run('run', 'count_older', '--arg', 'aeg=10', '--json');
  expect(refused.code).toBe(1);
  const { error } = json(refused) as { error: { details: { mistakes: object[] } } };
  expect(error).toMatchObject({ code: 'INVALID_INPUT' });
  expect(error.details.mistakes).toHaveLength(2);
  expect((await run('run', 'count_older', '--arg', 'age')).code).toBe(2);
});

it('validates, lists and shows macro files without a server', async () => {
  expect(await run('validate', 'broken')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('broken steps[0].type: unknown step type "sleep"') as string,
  });
  expect(json(await run('validate', join(dataDir, 'calls.json'), '--json'))).toMatchObject({ valid: true });
  const listed = await run('list');
  expect(listed.stdout).toMatch(/count_older +age +How many people are older/);
  expect(listed.stdout).toContain('unknown step type');
  expect((await run('show', 'count_older')).stdout.split('\n').slice(0, 4)).toEqual([
    'count_older: How many people are older',
    'parameters age',
    '  fetch . people.csv',
    '  set some',
  ]);
});

describe('a macro that asks a person', () => {
  const asks = (name: string, steps: object[] = []) => ({
    name,
    steps: [{ type: 'ask', of: 'person', prompt: 'Who is {{.who}}?', output_variable: 'answer' }, ...steps],
    parameters: ['who'],
  });
  const NUMBER = {
    type: 'ask',
    of: 'person',
    prompt: 'How many?',
    output_variable: 'count',
    output_schema: { type: 'number' },
  };
  const any = (...args: string[]) => runBatchgate(args, { dataDir, env });
  const lines = ({ stdout }: { stdout: string }) =>
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const begin = async (name: string, steps: object[] = []) => {
    const file = join(dataDir, `${name}.json`);
    await writeFile(file, JSON.stringify(asks(name, steps)));
    const args = ['macro', 'run', file, '--arg', 'who=Ana', '--session', name, '--id', name];
    const running = startBatchgate(args, { dataDir, env });
    await running.says(`npx batchgate macro answer ${name} --question 1`);
    return running;
  };

  it('continues after Ctrl-C, which says how to follow it, and is answered from elsewhere', async () => {
    const left = await (await begin('leaves', [NUMBER])).interrupt();
    expect(left).toMatchObject({
      code: 130,
      stderr: expect.stringContaining('The macro continues without you.') as string,
      stdout: expect.stringMatching(
        /leaves: awaiting_answer[^]*Who is Ana\?[^]*macro trace leaves\n[^]*macro cancel leaves/,
      ) as string,
    });
    await caughtUp(async () => {
      const listed = lines(await any('list', '--state', 'awaiting_answer', '--json'));
      expect(listed).toEqual([expect.objectContaining({ kind: 'macro', run_id: 'leaves', macro: 'leaves' })]);
    });
    expect((await any('resume', '--session', 'leaves')).stdout).toContain('question 1: Who is Ana?');
    expect((await any('status', 'leaves')).stdout).toContain('question 1: Who is Ana?');

    expect(json(await run('answer', 'leaves', 'A friend', '--json'))).toMatchObject({
      state: 'awaiting_answer',
      questions: [{ number: 2, prompt: 'How many?' }],
    });
    expect(json(await run('answer', 'leaves', 'many', '--json'))).toMatchObject({
      error: { code: 'INVALID_INPUT', message: expect.stringContaining('expected number') as string },
    });
    expect(json(await run('answer', 'leaves', '3', '--question', '1', '--json'))).toMatchObject({
      error: { code: 'NOT_AWAITING_CONFIRMATION', message: 'Question 1 is not open.' },
    });
    expect((await run('answer', 'leaves', '3', '--question', '2')).code).toBe(0);
    expect((await any('watch', 'leaves')).stdout).toContain('leaves: completed');
    expect(json(await run('answer', 'leaves', '3', '--json'))).toMatchObject({
      error: { code: 'OPERATION_CLOSED' },
    });
  });

  it('is paused, resumed and cancelled, by the verbs that a refusal names', async () => {
    const left = await begin('stays');
    void left.interrupt();
    expect(json(await run('pause', 'stays', '--json'))).toMatchObject({ state: 'paused' });
    await caughtUp(async () =>
      expect((await run('runs', '--state', 'paused')).stdout).toMatch(/stays +stays +paused +stays/),
    );
    expect(json(await run('resume', 'stays', '--json'))).toMatchObject({ state: 'awaiting_answer' });
    const task = await any('task', 'start', '--goal', 'look', '--session', 'stays', '--json');
    const { hint } = (json(task) as { error: { hint: string } }).error;
    const [named = ''] = /npx batchgate [^`]+/.exec(hint) ?? [];
    expect(named).toBe('npx batchgate cancel stays');
    expect(await any(...named.split(' ').slice(2))).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('stays: cancelled') as string,
    });
    expect(json(await any('cancel', 'stays', '--json'))).toMatchObject({
      error: { code: 'OPERATION_CLOSED' },
    });
  });

  it('is found by every verb that reads jobs, as is a task run', async () => {
    const left = await begin('seen');
    void left.interrupt();
    await any('task', 'start', '--goal', 'look', '--session', 'looks', '--id', 'looks');
    const ids = (rows: Record<string, unknown>[]) =>
      rows.map((row) => row['run_id'] ?? row['task_run_id']).sort();
    await caughtUp(async () => {
      expect(ids(lines(await any('list', '--session', 'seen', '--json')))).toEqual(['seen']);
    });
    expect(ids(lines(await any('resume', '--json')))).toEqual(['looks', 'seen']);
    const watching = startBatchgate(['watch'], { dataDir, env });
    await Promise.all([watching.says('macro seen  awaiting_answer'), watching.says('task: look  running')]);
    await watching.interrupt();
    await up.interrupt();
    up = startBatchgate(['up'], { dataDir, env });
    await up.says('macro run seen, session seen, since ');
    await up.says('batchgate is up');
    expect(up.output).toContain('task run looks');
    expect((await run('cancel', 'seen')).stdout).toContain('seen: cancelled');
    expect((await any('task', 'cancel', 'looks')).stdout).toContain('look: cancelled');
  });
});

it('reports a folder, a device, a pipe, a missing file and a missing run as such', async () => {
  const pipe = join(dataDir, 'pipe.json');
  execFileSync('mkfifo', [pipe]);
  for (const verb of ['run', 'validate', 'show']) {
    const folder = await run(verb, dataDir, '--json');
    expect(folder.code).toBe(1);
    expect(json(folder)).toMatchObject({ error: { code: 'INVALID_INPUT' } });
  }
  for (const endless of ['/dev/zero', pipe]) {
    expect(json(await run('run', endless, '--json'))).toMatchObject({
      error: { code: 'INVALID_INPUT', message: `${endless} is not a file.` },
    });
  }
  expect(json(await run('show', 'none', '--json'))).toMatchObject({ error: { code: 'NOT_FOUND' } });
  const traced = await run('trace', 'none');
  expect(traced).toMatchObject({ code: 1, stdout: '' });
  expect(traced.stderr).toBe('NOT_FOUND: No such macro run.\nTake the id from `batchgate macro runs`.\n');
});

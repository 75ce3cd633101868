import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sharedBackend } from '../helpers/backend';
import { runBatchgate, startBatchgate, type RunningVerb } from '../helpers/command-line';

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

describe('macro validate with the tools of the configuration', () => {
  const validate = async (steps: object[], tools = ['./days.mjs']) => {
    const [file, config] = ['tooled.json', 'tools.json'].map((name) => join(dataDir, name)) as [
      string,
      string,
    ];
    await writeFile(file, JSON.stringify({ name: 'tooled', steps }));
    await writeFile(config, JSON.stringify({ tools }));
    const verb = ['macro', 'validate', file, '--json'];
    const { code, stdout } = await runBatchgate(verb, { dataDir, env: { BATCHGATE_CONFIG_FILE: config } });
    return {
      code,
      ...(JSON.parse(stdout) as { error?: { code: string; message: string; details?: object } }),
    };
  };
  const command = (name: string, args: object) => ({ type: 'command', command: name, args });
  beforeAll(async () => {
    const source = await readFile(join(__dirname, '../../examples/tools/days.mjs'), 'utf8');
    await writeFile(join(dataDir, 'days.mjs'), source.replace("'zod'", `'${require.resolve('zod')}'`));
    await writeFile(join(dataDir, 'torn.mjs'), 'export const tools = [');
  });

  it('finds no mistake in commands that are built in, of a module, or of the engine', async () => {
    const valid = await validate([
      command('days_between', { from: '2026-11-22', to: '2026-12-24' }),
      command('scratchpad_save', { key: 'found', value: [1] }),
      command('manage_transaction', { action: 'commit' }),
      command('wait_for_bulk_operation', { operation_id: 'bulk-1' }),
    ]);
    expect(valid).toMatchObject({ code: 0, valid: true });
  });

  it('names commands that are not tools, and invalid literal arguments', async () => {
    const { code, error } = await validate([
      command('days_betwen', {}),
      {
        type: 'loop',
        list: [1],
        iterator: 'i',
        steps: [command('days_between', { from: 'today', till: 1 })],
      },
      command('scratchpad_save', { value: 1 }),
      command('manage_transaction', { action: 'end' }),
    ]);
    expect({ code, error }).toMatchObject({ code: 1, error: { code: 'INVALID_INPUT' } });
    const { mistakes } = error?.details as { mistakes: { path: string; message: string; hint: string }[] };
    expect(mistakes.map(({ path, message }) => `${path}: ${message}`)).toEqual([
      "steps[0].command: there is no tool 'days_betwen'",
      "steps[1].steps[0].args: 'to' is missing",
      'steps[1].steps[0].args.from: Invalid ISO date',
      "steps[1].steps[0].args.till: days_between has no argument 'till'",
      "steps[2].args: 'key' is missing",
      expect.stringMatching(/^steps\[3\]\.args\.action: /),
    ]);
    expect(mistakes[0]?.hint).toContain('days_between');
  });

  it('names every mistake of one step at once, including databases and sources, each with its hint', async () => {
    const { error } = await validate([
      command('start_bulk_operation', { action: 7, batch_size: '{{.n}}', items: [{ id: 1 }], itmes: [] }),
      { type: 'fetch', source: 'shop', resource: 'orders', variable: 'rows' },
      { type: 'fetch', source: '.', resource: '{{.n}}', variable: 'more' },
      command('scratchpad_get', { key: 'k'.repeat(151) }),
    ]);
    const { mistakes } = error?.details as { mistakes: { path: string; message: string; hint: string }[] };
    expect(mistakes.map(({ path, message }) => `${path}: ${message}`)).toEqual(
      expect.arrayContaining([
        "steps[0].args: 'domain' is missing",
        'steps[0].args.action: Invalid input: expected string, received number',
        'steps[0].args.items[0].id: Invalid input: expected string, received number',
        "steps[0].args.itmes: start_bulk_operation has no argument 'itmes'",
        expect.stringMatching(/^steps\[3\]\.args/),
        "steps[1].source: There is no database 'shop', and no folder of resources.",
      ]),
    );
    expect(mistakes.every(({ hint }) => hint !== '')).toBe(true);
    expect(mistakes.filter(({ path }) => path.includes('batch_size') || path === 'steps[2].source')).toEqual(
      [],
    );
    const shown = await run('validate', join(dataDir, 'tooled.json'));
    expect(shown.stderr).toContain(
      '  tooled steps[0].args.action: Invalid input: expected string, received number\n    Enclose the value in quotes.',
    );
    await writeFile(join(dataDir, 'based.json'), '{"name": "based", "database": "none", "steps": []}');
    expect((await run('validate', join(dataDir, 'based.json'))).stderr).toContain(
      "there is no database 'none'",
    );
  });

  it('refuses to validate if a module of tools cannot be loaded, and names the module', async () => {
    expect(await validate([command('days_between', {})], ['./days.mjs', './torn.mjs'])).toMatchObject({
      code: 1,
      error: {
        code: 'NOT_CONFIGURED',
        message: expect.stringMatching(/^The tools of \.\/torn\.mjs cannot be used: /) as string,
      },
    });
  });
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
    const listed = lines(await any('list', '--state', 'awaiting_answer', '--json'));
    expect(listed).toEqual([expect.objectContaining({ kind: 'macro', run_id: 'leaves', macro: 'leaves' })]);
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
    expect((await run('runs', '--state', 'paused')).stdout).toMatch(/stays +stays +paused +stays/);
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
    expect(ids(lines(await any('list', '--session', 'seen', '--json')))).toEqual(['seen']);
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

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { profileSchema } from '../../src/contract/profile';
import { toolDescriptionSchema } from '../../src/contract/tools';
import { loadConfig } from '../../src/host/config';
import { TOOLS } from '../../src/mcp/tools';
import { describeTools } from '../../src/worker/tools';
import { runBatchgate, startBatchgate, type RunningVerb } from '../helpers/command-line';
import { seedStore } from '../helpers/embedded';

/** What an operator sees of tools and profiles. */
const examples = join(__dirname, '../../examples/tools/batchgate.config.json');
let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'batchgate-tools-'));
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

describe('batchgate tools', () => {
  const tools = (args: string[] = [], config = examples) =>
    runBatchgate(['tools', ...args], { dataDir, env: { BATCHGATE_CONFIG_FILE: config } });

  it('lists the built-in tools and those of the configuration, one object per line, without a server', async () => {
    const { stdout, code } = await tools(['--json']);
    expect(code).toBe(0);
    const listed = stdout
      .trim()
      .split('\n')
      .map((line) => toolDescriptionSchema.parse(JSON.parse(line)));
    const names = listed.map(({ name }) => name);
    expect(names).toEqual([...names].sort());
    expect(names).toEqual(
      expect.arrayContaining([
        ...['days_between', 'get_bulk_status', 'list_bulk_operations', 'get_completion_guard'],
        'http_request',
        ...['manage_transaction', 'wait_for_bulk_operation'],
        ...['scratchpad_delete', 'scratchpad_get', 'scratchpad_list', 'scratchpad_save'],
        ...['start_bulk_operation', 'task_run_cancel', 'task_run_complete', 'task_run_get', 'task_run_list'],
        ...['task_run_start', 'task_run_update'],
      ]),
    );
    expect(listed.find(({ name }) => name === 'days_between')).toMatchObject({
      category: 'calendar',
      args: { type: 'object', required: ['from', 'to'], additionalProperties: false },
      output: { properties: { days: { type: 'integer' } } },
    });
  });

  it('shows them as a table, and one with its schema', async () => {
    expect((await tools()).stdout).toMatch(
      /^TOOL +CATEGORY +CALLERS +DOES +ARGUMENTS\ndays_between +calendar +all +Counts .* +from, to$/m,
    );
    const { stdout } = await tools(['scratchpad_save']);
    expect(stdout).toMatch(/^scratchpad_save: Saves data/);
    expect(stdout).toContain('"required": [\n    "key",\n    "value"\n  ]');
    const unknown = await tools(['scratchpad_sav', '--json']);
    expect(unknown.code).toBe(1);
    expect(JSON.parse(unknown.stdout)).toMatchObject({
      error: {
        code: 'NOT_FOUND',
        message: "There is no tool 'scratchpad_sav'.",
        hint: expect.stringContaining('scratchpad_save'),
      },
    });
  });

  it('filters them by caller, category and trait, also from code', async () => {
    const names = async (...args: string[]) =>
      (await tools([...args, '--json'])).stdout
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { name: string }).name);
    expect(await names('--domain', 'scratchpad', '--tag', 'read_only')).toEqual([
      'scratchpad_get',
      'scratchpad_list',
    ]);
    const forModels = await names('--caller', 'assistant');
    expect(forModels).toContain('scratchpad_get');
    expect(forModels.filter((name) => name.startsWith('sql_') || name === 'manage_transaction')).toEqual([]);
    const config = { file: loadConfig({}).file, env: {} };
    const described = await describeTools(config, { caller: 'macro', trait: 'transactional' });
    expect(described.map(({ name, callers }) => `${name} ${callers.join()}`)).toEqual([
      'sql_delete macro',
      'sql_insert macro',
      'sql_select macro',
      'sql_update macro',
    ]);
    expect(await tools(['--domain', 'none'])).toMatchObject({ code: 1 });
  });

  it('lists for a caller over MCP the tools of that server, and no other', async () => {
    const rows = (stdout: string) =>
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { name: string; callers: string[] });
    const forMcp = rows((await tools(['--caller', 'mcp', '--json'])).stdout);
    expect(forMcp.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name).sort());
  });

  const TOOL =
    "name: 'own', description: 'x', category: 'x', read_only: true, idempotent: true, transactional: false";
  const REFUSED: [what: string, source: string | undefined, message: RegExp][] = [
    ['a module that is not there', undefined, /The tools of \.\/own-0\.mjs cannot be used: .*own-0\.mjs/],
    ['no export of that name', 'export const tool = [];', /cannot be used: .*expected array/],
    [
      'a tool without a handler',
      `export const tools = [{ ${TOOL} }];`,
      /\[0\]\.args: .*; \[0\]\.handler: is no function/,
    ],
    [
      'the name of a built-in tool',
      `export const tools = [{ ${TOOL.replace('own', 'scratchpad_get')}, args: z.object({}), handler() {} }];`,
      /Two tools are called scratchpad_get\./,
    ],
    [
      'a fallback that is not a tool',
      `export const tools = [{ ${TOOL}, fallback: 'gone', args: z.object({}), handler() {} }];`,
      /The tool own falls back to 'gone', which is not a tool\./,
    ],
  ];
  // Node loads a module once per process, so each case has its own file.
  const cases = REFUSED.map(([what, source, message], at) => ({
    what,
    source,
    message,
    file: `own-${at}.mjs`,
  }));
  it.each(cases)('refuses $what', async ({ source, message, file }) => {
    const config = join(dataDir, 'batchgate.config.json');
    const zod = require.resolve('zod');
    if (source !== undefined) await writeFile(join(dataDir, file), `import { z } from '${zod}';\n${source}`);
    await writeFile(config, JSON.stringify({ tools: [`./${file}`] }));
    const { code, stdout } = await tools(['--json'], config);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      error: { code: 'NOT_CONFIGURED', message: expect.stringMatching(message) },
    });
  });
});

describe('over a worker, the command line', () => {
  const env = {
    TEMPORAL_ADDRESS: process.env['BATCHGATE_TEST_TEMPORAL'] ?? '',
    BATCHGATE_TASK_QUEUE: `tools-${process.pid}`,
  };
  const profile = (...args: string[]) => runBatchgate(['profile', ...args], { dataDir, env });
  const scratchpad = (...args: string[]) =>
    runBatchgate(['scratchpad', ...args, '--session', 'S'], { dataDir, env });
  let worker: RunningVerb;
  const startWorker = async () => {
    worker = startBatchgate(['worker'], { dataDir, env });
    await worker.says('The worker serves');
  };
  beforeAll(async () => {
    await seedStore(dataDir);
    await startWorker();
  });
  afterAll(() => worker.interrupt());

  it('shows the seven settings with their labels, and names what reads each', async () => {
    const { stdout, code } = await profile('get');
    expect(code).toBe(0);
    for (const row of [
      /^Input Gatekeeper +op_user_input_limit_tokens +4000 +assistant/m,
      /^Context Buffer +op_context_limit_tokens +32000 +assistant/m,
      /^Tool Compression +op_tool_output_limit_tokens +4000 +gateway/m,
      /^Max Iterations +op_max_steps +10 +assistant/m,
      /^Tools per Step +op_max_tool_calls_per_step +10 +macros/m,
      /^Global Tool Limit +op_max_total_tool_calls +1000 +macros/m,
      /^Idle Threshold +op_idle_threshold_seconds +3600 +hygiene/m,
    ])
      expect(stdout).toMatch(row);
  });

  it('keeps the values across a restart of the worker, each profile under its name', async () => {
    const set = await profile('set', 'op_max_total_tool_calls', '7', '--json');
    expect(JSON.parse(set.stdout)).toMatchObject({ profile: 'default', op_max_total_tool_calls: 7 });
    await worker.interrupt();
    await startWorker();
    expect(JSON.parse((await profile('get', '--json')).stdout)).toMatchObject({ op_max_total_tool_calls: 7 });
    const other = await profile('get', '--profile', 'night', '--json');
    expect(profileSchema.parse(JSON.parse(other.stdout))).toMatchObject({
      profile: 'night',
      op_max_total_tool_calls: 1_000,
    });
    const back = await profile('set', 'op_max_total_tool_calls', 'default', '--json');
    expect(JSON.parse(back.stdout)).toMatchObject({ op_max_total_tool_calls: 1_000 });
  });

  it('saves values in a scratchpad, shows them page by page, and lists their keys', async () => {
    const file = join(dataDir, 'long.json');
    // It needs many payloads, and some pages end inside an emoji.
    const long = { quotes: '"'.repeat(100_000), faces: '😀'.repeat(70_001) };
    await writeFile(file, JSON.stringify(long));
    expect(await scratchpad('put', 'note', '{"a": 1}')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Saved 12 bytes'),
    });
    expect((await scratchpad('put', 'long', '--file', file, '--as', 'json', '--json')).code).toBe(0);
    const got = async (...args: string[]) =>
      JSON.parse((await scratchpad('get', ...args, '--json')).stdout) as unknown;
    expect(await got('note')).toEqual({ key: 'note', value: '{"a": 1}' });
    expect(await got('long')).toEqual({ key: 'long', value: long });
    expect(await scratchpad('get', 'note', '--offset', '1', '--limit', '4')).toMatchObject({
      stdout: '{\\"a\n',
      stderr: expect.stringContaining('12 characters in all. For the next ones: --offset 5'),
    });
    const first = await scratchpad('list', '--limit', '1', '--json');
    expect(JSON.parse(first.stdout)).toMatchObject({ key: 'long' });
    expect(first.stderr).toContain('2 entries in all. For the next ones: --offset 1');
    expect((await scratchpad('list', '--offset', '1')).stdout).toMatch(
      /^KEY +BYTES +UPDATED\nnote +12 +\d{4}-/,
    );
  });

  it('refuses a value that is too large or not valid JSON, and a missing key, with a hint', async () => {
    const file = join(dataDir, 'large.txt');
    await writeFile(file, '"'.repeat(500_000));
    for (const [args, code, message] of [
      [
        ['put', 'large', '--file', file],
        'INVALID_INPUT',
        'The value has 1000002 bytes, of at most 1000000; nothing was saved.',
      ],
      [
        ['put', 'large', '{', '--as', 'json'],
        'INVALID_INPUT',
        'The value is not valid JSON; nothing was saved.',
      ],
      [['put', 'a blank', 'x'], 'INVALID_INPUT', 'key: 1 to 150 characters without blanks'],
      [['put', 'large'], 'INVALID_INPUT', 'The value is missing or given twice; nothing was saved.'],
      [['get', 'large'], 'NOT_FOUND', "This session's scratchpad has nothing under 'large'."],
    ] as const) {
      const { code: exit, stdout } = await scratchpad(...args, '--json');
      expect(exit).toBe(message.startsWith('The value is missing') ? 2 : 1);
      expect(JSON.parse(stdout)).toMatchObject({
        error: { code, message: expect.stringContaining(message), hint: expect.any(String) },
      });
    }
  });

  it('runs a macro within the limits of the profile that --profile names, else of the default one', async () => {
    const file = join(dataDir, 'twice.json');
    const call = { type: 'command', command: 'scratchpad_list', args: {} };
    await writeFile(file, JSON.stringify({ name: 'twice', steps: [call, call] }));
    expect((await profile('set', 'op_max_total_tool_calls', '1', '--profile', 'one')).code).toBe(0);
    const run = (...args: string[]) =>
      runBatchgate(['macro', 'run', file, '--session', 'S', ...args, '--json'], { dataDir, env });
    const limited = await run('--profile', 'one');
    expect(limited.code).toBe(1);
    expect(JSON.parse(limited.stdout)).toMatchObject({
      error: {
        code: 'INVALID_INPUT',
        details: { mistakes: [{ hint: 'Split the work, or raise op_max_total_tool_calls.' }] },
      },
    });
    expect(JSON.parse((await run()).stdout)).toMatchObject({ state: 'completed' });
  });

  it('refuses an unknown field and a value out of bounds, and names what is allowed', async () => {
    expect(await profile('set', 'op_max', '7')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('op_max_steps'),
    });
    for (const value of ['0', '101', 'many', '1.5']) {
      const { code, stderr } = await profile('set', 'op_max_steps', value);
      expect(code).toBe(2);
      expect(stderr).toContain("Give a whole number from 1 to 100, or 'default'.");
    }
  });
});

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runBatchgate } from '../helpers/command-line';

let dataDir: string;
const run = (...args: string[]) =>
  runBatchgate(['macro', ...args], { dataDir, env: { BATCHGATE_CONFIG_FILE: join(dataDir, 'none.json') } });

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'batchgate-validation-'));
  await writeFile(join(dataDir, 'none.json'), '{}');
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

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

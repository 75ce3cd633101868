import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runBatchgate, startBatchgate } from '../helpers/command-line';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'batchgate-policies-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A verb under a configuration with this text. */
async function under(config: string | object, args: string[], input?: string) {
  const file = join(folder, 'policies.json');
  await writeFile(file, typeof config === 'string' ? config : JSON.stringify(config));
  const env = { BATCHGATE_CONFIG_FILE: file };
  return runBatchgate(args, { dataDir: folder, env, ...(input !== undefined && { input }) });
}

const POLICIES = {
  policies: [
    { name: 'small', when: 'total < 10', require: {} },
    { name: 'deletions', when: 'action == "delete" && domain == "sql"', refuse: 'Archive instead.' },
    {
      name: 'large',
      when: 'total > 100 && requester != "robot"',
      require: { approvals: 2, from: ['role:approver'], not_requester: true, max_batch_size: 5 },
    },
  ],
};
const explained = (args: string[], input?: string) => under(POLICIES, ['policy', 'test', ...args], input);

it('explains in words which policy applies, and why no earlier one does', async () => {
  const { code, stdout } = await explained([
    '--domain',
    'gmail',
    '--action',
    'label',
    '--total',
    '200',
    '--requester',
    'anna',
  ]);
  expect(code).toBe(0);
  expect(stdout.trim().split('\n')).toEqual([
    '1. small: does not match. total < 10 is false; total is 200.',
    '2. deletions: does not match. action == "delete" is false; action is "label".',
    '3. large: matches. total > 100 && requester != "robot" is true.',
    '“large” applies: needs 2 of the role approver; not the requester; at most 5 items at a time.',
  ]);
});

it('takes the question as JSON from the standard input, and answers in JSON', async () => {
  const question = JSON.stringify({
    domain: 'sql',
    action: 'delete',
    total: 20,
    params: { table: 'orders' },
  });
  for (const args of [['--json'], ['--input', '-', '--json']]) {
    const { code, stdout } = await explained(args, question);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ policy: 'deletions', effect: 'refuse' },
      error: { code: 'FORBIDDEN', details: { reason: 'Archive instead.' } },
      tried: [
        { policy: 'small', result: 'not_matched' },
        { policy: 'deletions', result: 'matched' },
      ],
    });
  }
  const none = await explained(['--input', question, '--domain', 'gmail', '--json']);
  expect(JSON.parse(none.stdout)).toEqual({ effect: 'none', tried: expect.any(Array) });
});

it('says that a policy which reads something absent refuses the start', async () => {
  const { code, stdout } = await explained(['--domain', 'gmail', '--action', 'label', '--total', '200']);
  expect(code).toBe(0);
  expect(stdout).toContain('3. large: cannot be evaluated.');
  expect(stdout).toContain('The start is refused. The policy “large” cannot be evaluated');
});

it('refuses a question with a mistake', async () => {
  expect(await explained(['--total', 'many'])).toMatchObject({ code: 2 });
  const { code, stdout } = await explained(['--json', '--input', '{"domian":"gmail"}']);
  expect(code).toBe(1);
  expect(JSON.parse(stdout).error).toMatchObject({ code: 'INVALID_INPUT' });
});

const text = (...policies: string[]) => `{\n  "policies": [\n    ${policies.join(',\n    ')}\n  ]\n}\n`;
const FINE = '{ "name": "fine", "when": "true", "require": {} }';

it.each([
  [
    'does not compile',
    text(FINE, '{\n      "name": "broken",\n      "when": "total > \\"x\\"",\n      "require": {}\n    }'),
    /policies\.json: line 6: policies\[1\]\.when: no such overload.*\(policy “broken”\)/,
  ],
  [
    'asks groups that nothing names',
    text(FINE, '{ "name": "groups", "when": "true", "require": { "from": ["group:finance"] } }'),
    /policies\.json: line 4: policies\[1\]\.require: nobody can satisfy it: it asks group:finance.*\(policy “groups”\)/,
  ],
  [
    'needs more people than it names',
    text('{ "name": "pair", "when": "true", "require": { "approvals": 2, "from": ["person:anna"] } }'),
    /policies\.json: line 3: policies\[0\]\.require: nobody can satisfy it: it needs 2 approvals/,
  ],
  [
    'has an unknown field',
    text(FINE, '{ "name": "odd", "when": "true",\n      "require": { "aprovals": 2 } }'),
    /policies\.json: line 5: policies\[1\]\.require: Unrecognized key: "aprovals" \(policy “odd”\)/,
  ],
  [
    'neither refuses nor requires',
    text('{ "name": "nothing", "when": "true" }'),
    /policies\.json: line 3: policies\[0\]: needs either "refuse".*\(policy “nothing”\)/,
  ],
])('refuses a policy that %s, and names its line', async (_, config, said) => {
  const { code, stderr } = await under(config, ['policy', 'test', '--total', '1']);
  expect(stderr).toMatch(said);
  expect(code).toBe(1);
});

it.each(['worker', 'up', 'serve', 'doctor'])('%s refuses policies that nobody can satisfy', async (verb) => {
  const config = text(FINE, '{ "name": "groups", "when": "true", "require": { "from": ["group:finance"] } }');
  const { code, stdout, stderr } = await under(config, [verb]);
  expect(stdout + stderr).toMatch(/policies\.json: line 4: policies\[1\]\.require: nobody can satisfy it/);
  expect(code).toBe(1);
});

const asking = (require: string) =>
  text(FINE, `{ "name": "asking", "when": "true", "require": { ${require} } }`);
const REFUSED =
  /policies\.json: line 4: policies\[1\]\.require: nobody can satisfy it: it asks .*\(policy “asking”\)/;

it.each(['"assurance": "signed"', '"assurance": "session"', '"from": ["role:approver"]'])(
  'refuses a worker whose store nobody can sign in to: %s',
  async (require) => {
    const { code, stderr } = await under(asking(require), ['worker']);
    expect(stderr).toMatch(REFUSED);
    expect(stderr).toContain('nobody can sign in where this worker runs');
    expect(code).toBe(1);
    const { code: fine } = await under(asking(require), ['policy', 'test', '--total', '1']);
    expect(fine).toBe(0);
  },
);

it.each(['up', 'doctor'])('%s refuses signed approvals without the package for passkeys', async (verb) => {
  const [file, missing] = [join(folder, 'policies.json'), join(folder, 'missing.cjs')];
  await writeFile(file, asking('"assurance": "signed"'));
  await writeFile(
    missing,
    `const { Module } = require('node:module');
    const find = Module._resolveFilename;
    Module._resolveFilename = (name, ...rest) =>
      find(name.startsWith('@simplewebauthn/') ? 'not-there' : name, ...rest);`,
  );
  const env = { BATCHGATE_CONFIG_FILE: file, NODE_OPTIONS: `--require ${missing}` };
  const { code, stdout, stderr } = await startBatchgate([verb], { dataDir: folder, env }).ended;
  expect(stdout + stderr).toMatch(REFUSED);
  expect(stdout + stderr).toContain('the package @simplewebauthn/server is not installed');
  expect(code).toBe(1);
});

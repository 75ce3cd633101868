import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Finished, runBatchgate } from '../helpers/command-line';

/** What a person sees after a mistake: what is wrong, and how to fix it. */
const temporal = process.env['BATCHGATE_TEST_TEMPORAL'] ?? '';
const label = ['start', '--domain', 'gmail', '--action', 'label'];

interface Mistake {
  what: string;
  args: string[];
  env?: Record<string, string>;
  code: number;
  error: string;
  message: RegExp;
  hint: RegExp;
}

const USAGE = { code: 2, error: 'INVALID_INPUT' } as const;
const MISTAKES: Mistake[] = [
  {
    what: 'a misspelt verb',
    args: ['statuss', 'x'],
    ...USAGE,
    message: /unknown command 'statuss'/,
    hint: /Did you mean status\?.*--help/,
  },
  {
    what: 'an unknown verb',
    args: ['explode'],
    ...USAGE,
    message: /'explode'/,
    hint: /npx batchgate --help/,
  },
  {
    what: 'a misspelt option',
    args: ['list', '--stat', 'x'],
    ...USAGE,
    message: /unknown option '--stat'/,
    hint: /Did you mean --state\?.*batchgate list --help/,
  },
  {
    what: 'a missing argument',
    args: ['status'],
    ...USAGE,
    message: /missing required argument 'id'/,
    hint: /batchgate status --help/,
  },
  {
    what: 'a missing option',
    args: ['start', '--domain', 'gmail'],
    ...USAGE,
    message: /--action <action>/,
    hint: /batchgate start --help/,
  },
  {
    what: 'an argument too many',
    args: ['status', 'a', 'b'],
    ...USAGE,
    message: /too many arguments/,
    hint: /batchgate status --help/,
  },
  {
    what: 'parameters that are not valid JSON',
    args: [...label, '--params', '{bad'],
    ...USAGE,
    message: /--params <json>.*not valid JSON/,
    hint: /--help/,
  },
  {
    what: 'a number that is none',
    args: ['continue', 'x', '--batch', 'one'],
    ...USAGE,
    message: /--batch <n>.*not a whole number/,
    hint: /--help/,
  },
  {
    what: 'a state that there is not',
    args: ['list', '--state', 'lost'],
    ...USAGE,
    message: /Allowed choices are preparing, /,
    hint: /--help/,
  },
  {
    what: 'two options that exclude each other',
    args: ['undo', 'x', '--cancel-first', '--wait'],
    ...USAGE,
    message: /--cancel-first and --wait exclude each other/,
    hint: /Give one of them/,
  },
  {
    what: 'an id and a session',
    args: ['resume', 'x', '--session', 's'],
    ...USAGE,
    message: /Both an id and a session/,
    hint: /Give one of them/,
  },
  {
    what: 'a limit that is none',
    args: ['profile', 'set', 'op_max_steps', 'many'],
    ...USAGE,
    message: /op_max_steps cannot be 'many'/,
    hint: /a whole number from 1 to 100/,
  },
  {
    what: 'a file that is not there',
    args: [...label, '--items', 'nowhere.csv'],
    code: 1,
    error: 'INVALID_INPUT',
    message: /nowhere\.csv/,
    hint: /Check its name/,
  },
  {
    what: 'no server',
    args: ['status', 'x'],
    code: 3,
    error: 'TEMPORAL_UNAVAILABLE',
    message: /No Temporal server is configured/,
    hint: /npx batchgate up.*TEMPORAL_ADDRESS/,
  },
  {
    what: 'a server that does not answer',
    args: ['status', 'x'],
    env: { TEMPORAL_ADDRESS: '127.0.0.1:1' },
    code: 3,
    error: 'TEMPORAL_UNAVAILABLE',
    message: /127\.0\.0\.1:1/,
    hint: /TEMPORAL_ADDRESS/,
  },
  {
    what: 'TLS to a server without',
    args: ['status', 'x'],
    env: { TEMPORAL_ADDRESS: temporal, TEMPORAL_TLS: 'true' },
    code: 3,
    error: 'TEMPORAL_UNAVAILABLE',
    message: /cannot be reached/,
    hint: /TLS settings/,
  },
  {
    what: 'a certificate that is not there',
    args: ['status', 'x'],
    env: {
      TEMPORAL_ADDRESS: temporal,
      TEMPORAL_TLS_CLIENT_CERT_PATH: '/nowhere',
      TEMPORAL_TLS_CLIENT_KEY_PATH: '/nowhere',
    },
    code: 1,
    error: 'NOT_CONFIGURED',
    message: /\/nowhere/,
    hint: /TEMPORAL_/,
  },
  {
    what: 'an id that there is not',
    args: ['status', 'bulk-none'],
    env: { TEMPORAL_ADDRESS: temporal },
    code: 1,
    error: 'NOT_FOUND',
    message: /No such operation/,
    hint: /batchgate list/,
  },
  {
    what: 'an id that is empty',
    args: ['continue', ''],
    env: { TEMPORAL_ADDRESS: temporal },
    code: 1,
    error: 'INVALID_INPUT',
    message: /WorkflowId is not set/,
    hint: /operation id/,
  },
  {
    what: 'an id of its own with a control character',
    args: [...label, '--params', '{"sender":"a@b.example"}', '--id', 'a\tb'],
    env: { TEMPORAL_ADDRESS: temporal },
    code: 1,
    error: 'INVALID_INPUT',
    message: /operation id is not valid: holds a control character/,
    hint: /Correct/,
  },
  {
    what: 'a secret in the open',
    args: [
      ...['start', '--domain', 'http', '--action', 'request', '--items', 'examples/http/parcels.csv'],
      ...[
        '--params',
        '{"method":"GET","url":"https://a.example/{{id}}","headers":{"Authorization":"Bearer 1"}}',
      ],
    ],
    env: { TEMPORAL_ADDRESS: temporal },
    code: 1,
    error: 'INVALID_INPUT',
    message: /params\.headers\.Authorization holds a secret in the open, and/,
    hint: /\{ "secret": NAME \}.*"secrets" in batchgate\.config\.json/,
  },
  {
    what: 'an address in the clear for what carries a secret',
    args: ['list'],
    env: { BATCHGATE_TRELLO_BASE_URL: 'http://trello.example' },
    code: 1,
    error: 'NOT_CONFIGURED',
    message: /BATCHGATE_TRELLO_BASE_URL: must be https, or http on this machine/,
    hint: /\.env\.example/,
  },
  {
    what: 'a limit in a variable that is no number',
    args: ['list'],
    env: { BATCHGATE_MAX_BATCH_SIZE: 'ten' },
    code: 1,
    error: 'NOT_CONFIGURED',
    message: /BATCHGATE_MAX_BATCH_SIZE: must be a whole number of 1 or more/,
    hint: /\.env\.example/,
  },
  {
    what: 'a configuration file that is missing',
    args: ['list'],
    env: { BATCHGATE_CONFIG_FILE: 'nowhere.json' },
    code: 1,
    error: 'NOT_CONFIGURED',
    message: /nowhere\.json: there is no such file/,
    hint: /fields of the configuration file/,
  },
  {
    what: 'a namespace that there is not',
    args: ['status', 'x'],
    env: { TEMPORAL_ADDRESS: temporal, TEMPORAL_NAMESPACE: 'nowhere' },
    code: 1,
    error: 'NOT_CONFIGURED',
    message: /nowhere/,
    hint: /TEMPORAL_NAMESPACE/,
  },
  {
    what: 'a namespace that there is not, for a list',
    args: ['list'],
    env: { TEMPORAL_ADDRESS: temporal, TEMPORAL_NAMESPACE: 'nowhere' },
    code: 1,
    error: 'NOT_CONFIGURED',
    message: /nowhere/,
    hint: /TEMPORAL_NAMESPACE/,
  },
  {
    what: 'a data folder that is a file',
    args: ['up'],
    env: { BATCHGATE_DATA_DIR: __filename },
    code: 1,
    error: 'NOT_CONFIGURED',
    message: /mistakes\.test\.ts/,
    hint: /BATCHGATE_DATA_DIR/,
  },
  {
    what: 'a data folder that nobody can make',
    args: ['up'],
    env: { BATCHGATE_DATA_DIR: '/proc/nowhere/data' },
    code: 1,
    error: 'NOT_CONFIGURED',
    message: /\/proc.* cannot be used/,
    hint: /BATCHGATE_DATA_DIR/,
  },
  {
    what: 'a wrong setting',
    args: ['list'],
    env: { BATCHGATE_MAX_BATCH_SIZE: 'many' },
    code: 1,
    error: 'NOT_CONFIGURED',
    message: /BATCHGATE_MAX_BATCH_SIZE/,
    hint: /\.env\.example/,
  },
];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'batchgate-mistakes-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it.each(MISTAKES)('says how to fix $what', async ({ args, env = {}, code, error, message, hint }) => {
  const options = { dataDir: join(folder, 'data'), env };
  const runs = [args, [...args, '--json']].map((words) => runBatchgate(words, options));
  const [words, json] = (await Promise.all(runs)) as [Finished, Finished];

  expect(words.code).toBe(code);
  expect(words.stdout).toBe('');
  expect(words.stderr).toMatch(message);
  expect(words.stderr).toMatch(hint);
  expect(words.stderr).not.toMatch(/\n {4}at /);
  expect(json.code).toBe(code);
  expect(JSON.parse(json.stdout)).toEqual({
    error: expect.objectContaining({
      code: error,
      message: expect.stringMatching(message),
      hint: expect.stringMatching(hint),
    }),
  });
});

it('reports once that there is nothing to watch', async () => {
  const options = { dataDir: folder, env: { TEMPORAL_ADDRESS: temporal } };
  const { code, stderr } = await runBatchgate(['watch', 'bulk-none'], options);
  expect(code).toBe(1);
  expect(stderr.match(/No such operation/g)).toHaveLength(1);
});

it('shows the verbs if none is named, and its version on request', async () => {
  const none = await runBatchgate([], { dataDir: folder });
  const version = await runBatchgate(['--version'], { dataDir: folder });

  expect(none).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('Commands:') });
  expect(version).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
});

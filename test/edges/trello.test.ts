import { access, chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Diagnosis } from '../../src/cli/doctor';
import { sharedBackend } from '../helpers/backend';
import { runBatchgate, startBatchgate, startOnTerminal, type Finished } from '../helpers/command-line';
import { modeOf } from '../helpers/google';
import { startTrello, type Trello } from '../helpers/trello-server';
import { KEY, TOKEN } from '../helpers/trello-world';

/** The built command line against a Trello server of our own, from the login to the report. */
let trello: Trello;
let dataDir: string;
/** All output of a test's processes. */
let printed: string;

beforeEach(async () => {
  trello = await startTrello();
  dataDir = await mkdtemp(join(tmpdir(), 'batchgate-trello-'));
  printed = '';
});
afterEach(async () => {
  await trello.close();
  await rm(dataDir, { recursive: true, force: true });
});

type Env = Record<string, string>;
const options = (env: Env = {}) => ({ dataDir, env: { BATCHGATE_TRELLO_BASE_URL: trello.url, ...env } });
async function ended(running: Promise<Finished>): Promise<Finished> {
  const finished = await running;
  printed += finished.stdout + finished.stderr;
  return finished;
}
async function run(args: string[], { input, env }: { input?: string; env?: Env } = {}) {
  const { stdout, ...finished } = await ended(runBatchgate([...args, '--json'], { ...options(env), input }));
  return { ...finished, stdout, value: JSON.parse(stdout.trim().split('\n')[0]!) };
}
const login = (input: string, ...flags: string[]) => run(['login', 'trello', ...flags], { input });
const file = () => join(dataDir, 'credentials', 'trello.json');
const nothingStored = () => expect(access(file())).rejects.toThrow('ENOENT');
const trelloRow = async (env?: Env) =>
  ((await run(['doctor'], { env })).value as Diagnosis).checks.find(({ name }) => name === 'trello');

describe('login', () => {
  it('names the page, reads the token from a pipe, asks Trello for its member, and stores it for its owner only', async () => {
    const { code, value, stderr } = await login(` ${TOKEN} `, '--key', KEY, '--expiration', '30days');
    expect(code).toBe(0);
    expect(value).toEqual({ provider: 'trello', username: 'sam', file: file() });
    const page = new URL(/^http\S+$/m.exec(stderr)![0]);
    expect(page.origin + page.pathname).toBe(`${trello.url}/1/authorize`);
    expect(Object.fromEntries(page.searchParams)).toEqual({
      response_type: 'token',
      scope: 'read,write',
      expiration: '30days',
      name: 'batchgate',
      key: KEY,
    });
    expect(JSON.parse(await readFile(file(), 'utf8'))).toEqual({ key: KEY, token: TOKEN, username: 'sam' });
    expect(await modeOf(file())).toBe('600');
    expect(printed).not.toContain(TOKEN);
  });

  it('reads the token on a terminal without showing it', async () => {
    const verb = startOnTerminal(['login', 'trello', '--key', KEY], options());
    await verb.says('Token (not shown): ');
    verb.type(`${TOKEN}\r`);
    expect(await ended(verb.ended)).toMatchObject({ code: 0 });
    expect(printed).toContain(`Logged in to Trello as sam. The login is in ${file()}.`);
    expect(printed).not.toContain(TOKEN);
  });

  it('treats Ctrl-C on a terminal as a no', async () => {
    const verb = startOnTerminal(['login', 'trello', '--key', KEY], options());
    await verb.says('Token (not shown): ');
    verb.type('\u0003');
    expect(await ended(verb.ended)).toMatchObject({ code: 1 });
    expect(printed).toContain('No token was given; nothing was stored.');
    await nothingStored();
  });

  it.each([
    ['without a key', TOKEN, [], 'NOT_CONFIGURED', /No Trello API key/],
    [
      'with a key that Trello does not know',
      TOKEN,
      ['--key', 'another'],
      'CREDENTIALS_INVALID',
      /not accept/,
    ],
    ['with a token that is over', 'ATTA-of-yesterday', ['--key', KEY], 'CREDENTIALS_INVALID', /not accept/],
    [
      'with something else in the clipboard',
      'Dear "Sam"',
      ['--key', KEY],
      'CREDENTIALS_INVALID',
      /not a key/,
    ],
    ['at the end of input', '', ['--key', KEY], 'CREDENTIALS_INVALID', /No token was given/],
  ])('refuses %s, and stores nothing', async (_what, input, flags, code, message) => {
    const refused = await login(input, ...flags);
    expect(refused.code).toBe(1);
    expect(refused.value.error).toMatchObject({ code, message: expect.stringMatching(message) });
    expect(refused.value.error.hint).not.toBe('');
    if (input !== '') expect(printed).not.toContain(input);
    await nothingStored();
  });

  it('revokes a token at Trello first and then deletes it here, and keeps it if Trello cannot be reached', async () => {
    await login(TOKEN, '--key', KEY);
    const forget = (env?: Env) => run(['login', 'trello', '--forget'], { env });
    expect(await forget({ BATCHGATE_TRELLO_BASE_URL: 'http://127.0.0.1:1' })).toMatchObject({
      code: 1,
      value: { error: { code: 'ADAPTER_UNAVAILABLE' } },
    });
    await access(file());
    expect(await forget()).toMatchObject({ code: 0, value: { provider: 'trello', revoked: true } });
    expect(trello.world.tokens.has(TOKEN)).toBe(false);
    await nothingStored();
    expect(await forget()).toMatchObject({ code: 1, value: { error: { code: 'NOT_FOUND' } } });
    expect(printed).not.toContain(TOKEN);
  });
});

it('doctor reports which account is in use, and what is wrong with it', async () => {
  expect(await trelloRow()).toMatchObject({
    status: 'ok',
    detail: expect.stringMatching(/^no Trello account is configured.*npx batchgate login trello/),
  });
  await login(TOKEN, '--key', KEY);
  expect(await trelloRow()).toMatchObject({ status: 'ok', detail: `the login of sam in ${file()}` });
  expect(await trelloRow({ BATCHGATE_TRELLO_KEY: KEY, BATCHGATE_TRELLO_TOKEN: TOKEN })).toMatchObject({
    status: 'ok',
    detail: expect.stringContaining('BATCHGATE_TRELLO_TOKEN'),
  });
  expect(await trelloRow({ BATCHGATE_TRELLO_TOKEN: TOKEN })).toMatchObject({
    status: 'problem',
    remedy: expect.stringContaining('BATCHGATE_TRELLO_KEY'),
  });
  await chmod(file(), 0o644);
  expect(await trelloRow()).toMatchObject({
    status: 'problem',
    remedy: expect.stringContaining('chmod 600'),
  });
  expect(printed).not.toContain(TOKEN);
});

it('archives the cards of a list in confirmed batches, with a new login in between, and reports each', async () => {
  const up = startBatchgate(['up'], options(await sharedBackend()));
  try {
    await up.says('batchgate is up');
    const params = JSON.stringify({ board: 'product', list: 'to do' });
    const start = () =>
      run(['start', '--domain', 'trello', '--action', 'archive', '--params', params, '--batch-size', '6']);
    expect((await start()).value.error).toMatchObject({
      code: 'NOT_CONFIGURED',
      hint: expect.stringContaining('npx batchgate login trello'),
    });

    await login(TOKEN, '--key', KEY);
    const { value: begun } = await start();
    expect(begun).toMatchObject({
      state: 'awaiting_confirmation',
      message: "Ready to archive 12 cards in batches of 6. Say 'continue' to start, or 'cancel' to abort.",
    });
    const cards = trello.world.cards.filter(({ idList }) => idList === trello.todo.id);
    expect(cards.some(({ closed }) => closed)).toBe(false);
    const moved = cards.find(({ name }) => name === 'Task 9')!;
    moved.idList = trello.doing.id;

    const id = String(begun.operation_id);
    await run(['continue', id, '--by', 'sam']);
    expect(cards.filter(({ closed }) => closed)).toHaveLength(5);
    const { value: done } = await run(['continue', id, '--by', 'sam']);
    expect(done).toMatchObject({ state: 'completed', succeeded: 11, skipped: 1 });
    expect(cards.filter(({ closed }) => !closed)).toEqual([moved]);

    const report = (await run(['report', id, '--format', 'jsonl'])).stdout.trim().split('\n');
    expect(report).toHaveLength(12);
    expect(report.map((line) => JSON.parse(line) as object)).toContainEqual(
      expect.objectContaining({
        id: moved.id,
        display_name: 'Task 9',
        outcome: 'skipped',
        error: expect.stringContaining('list was “To do”, is now “Doing”') as string,
        confirmed_by: 'sam',
      }),
    );
    const again = await run(['retry-failed', id]);
    expect(again.value).toMatchObject({ total: 1, state: 'awaiting_confirmation' });
    await run(['continue', String(again.value.operation_id)]);
    expect(moved.closed).toBe(true);
  } finally {
    printed += (await up.interrupt()).stderr;
  }
  expect(printed).not.toContain(TOKEN);
});

import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Diagnosis } from '../../src/cli/doctor';
import { runBatchgate } from '../helpers/command-line';
import { startModelServer } from '../helpers/model-server';

const KEY = 'a-key-that-nobody-may-see';
let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'batchgate-doctor-'));
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

/** What `doctor` reports about the model with these variables. The key must not appear in it. */
async function modelWith(variables: { BASE_URL?: string; NAME?: string; API_KEY?: string }) {
  const env = Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [`BATCHGATE_MODEL_${name}`, value]),
  );
  const { code, stdout, stderr } = await runBatchgate(['doctor', '--json'], { dataDir, env });
  expect(stdout + stderr).not.toContain(KEY);
  const { checks } = JSON.parse(stdout) as Diagnosis;
  // On a busy machine another check may get no answer in time.
  expect(code).toBe(checks.some(({ status }) => status === 'problem') ? 1 : 0);
  return { ...checks.find(({ name }) => name === 'model') };
}

/** What `doctor` reports about a model whose server answers this way, and the requests to that server. */
async function modelAnswering(answer: RequestListener, variables: { API_KEY?: string } = { API_KEY: KEY }) {
  const asked: { url?: string; method?: string; authorization?: string }[] = [];
  const server = createServer((request, response) => {
    const { url, method, headers } = request;
    asked.push({ url, method, authorization: headers.authorization });
    void answer(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const said = await modelWith({ BASE_URL: `http://${host}/v1/`, NAME: 'local', ...variables });
    return { ...said, asked, host };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

it('reports that none is configured, which is not a problem, and what to set', async () => {
  expect(await modelWith({})).toMatchObject({
    status: 'ok',
    detail: expect.stringMatching(/^none is configured.*BATCHGATE_MODEL_BASE_URL and BATCHGATE_MODEL_NAME/),
  });
});

it('finds one that answers', async () => {
  const model = await startModelServer();
  try {
    const said = await modelWith({ BASE_URL: `${model.url}/v1`, NAME: 'local', API_KEY: KEY });
    expect(said).toMatchObject({ status: 'ok', detail: `local at ${new URL(model.url).host}` });
  } finally {
    await model.stop();
  }
});

it('reads one list with the key, and sends nothing to the model', async () => {
  const { asked, status } = await modelAnswering((_, response) => response.end('{"data":[]}'));
  expect(status).toBe('ok');
  expect(asked).toEqual([{ url: '/v1/models', method: 'GET', authorization: `Bearer ${KEY}` }]);
});

it.each([
  [401, { API_KEY: KEY }, 'problem', /refuses our key \(401\)$/, 'Correct BATCHGATE_MODEL_API_KEY.'],
  [403, { API_KEY: KEY }, 'problem', /refuses our key \(403\)$/, 'Correct BATCHGATE_MODEL_API_KEY.'],
  [401, {}, 'problem', /requires a key \(401\)$/, 'Set BATCHGATE_MODEL_API_KEY.'],
  [404, { API_KEY: KEY }, 'warning', /with 404/, expect.stringContaining('often ends in /v1')],
  [302, { API_KEY: KEY }, 'warning', /with 302/, expect.stringContaining('BATCHGATE_MODEL_BASE_URL')],
  [503, { API_KEY: KEY }, 'warning', /with 503/, expect.stringContaining('again later')],
])('distinguishes an answer with %d to %j: %s', async (answered, variables, status, detail, remedy) => {
  const said = await modelAnswering(
    ({ headers }, response) =>
      response.writeHead(answered, { location: '/v1/elsewhere' }).end(`no, ${headers.authorization}`),
    variables,
  );
  expect(said).toMatchObject({ status, detail: expect.stringMatching(detail), remedy });
  expect(said.detail).toContain(`local at ${said.host}`);
  expect(said.asked).toHaveLength(1);
});

it('names the address of a model that cannot be reached, or never answers', async () => {
  const unreachable = await modelWith({ BASE_URL: 'http://127.0.0.1:1/v1', NAME: 'local', API_KEY: KEY });
  expect(unreachable).toMatchObject({
    status: 'problem',
    detail: 'local at 127.0.0.1:1 cannot be reached',
    remedy: 'Start it, or correct BATCHGATE_MODEL_BASE_URL.',
  });
  const silent = await modelAnswering(() => undefined);
  expect(silent).toMatchObject({
    status: 'problem',
    detail: `local at ${silent.host} did not answer within 2.5 s`,
  });
});

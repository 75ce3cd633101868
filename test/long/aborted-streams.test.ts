import { get, type ClientRequest } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Client, Connection } from '@temporalio/client';
import { countingTool, startHarness, testServer, type Harness } from '../helpers/harness';
import { startHttpApi, type HttpApi } from '../helpers/http-api';
import { inLongRun } from '../helpers/long-run';
import { useLink } from '../helpers/sign-in';
import { watched } from '../helpers/watched-connection';
import { startMacro, startTaskRun } from '../../src/client';

const ROUNDS = inLongRun(10, 3);
const PER_ROUND = inLongRun(1_000, 70);
const AT_ONCE = 50;
/** Of each kind of handle, as pools come and go; a thousand streams leave more if each leaves one. */
const FEW = 10;
/** Of heap for each stream. A stream that stays takes kilobytes. */
const MAX_BYTES = 500;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

let harness: Harness;
let http: HttpApi;
let connection: Connection;
/** Calls to Temporal's service that have no answer yet. */
let waiting = 0;

beforeAll(async () => {
  harness = await startHarness({ adapters: [countingTool(25).adapter] });
  connection = await Connection.connect({ address: testServer().address });
  const counting = watched(
    connection,
    () => waiting++,
    () => waiting--,
  );
  const client = new Client({ connection: counting });
  http = await startHttpApi({ ...harness, client }, { requestsPerMinute: 1_000_000, hasModel: true });
});
afterAll(async () => {
  await http?.close();
  await connection?.close();
  await harness?.close();
});

/** A page's part of the address of its stream. */
const shown = (page: object) => `on=${encodeURIComponent(new URLSearchParams({ ...page }).toString())}`;

/** Every door that streams, with what its reader sends. */
async function doors(): Promise<{ url: string; headers: Record<string, string> }[]> {
  const { client, taskQueue: task_queue } = harness;
  const { operation_id } = await harness.start({ session_id: 'watched' });
  const path = `/v1/operations/${operation_id}`;
  const { body: link } = await http.ask('POST', `${path}/links`, { body: { name: 'Lin' } });
  const task = await startTaskRun(client, { goal: 'any' }, { task_queue });
  const steps = [{ type: 'ask' as const, of: 'person' as const, prompt: 'Well?', output_variable: 'said' }];
  const macro = await startMacro(client, { macro: { name: 'asks', steps } }, { task_queue });
  const signedIn = await useLink(await http.api.signInLink({ name: 'Grace', role: 'admin' }));
  const person = { cookie: signedIn.headers.get('set-cookie')?.split(';')[0] ?? '' };
  const key = { authorization: `Bearer ${await http.key('viewer')}` };
  return [
    { url: `${http.url}${path}/events`, headers: key },
    { url: `${http.url}/v1/events`, headers: key },
    { url: `${http.url}/gates/events?${shown({ link: String(link.url).split('/').at(-1) })}`, headers: {} },
    ...[
      { inbox: '' },
      { operation: operation_id, batch: '' },
      { session: 'watched' },
      { job: macro.run_id },
      { job: task.task_run_id },
    ].map((page) => ({ url: `${http.url}/events?${shown(page)}`, headers: person })),
  ];
}

/** Opens a stream, and leaves before its answer, at its head, or after its first events. */
function visit(
  { url, headers }: { url: string; headers: Record<string, string> },
  at: number,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const request: ClientRequest = get(url, { headers, agent: false });
    const leave = () => request.destroy();
    request.once('close', resolve);
    request.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET') reject(error);
    });
    if (at % 3 === 0) request.once('socket', (socket) => socket.once('connect', leave));
    request.once('response', (answer) => {
      if (answer.statusCode !== 200) return reject(new Error(`${url} answered ${answer.statusCode}`));
      answer.on('error', () => undefined);
      if (at % 3 === 1) return leave();
      answer.once('data', leave);
    });
  });
}

/** What is left once all streams are over. */
async function remains() {
  const streams = async () => {
    const { body } = await http.ask('GET', '/metrics');
    return Number(/^batchgate_http_streams (\d+)$/m.exec(String(body))?.[1]);
  };
  while ((await streams()) > 0 || waiting > 0) await new Promise((resolve) => setImmediate(resolve));
  for (let at = 0; at < 5; at++) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const counts: Record<string, number> = {};
  for (const name of process.getActiveResourcesInfo()) counts[name] = (counts[name] ?? 0) + 1;
  return { heap: process.memoryUsage().heapUsed, counts };
}

it(`leaves nothing behind of ${ROUNDS * PER_ROUND} event streams that were opened and aborted`, async () => {
  const all = await doors();
  const seen: Awaited<ReturnType<typeof remains>>[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (let at = 0; at < PER_ROUND; at += AT_ONCE)
      await Promise.all(
        Array.from({ length: Math.min(AT_ONCE, PER_ROUND - at) }, (_, next) => {
          const door = all[(at + next) % all.length];
          if (!door) throw new Error('there are doors');
          return visit(door, Math.floor((at + next) / all.length));
        }),
      );
    seen.push(await remains());
  }
  // The first round also loads modules and fills pools.
  const [warm, last] = [seen[1], seen.at(-1)];
  if (!warm || !last) throw new Error('there are rounds');
  const more = Object.entries(last.counts).filter(([name, count]) => count > (warm.counts[name] ?? 0) + FEW);
  expect(more).toEqual([]);
  const streams = (ROUNDS - 2) * PER_ROUND;
  const each = Math.round((last.heap - warm.heap) / streams);
  console.info(
    `${streams} aborted streams: ${each} bytes of heap each, open: ${JSON.stringify(last.counts)}`,
  );
  if (streams >= 1_000) expect(each).toBeLessThan(MAX_BYTES);
});

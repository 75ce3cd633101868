import { Batchgate } from '../../src/batchgate';
import { listBulkOperations } from '../../src/client';
import { countingTool, gateway, manyItems, startHarness, type Harness } from '../helpers/harness';
import { inLongRun } from '../helpers/long-run';
import { deleteOperation, readEvents, untilGone } from './event-reader';
import { startHttpApi, type HttpApi } from '../helpers/http-api';
import { operationEventSchema, type OperationEvent } from '../../src/contract/operation';
import { lookAgain } from '../helpers/look-again';

let harness: Harness;
let http: HttpApi;

beforeAll(async () => {
  harness = await startHarness({ adapters: [countingTool(25).adapter], settings: { batches_per_run: 1 } });
  http = await startHttpApi(harness);
});
afterAll(async () => {
  await http?.close();
  await harness?.close();
});

/** A reader of states, which checks each one against the contract's schema. */
async function reader(path: string, key: string, lastEventId?: string, { url } = http) {
  const { seen, until, leave } = await readEvents(
    `${url}${path}`,
    { authorization: `Bearer ${key}` },
    lastEventId,
  );
  const states = () =>
    seen.flatMap(({ event, data }): OperationEvent[] =>
      event === 'state' ? [operationEventSchema.strict().parse(data)] : [],
    );
  return {
    get seen() {
      return states();
    },
    state: {
      get ended() {
        return seen.at(-1)?.event === 'end';
      },
    },
    until: (test: () => boolean) => until(test),
    leave,
  };
}

it('sends each change of an operation, across its runs, and continues where a reader stopped', async () => {
  const key = await http.key('viewer');
  const { operation_id } = await harness.start({ session_id: 'events' });
  const path = `/v1/operations/${operation_id}/events`;
  const first = await reader(path, key);
  await first.until(() => first.seen.some(({ state }) => state === 'awaiting_confirmation'));
  await http.done('POST', `/v1/operations/${operation_id}/continue`, { body: { batch: 1 } });
  await first.until(() => first.seen.at(-1)?.progress?.['processed'] === 10);
  first.leave();
  const last = first.seen.at(-1);
  // Two batches run while no reader is connected.
  for (const batch of [2, 3])
    await http.done('POST', `/v1/operations/${operation_id}/continue`, { body: { batch } });
  const second = await reader(path, key, last?.event_id);
  await second.until(() => second.state.ended);
  expect(second.seen.map(({ progress }) => progress?.['processed'])).toEqual([20, 25]);
  expect(second.seen.at(-1)?.state).toBe('completed');
  const whole = await reader(path, key);
  await whole.until(() => whole.state.ended);
  expect(whole.seen).toEqual([...first.seen, ...second.seen]);
  expect(new Set(whole.seen.map(({ event_id }) => event_id)).size).toBe(whole.seen.length);
  expect((await http.ask('GET', '/v1/operations/none/events')).status).toBe(404);
});

it('sends the changes of all operations that a key may see, and of no others', async () => {
  const all = await reader('/v1/events', await http.key('viewer'));
  const own = await reader('/v1/events', await http.key('viewer', 'mine'));
  const other = await harness.start({ session_id: 'theirs' });
  const mine = await harness.start({ session_id: 'mine:1' });
  const ofMine = ({ operation_id }: OperationEvent) => operation_id === mine.operation_id;
  await own.until(() => own.seen.some(ofMine));
  await all.until(
    () => all.seen.some(ofMine) && all.seen.some(({ operation_id }) => operation_id === other.operation_id),
  );
  await http.done('POST', `/v1/operations/${mine.operation_id}/continue`, { body: { batch: 1 } });
  const ran = (event: OperationEvent) => ofMine(event) && event.progress?.['processed'] === 10;
  await Promise.all([own, all].map((one) => one.until(() => one.seen.some(ran))));
  expect(own.seen.every(ofMine)).toBe(true);
  own.leave();
  all.leave();
});

type Reader = Awaited<ReturnType<typeof reader>>;
const cancelled = ({ state }: OperationEvent) => state === 'cancelled';

/** The changes of these operations, in the order of arrival. */
const ofThese = ({ seen }: Reader, ids: readonly string[]) =>
  seen.filter(({ operation_id }) => ids.includes(operation_id));
/** Starts an operation, and resolves once the reader has a change of it, and so of all that was listed before. */
async function mark(one: Reader, session_id: string): Promise<string> {
  const { operation_id } = await harness.start({ session_id });
  await one.until(() => ofThese(one, [operation_id]).length > 0);
  return operation_id;
}

it('continues where a reader of all operations stopped, also after a restart, and misses no end', async () => {
  const key = await http.key('viewer');
  const first = await reader('/v1/events', key);
  const [ended, live, late] = ['ended', 'live', 'late'] as const;
  const start = async (session_id: string, more = {}) => {
    const { operation_id } = await harness.start({ session_id, ...more });
    return operation_id;
  };
  const ids = { [ended]: await start(ended), [live]: await start(live), [late]: '' };
  await first.until(() => ofThese(first, [ids.ended]).length > 0);
  const stopped = ofThese(first, [ids.ended])[0]?.event_id;
  await http.done('POST', `/v1/operations/${ids.live}/continue`, { body: { batch: 1 } });
  await http.done('POST', `/v1/operations/${ids.ended}/cancel`);
  await first.until(() => ofThese(first, [ids.ended]).some(cancelled));
  // Its end comes so much later that lists no longer go back to the other one.
  ids.late = await start(late, { idle_timeout_seconds: 12 });
  await first.until(() => ofThese(first, [ids.late]).some(({ state }) => state === 'expired'));
  const closed = async () => {
    const rows = await listBulkOperations(harness.client, { task_queue: harness.taskQueue, limit: 100 });
    return rows.some(({ operation_id, closed_at }) => operation_id === ids.late && closed_at !== undefined);
  };
  while (!(await closed())) await lookAgain();
  // The list that has the late end is read before the second one of these is seen, and the next list is shorter.
  await mark(first, 'marked');
  await mark(first, 'marked again');

  const fresh = await reader('/v1/events', key);
  const next = await mark(fresh, 'next');
  const states = (one: Reader) =>
    ofThese(one, Object.values(ids)).map(({ operation_id, state, progress }) => [
      operation_id,
      state,
      progress?.['processed'],
    ]);
  const current = [
    [ids.live, 'awaiting_confirmation', 10],
    [ids.late, 'expired', 0],
  ];
  expect(states(fresh)).toEqual(current);

  await first.until(() => ofThese(first, [next]).length > 0);
  const again = await reader('/v1/events', key, first.seen.at(-1)?.event_id);
  const last = await mark(again, 'last');
  expect(again.seen.filter(({ operation_id }) => operation_id !== next)).toEqual(ofThese(again, [last]));
  for (const one of [first, fresh, again]) one.leave();
  const streams = async () => {
    const { body } = await http.ask('GET', '/metrics');
    return /^batchgate_http_streams (\d+)$/m.exec(body)?.[1];
  };
  while ((await streams()) !== '0') await lookAgain();

  const restarted = await startHttpApi(harness);
  for (const server of [http, restarted]) {
    const back = await reader('/v1/events', key, stopped, server);
    const wanted = [...current, [ids.ended, 'cancelled', 0]].map(String);
    await back.until(() => wanted.every((one) => states(back).map(String).includes(one)));
    const [end = 0, later = 0] = [ids.ended, ids.late].map((id) =>
      Date.parse(ofThese(back, [id])[0]?.at ?? ''),
    );
    expect(end).toBeLessThan(later);
    back.leave();
  }
  await restarted.close();
});

it('sends the end of an operation that was terminated', async () => {
  const all = await reader('/v1/events', await http.key('viewer'));
  const id = await mark(all, 'terminated');
  await harness.client.workflow.getHandle(id).terminate();
  await all.until(() => ofThese(all, [id]).some(cancelled));
  expect((await harness.status(id)).state).toBe('cancelled');
  all.leave();
});

it('sends the end of an operation that was deleted, with the counts of its ledger', async () => {
  const key = await http.key('viewer');
  const all = await reader('/v1/events', key);
  const id = await mark(all, 'deleted');
  await http.done('POST', `/v1/operations/${id}/continue`, { body: { batch: 1 } });
  const own = await reader(`/v1/operations/${id}/events`, key);
  await own.until(() => own.seen.some(({ progress }) => progress?.['succeeded'] === 10));
  await deleteOperation(harness.client, id);
  await Promise.all([own.until(() => own.state.ended), all.until(() => ofThese(all, [id]).some(cancelled))]);
  expect(own.seen.at(-1)).toMatchObject({ state: 'cancelled', progress: { succeeded: 10, remaining: 15 } });
  // One list may still have its run as terminated; the end is sent once.
  await mark(all, 'after the deleted one');
  expect(ofThese(all, [id]).filter(cancelled)).toMatchObject([{ progress: { succeeded: 10 } }]);
  for (const look of ['', '/report', '/items', '/guard', '/progress', '/errors'])
    expect((await http.ask('GET', `/v1/operations/${id}${look}`)).status).toBe(200);
  expect((await http.ask('GET', `/v1/operations/${id}`)).body).toMatchObject({ state: 'cancelled' });
  const late = await reader(`/v1/operations/${id}/events`, key, own.seen.at(-1)?.event_id);
  await late.until(() => late.state.ended);
  expect(late.seen.map(({ state }) => state)).toEqual([]);
  // A reader that was away meanwhile is told of the end, too.
  await untilGone(harness.client, id);
  const away = await reader(`/v1/operations/${id}/events`, key, own.seen[0]?.event_id);
  await away.until(() => away.state.ended);
  expect(away.seen).toMatchObject([{ state: 'cancelled', deleted: true, progress: { succeeded: 10 } }]);
  all.leave();
});

it('tells a follower that was away of an operation whose id belongs to another one by now', async () => {
  const watch = new Batchgate({ client: harness.client, taskQueue: harness.taskQueue });
  const { operation_id: id } = await harness.start({ session_id: 'gone' });
  const seen: OperationEvent[] = [];
  const left = new AbortController();
  for await (const event of watch.watch(id, { signal: left.signal })) {
    seen.push(event);
    if (event.state === 'awaiting_confirmation') left.abort();
  }
  const after = seen.at(-1);
  await deleteOperation(harness.client, id);
  await untilGone(harness.client, id);
  await harness.start({ session_id: 'gone-again' }, id);
  const later: OperationEvent[] = [];
  for await (const event of watch.watch(id, { after })) later.push(event);
  expect(later).toMatchObject([{ operation_id: id, state: 'cancelled', deleted: true }]);
  expect(later[0]).not.toHaveProperty('gate');
  // The other one still waits.
  expect(await harness.status(id)).toMatchObject({ state: 'awaiting_confirmation' });
  await http.ask('POST', `/v1/operations/${id}/cancel`);
});

it('sends the state of an operation that was refused and started again', async () => {
  const all = await reader('/v1/events', await http.key('viewer'));
  const session_id = 'locked';
  const holder = await mark(all, session_id);
  const id = 'started-again';
  await expect(harness.start({ session_id }, id)).rejects.toMatchObject({ code: 'SESSION_LOCKED' });
  await all.until(() => ofThese(all, [id]).some(({ state }) => state === 'rejected'));
  await http.done('POST', `/v1/operations/${holder}/cancel`);
  await harness.start({ session_id }, id);
  await all.until(() => ofThese(all, [id]).at(-1)?.state === 'awaiting_confirmation');
  const { length } = ofThese(all, [id]);
  for (const marked of ['one list', 'another list']) await mark(all, marked);
  expect(ofThese(all, [id]).slice(length)).toEqual([]);
  all.leave();
});

it("reports once that half of a question's time has passed", async () => {
  const key = await http.key('viewer');
  const all = await reader('/v1/events', key);
  const { operation_id } = await harness.start({ session_id: 'reminded', idle_timeout_seconds: 20 });
  const path = `/v1/operations/${operation_id}/events`;
  const own = await reader(path, key);
  await own.until(() => own.seen.some(({ reminder }) => reminder));
  const reminded = own.seen.at(-1);
  expect(reminded).toMatchObject({ state: 'awaiting_confirmation', gate: { batch: 1, attempt: 1 } });
  await all.until(() => all.seen.some((event) => event.operation_id === operation_id && event.reminder));
  await http.done('POST', `/v1/operations/${operation_id}/cancel`);
  const later = await reader(path, key, reminded?.event_id);
  await later.until(() => later.state.ended);
  expect(later.seen.map(({ state, reminder }) => [state, reminder])).toEqual([['cancelled', undefined]]);
  await all.until(() =>
    all.seen.some((event) => event.operation_id === operation_id && event.state === 'cancelled'),
  );
  const ofAll = all.seen.filter((event) => event.operation_id === operation_id && event.reminder);
  expect(ofAll).toHaveLength(1);
  all.leave();
});

it('sends the first rows of a report before it reads the last', async () => {
  const items = manyItems(200).map(({ id }) => ({ id, display_name: `${id} ${'長'.repeat(480)}` }));
  const { operation_id } = await harness.start({ items, params: {}, session_id: 'report' });
  let rest = gateway();
  let parts = 0;
  const { ledger } = harness.store;
  await harness.restartWorker({
    ...ledger,
    read: async (id, from = 0) => {
      parts++;
      if (from > 0) await rest.opened;
      return ledger.read(id, from);
    },
  });
  const headers = { authorization: `Bearer ${await http.key('viewer')}` };
  for (const format of ['csv', 'jsonl', 'md']) {
    [rest, parts] = [gateway(), 0];
    const answer = await fetch(`${http.url}/v1/operations/${operation_id}/report?format=${format}`, {
      headers,
    });
    const body = (answer.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('item-002')) text += (await body.read()).value ?? '';
    expect(text).not.toContain('item-200');
    expect(parts).toBeLessThanOrEqual(2);
    rest.open();
    for (let next = await body.read(); !next.done; next = await body.read()) text += next.value;
    expect(text.match(/item-\d{3}(?= 長)/g)).toEqual(items.map(({ id }) => id));
    expect(parts).toBeGreaterThan(2);
  }
  await harness.restartWorker();
  await http.done('POST', `/v1/operations/${operation_id}/cancel`);
});

for (const count of inLongRun([1_000], []))
  it(`shares one watch of an operation among ${count} readers`, async () => {
    const key = await http.key('viewer');
    const { operation_id } = await harness.start({ session_id: 'crowd' });
    const path = `/v1/operations/${operation_id}/events`;
    const before = process.memoryUsage().rss;
    const readers = [];
    for (let at = 0; at < count / 100; at++)
      readers.push(...(await Promise.all(Array.from({ length: 100 }, () => reader(path, key)))));
    const { body: metrics } = await http.ask('GET', '/metrics');
    expect(/^batchgate_http_streams (\d+)$/m.exec(metrics)?.[1]).toBe(String(count));
    const refused = await http.ask('GET', path);
    expect([refused.status, refused.body.code]).toEqual([429, 'RATE_LIMITED']);
    await http.done('POST', `/v1/operations/${operation_id}/cancel`);
    await Promise.all(readers.map((one) => one.until(() => one.state.ended)));
    expect(readers.every(({ seen }) => seen.at(-1)?.state === 'cancelled')).toBe(true);
    // The readers and the server share this process.
    console.info(
      `${count} streams: ${Math.round((process.memoryUsage().rss - before) / 1e6)} MB with their readers`,
    );
    readers.forEach(({ leave }) => leave());
  });

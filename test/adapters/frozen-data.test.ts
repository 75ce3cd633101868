import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BatchCall, BulkAdapter } from '../../src/contract/adapter';
import type { FrozenItem, PlannedItem, PreparedBulkContext } from '../../src/contract/items';
import type { Change } from '../../src/contract/change';
import { cancelBulkOperation, continueBulkOperation } from '../../src/client';
import { WORKFLOW_TYPES } from '../../src/contract/messages';
import { questionDigest, sealOf } from '../../src/core/bulk/seal';
import { createFakeAdapter } from '../../src/testing/fake-adapter';
import type { ConformanceRequest, ConformanceWorld } from '../../src/testing/conformance';
import { failure } from '../helpers/failure';
import { startHarness, type Harness } from '../helpers/harness';
import { openCaldavWorld, stopRadicale } from './caldav-world';
import { openCalendarWorld } from './calendar-world';
import { openGmailWorld, stopGmail } from './gmail-world';
import { httpAdapter, startServer as startHttp } from './http-setup';
import { openImapWorld, stopDovecot } from './imap-world';
import { startServer as startSql } from './sql-setup';
import { openTrelloWorld } from './trello-world';

/** An adapter over a real provider, and a request for each of its actions. */
interface Subject {
  readonly adapter: BulkAdapter;
  readonly requests: readonly ConformanceRequest[];
  close(): Promise<unknown>;
}

const ofWorld = async (open: () => Promise<ConformanceWorld>): Promise<Subject> => {
  const world = await open();
  return { adapter: world.adapter(), requests: world.requests, close: () => world.close() };
};

async function http(): Promise<Subject> {
  const server = await startHttp();
  const url = `${server.url}/refunds/{{id}}?note={{.note}}`;
  const request = { method: 'POST', url, body: { amount: '{{.amount}}', to: '{{.to}}' } };
  const raw_data = { note: 'late', amount: 5, to: { iban: 'DE1', names: ['Ada', null] }, unused: true };
  const items = ['1', '2'].map((id) => ({ id, display_name: `Refund ${id}`, raw_data }));
  const params = { ...request, undo: { method: 'DELETE', url }, idempotency_header: 'Idempotency-Key' };
  return {
    adapter: httpAdapter([server.host]),
    requests: [{ action: 'request', params, items }],
    close: () => server.close(),
  };
}

async function sql(): Promise<Subject> {
  const { world } = await startSql();
  await world.run('create table things (id integer primary key, name text, due date, pin text)');
  await world.run(
    `insert into things values (1, 'One', '2026-01-02', '1'), (2, repeat('x', 1000), null, null)`,
  );
  const place = { database: 'shop', table: 'things', where: [{ column: 'id', op: '>', value: 0 }] };
  const update = (set: object) => ({ action: 'update', params: { ...place, set } });
  return {
    adapter: world.adapter,
    requests: [
      update({ due: 'tomorrow' }),
      update({ name: 'y' }),
      update({ pin: '2' }),
      { action: 'delete', params: place },
    ],
    close: () => world.close(),
  };
}

const fakeTool = (toolName: string) =>
  createFakeAdapter({
    toolName,
    items: () => [{ id: 'a', display_name: 'A' }],
    apply: () => Promise.resolve(),
    marks: new Map(),
  });

const fake = (): Promise<Subject> =>
  Promise.resolve({
    adapter: fakeTool('fake'),
    requests: [{ action: 'mark', params: { group: 'all', mark: 'x' } }],
    close: () => Promise.resolve(),
  });

const SUBJECTS: [string, () => Promise<Subject>][] = [
  ['gmail', () => ofWorld(openGmailWorld)],
  ['calendar', () => ofWorld(openCalendarWorld)],
  ['trello', () => ofWorld(openTrelloWorld)],
  ['sql', sql],
  ['http', http],
  ['imap', () => ofWorld(openImapWorld)],
  ['caldav', () => ofWorld(openCaldavWorld)],
  ['fake', fake],
];

/** What an adapter received. */
interface Received {
  items: PlannedItem[];
  context: PreparedBulkContext;
  call: Pick<BatchCall, 'operation_id' | 'run_id'>;
}

const received: Received[] = [];
const receivedBy = (id: string) => received.filter(({ call }) => call.operation_id === id);

/** The adapter, which records what it is asked to change and changes nothing. */
function recording(adapter: BulkAdapter): BulkAdapter {
  const executeBatch: BulkAdapter['executeBatch'] = (items, context, { operation_id, run_id }) => {
    received.push({ items: items as PlannedItem[], context, call: { operation_id, run_id } });
    return Promise.resolve(items.map(({ id }) => ({ item_id: id, success: false, error: 'not now' })));
  };
  return { ...adapter, executeBatch, sliceSize: 5 };
}

type Path = (string | number)[];

/** The places of all leaves of a JSON value; an empty list or object is one. */
function leavesOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return [path];
  return Object.entries(value).flatMap(([name, member]) => leavesOf(member, [...path, name]));
}

/** A copy with another value at one place, or without it. It shares everything beside the way to that place. */
function altered<T>(value: T, [name = '', ...rest]: Path, how: 'another' | 'none'): T {
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string | number, unknown>;
  if (rest.length > 0) copy[name] = altered(copy[name], rest, how);
  else if (how === 'another') copy[name] = other(copy[name]);
  else if (Array.isArray(copy)) copy.splice(Number(name), 1);
  else delete copy[name];
  return copy as T;
}

function other(value: unknown): unknown {
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  return typeof value === 'string' ? `${value}.` : 'x';
}

/** Most alterations leave most items as they are. */
const seals = new WeakMap<FrozenItem, string>();
function sealOnce(item: FrozenItem): string {
  const seal = seals.get(item) ?? sealOf(item);
  seals.set(item, seal);
  return seal;
}

const digestOf = ({ items, context, call }: Received, change: Change | undefined) =>
  questionDigest({
    ...{ ...call, batch: 1, attempt: 1, context, change },
    items: items.map((item) => ({ ...item, seal: sealOnce(item) })),
  });

const subjects = new Map<string, Subject>();
let place = 'https://one.example';
let harness: Harness;
beforeAll(async () => {
  for (const [name, open] of SUBJECTS) subjects.set(name, await open());
  const adapters = [...subjects.values()].map(({ adapter }) => recording(adapter));
  const placed = { ...recording(fakeTool('placed')), place: () => place };
  harness = await startHarness({ adapters: [...adapters, placed] });
});
afterAll(async () => {
  await harness?.close();
  for (const subject of subjects.values()) await subject.close();
  await Promise.all([stopGmail(), stopDovecot(), stopRadicale()]);
});

it('is tried with every adapter', () => {
  const folder = join(__dirname, '../../activities/adapters');
  const adapters = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'index.ts')));
  expect(adapters.filter((name) => !SUBJECTS.some(([subject]) => subject === name))).toEqual([]);
});

describe.each(SUBJECTS)('everything that %s gets for a batch', (name) => {
  it("is covered by the question's digest, to the last leaf", async () => {
    for (const { action, params, items } of subjects.get(name)!.requests) {
      const asked = { domain: name, action, params, ...(items && { items: [...items] }), batch_size: 5 };
      const { operation_id: id } = await harness.start(asked);
      const { next_batch } = await harness.status(id);
      await continueBulkOperation(harness.client, id, { batch: 1 });
      const [given, ...more] = receivedBy(id);
      expect(more).toEqual([]);
      const { items: kept = [] } = (await harness.store.ledger.read(id)) ?? {};
      const got = {
        ...given!,
        items: given!.items.map((item) => ({ ...item, salt: kept[item.index]?.salt ?? '' })),
      };
      expect(digestOf(got, next_batch?.change)).toBe(next_batch?.digest);
      const same = leavesOf(got).filter((path) =>
        (['another', 'none'] as const).some(
          (how) => digestOf(altered(got, path, how), next_batch?.change) === next_batch?.digest,
        ),
      );
      expect([action, same]).toEqual([action, []]);
      // One of a single batch has ended.
      await cancelBulkOperation(harness.client, id, {}).catch(() => undefined);
    }
  });
});

it('confirms a second operation under the id of an ended one only by its own digest', async () => {
  const input = { domain: 'fake', action: 'mark', params: { group: 'all' } };
  const first = await harness.start(input, 'bulk-used-twice');
  await cancelBulkOperation(harness.client, 'bulk-used-twice', {});
  await harness.client.workflow.getHandle('bulk-used-twice').result();
  const again = await harness.client.workflow.start(WORKFLOW_TYPES.bulkOperation, {
    ...{ workflowId: 'bulk-used-twice', taskQueue: harness.taskQueue, args: [input] },
  });
  await again.executeUpdate('ready');
  const { next_batch } = await harness.status('bulk-used-twice');
  expect(next_batch?.digest).not.toBe(first.next_batch?.digest);
  const stale = continueBulkOperation(harness.client, 'bulk-used-twice', {
    ...{ batch: 1, attempt: 1, digest: first.next_batch?.digest ?? '' },
  });
  expect((await failure(stale)).code).toBe('STALE_CONFIRMATION');
});

it('runs a batch only where it was planned, whatever the configuration says by then', async () => {
  const { operation_id: id } = await harness.start({ domain: 'placed' });
  place = 'https://other.example';
  const failed = await continueBulkOperation(harness.client, id, { batch: 1 });
  expect(failed).toMatchObject({ state: 'batch_failed', remaining: 1, error: { code: 'NOT_CONFIGURED' } });
  expect(failed.error?.message).toBe(
    'This was planned for https://one.example, and the worker is configured for https://other.example; nothing was run.',
  );
  expect(receivedBy(id)).toEqual([]);
  place = 'https://one.example';
  await continueBulkOperation(harness.client, id, { batch: 1, attempt: 2 });
  expect(receivedBy(id)).toHaveLength(1);
});

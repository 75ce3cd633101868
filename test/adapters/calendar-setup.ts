import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createCalendarAdapter } from '../../activities/adapters/calendar';
import { unlimited } from '../../activities/adapters/shared/allowance';
import type { BatchCall } from '../../src/contract/adapter';
import type { BulkItem, BulkResult, PreparedBulkContext } from '../../src/contract/items';
import { itemToRestore } from '../../src/core/bulk/undo';
import { openCalendar } from '../../dev/google/calendar';
import { mistakesIn } from './discovery';
import { startFaultProxy } from './fault-proxy';

export const TOKEN = 'ya29.secret-of-the-calendar';
export const TEAM = 'team@calendars.example';
export const ARCHIVE = 'archive@calendars.example';
export const HOLIDAY_CALENDAR = 'holidays@calendars.example';
export const SAM = 'sam@mailbox.example';
export const ZONE = 'Europe/Berlin';

/** An event as the calendar returns it. */
export interface ShownEvent {
  id: string;
  etag: string;
  status: string;
  summary?: string;
  colorId?: string;
  start: { date?: string; dateTime?: string; timeZone?: string };
  end: { date?: string; dateTime?: string; timeZone?: string };
  organizer?: { self?: boolean };
  attendees?: { email: string; responseStatus: string; self?: boolean }[];
  [field: string]: unknown;
}

/** The local calendar over HTTP. It records every deviation from Google's API in a request or an answer. */
export async function serveCalendar(path?: string) {
  const folder = await mkdtemp(join(tmpdir(), 'batchgate-calendar-'));
  const calendar = await openCalendar(path ?? join(folder, 'calendar.jsonl'));
  const mistakes: string[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const { method = 'GET', url = '/', headers } = request;
      const body = await text(request);
      const {
        status,
        type,
        body: answer,
      } = await calendar.handle({
        method,
        path: url,
        authorized: headers.authorization !== undefined,
        ifMatch: headers['if-match'],
        body,
      });
      mistakes.push(...mistakesIn({ method, url: new URL(url, 'http://calendar'), body, status, answer }));
      response.writeHead(status, type === '' ? {} : { 'content-type': type }).end(answer);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  /** Calls the calendar directly, past the adapter and every tap. */
  async function ask(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
    const answer = await fetch(`${url}/calendar/v3/${path}`, {
      method,
      headers: { authorization: 'Bearer truth', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    const said = await answer.text();
    return { status: answer.status, body: said === '' ? undefined : (JSON.parse(said) as never) };
  }
  const of = (id: string, calendarId = TEAM) => `calendars/${calendarId}/events/${id}`;
  return {
    url,
    mistakes,
    ask,
    async event(id: string, calendarId = TEAM): Promise<ShownEvent> {
      return (await ask('GET', of(id, calendarId))).body as unknown as ShownEvent;
    },
    async list(query = '', calendarId = TEAM): Promise<ShownEvent[]> {
      const { body } = await ask('GET', `calendars/${calendarId}/events?maxResults=2500&${query}`);
      return (body as unknown as { items: ShownEvent[] }).items;
    },
    async insert(event: object, calendarId = TEAM): Promise<string> {
      const { status, body } = await ask('POST', `calendars/${calendarId}/events`, event);
      if (status !== 200) throw new Error(JSON.stringify(body));
      return (body as unknown as ShownEvent).id;
    },
    change: (id: string, patch: object, calendarId = TEAM) => ask('PATCH', of(id, calendarId), patch),
    remove: (id: string, calendarId = TEAM) => ask('DELETE', of(id, calendarId)),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await calendar.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export let calendar: Awaited<ReturnType<typeof serveCalendar>>;
/** The proxy that every adapter of a file calls; it is reset before each test. */
export let proxy: Awaited<ReturnType<typeof startFaultProxy>>;

/** A calendar behind a proxy, for the tests of one file. All traffic is checked against Google's document. */
export function useCalendar(): void {
  beforeAll(async () => {
    calendar = await serveCalendar();
    proxy = await startFaultProxy(calendar.url);
  });
  afterAll(async () => {
    await proxy.close();
    await calendar.close();
  });
  beforeEach(() => proxy.reset());
  afterEach(() => expect(calendar.mistakes.splice(0)).toEqual([]));
}

export const adapter = (accessToken = () => Promise.resolve(TOKEN), rootUrl = proxy.url) =>
  createCalendarAdapter({ rootUrl, accessToken, allowance: unlimited });
export const within = (ms = 30_000, signal: AbortSignal = new AbortController().signal): BatchCall => ({
  operation_id: 'bulk-test',
  run_id: 'run-1',
  signal,
  deadline: Date.now() + ms,
});
export const prepare = (action: string, params: Record<string, unknown>, explicit_items = false) =>
  adapter().prepare({ action, params, explicit_items }, within());

const QUIET = { calendar: 'Team', send_updates: 'none' };
/** Plans a change of these events. The proxy forgets the requests that this takes. */
export async function planned(action: string, params: Record<string, unknown>, ids: readonly string[]) {
  const context = await prepare(action, { ...QUIET, ...params }, true);
  const items = await adapter().freezeItems!(ids.map(bare), context, within());
  proxy.reset();
  return { context, items };
}
/** Plans the undo of a change. */
export async function undoing({ items, context: done }: Awaited<ReturnType<typeof planned>>) {
  const context: PreparedBulkContext = { ...done, undo: true };
  return { context, items: await adapter().freezeItems!(items.map(itemToRestore), context, within()) };
}
export const execute = (
  { items, context }: { items: readonly BulkItem[]; context: PreparedBulkContext },
  limits = within(),
): Promise<BulkResult[]> => adapter().executeBatch(items, context, limits);
export const reconcile = ({ items, context }: { items: readonly BulkItem[]; context: PreparedBulkContext }) =>
  Promise.all(items.map((item) => adapter().reconcile!(item, context, within())));

export const bare = (id: string): BulkItem => ({ id, display_name: id });
export const succeeded = (ids: readonly string[]): BulkResult[] =>
  ids.map((item_id) => ({ item_id, success: true }));

let made = 0;
/** Creates events of one hour each, which no other test uses. */
export async function fresh(count: number, more: object = {}, calendarId = TEAM): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    made += 1;
    const at = (hour: number) => ({ dateTime: `2027-02-01T${hour}:00:00`, timeZone: ZONE });
    const event = { summary: `Fresh ${made}`, start: at(10), end: at(11), ...more };
    ids.push(await calendar.insert(event, calendarId));
  }
  return ids;
}

export { failure } from '../helpers/failure';

import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createCaldavAdapter } from '../../activities/adapters/caldav';
import type { BatchCall, CallLimits } from '../../src/contract/adapter';
import type { BulkItem } from '../../src/contract/items';
import { itemToRestore } from '../../src/core/bulk/undo';
import { startHttpTap, type HttpTap } from '../../src/testing/http-tap';
import { icsOf, PASSWORD, seedCalendar } from '../helpers/radicale';
import { newUser, sharedRadicale } from './caldav-world';

export const limits = (): CallLimits => ({
  deadline: Date.now() + 60_000,
  signal: new AbortController().signal,
});
export const call = (): BatchCall => ({ ...limits(), operation_id: 'bulk-1', run_id: 'run-1' });
const closing: (() => Promise<void>)[] = [];

/** For `afterEach`. */
export async function closeWorlds(): Promise<void> {
  for (const close of closing.splice(0)) await close();
}

export const STAMP = 'DTSTAMP:20260101T000000Z';
export const berlin = (name: string, value: string) => `${name};TZID=Europe/Berlin:${value}`;
export const times = (day: string) => [berlin('DTSTART', `${day}T100000`), berlin('DTEND', `${day}T110000`)];
export const event = (uid: string, ...lines: string[]) => [
  `UID:${uid}`,
  ...times('20270301'),
  ...lines,
  STAMP,
];
export const titled = (uid: string, title: string) => icsOf([...event(uid), `SUMMARY:${title}`]);

/** Weekly, without one occurrence, and with another one later and under its own title. */
export const SERIES = icsOf(
  [
    ...event('series'),
    `${berlin('EXDATE', '20270308T100000')}`,
    'RRULE:FREQ=WEEKLY;UNTIL=20270405T080000Z;BYDAY=MO',
    'SUMMARY:Stand-up',
  ],
  [
    'UID:series',
    berlin('RECURRENCE-ID', '20270315T100000'),
    berlin('DTSTART', '20270315T120000'),
    berlin('DTEND', '20270315T130000'),
    STAMP,
    'SUMMARY:Stand-up\\, with cake',
  ],
);

interface World {
  readonly tap: HttpTap;
  /** The text of an event; empty if there is none. */
  readonly text: (file: string, calendar?: string) => Promise<string>;
  readonly write: (file: string, text: string) => Promise<void>;
  readonly remove: (file: string) => Promise<void>;
  readonly adapter: ReturnType<typeof createCaldavAdapter>;
  readonly plan: (action: string, params?: object, items?: BulkItem[]) => ReturnType<typeof planned>;
}

export async function world(
  events: Record<string, string>,
  others: Record<string, Record<string, string>> = {},
): Promise<World> {
  const radicale = await sharedRadicale();
  const user = newUser();
  for (const [name, those] of Object.entries({ Team: events, Archive: {}, ...others }))
    await seedCalendar(join(radicale.home(user), name.toLowerCase()), name, those);
  const tap = await startHttpTap(radicale.url);
  closing.push(() => tap.close());
  // The server refuses a move to another host, as which it sees the tap.
  const forwarded = (request: { headers: Readonly<Record<string, string>> }) => {
    const { destination, ...headers } = request.headers;
    if (destination)
      request.headers = { ...headers, destination: destination.replace(tap.url, radicale.url) };
  };
  const adapter = createCaldavAdapter({
    account: () => ({ url: tap.url, user, secret: { pass: PASSWORD } }),
  });
  const fileIn = (calendar: string, file: string) => join(radicale.home(user), calendar, file);
  tap.rule = (request, forward) => (forwarded(request), forward());
  return {
    ...{ tap, adapter },
    text: (file, calendar = 'team') => readFile(fileIn(calendar, file), 'utf8').catch(() => ''),
    write: (file, text) => writeFile(fileIn('team', file), text),
    remove: (file) => rm(fileIn('team', file)),
    plan: (action, params = {}, items) => planned(adapter, action, params, items),
  };
}

async function planned(adapter: World['adapter'], action: string, params: object, items?: BulkItem[]) {
  const query = items ? {} : { single_events: false };
  const asked = { calendar: 'Team', send_updates: 'none', ...query, ...params };
  const context = await adapter.prepare(
    { action, params: asked, explicit_items: items !== undefined },
    limits(),
  );
  const frozen = items
    ? await adapter.freezeItems!(items, context, limits())
    : await adapter.getNextBatch(context, 500, 0, limits());
  const undoing = { ...context, undo: true as const };
  return {
    ...{ context, items: frozen },
    previews: frozen.map((item) => adapter.previewItem!(item, context)),
    run: () => adapter.executeBatch(frozen, context, call()),
    /** Undoes it, knowing what `results` kept. */
    undo: async (results: { kept?: Record<string, unknown> }[] = []) => {
      const restored = frozen.map((item, at) => itemToRestore({ ...item, kept: results[at]?.kept }));
      return adapter.executeBatch(await adapter.freezeItems!(restored, undoing, limits()), undoing, call());
    },
  };
}

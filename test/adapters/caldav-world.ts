import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createCaldavAdapter } from '../../activities/adapters/caldav';
import {
  httpCalls,
  type ConformanceRequest,
  type ConformanceWorld,
  type HttpRefusals,
  type ProviderCall,
} from '../../src/testing/conformance';
import { startHttpTap, type SeenRequest } from '../../src/testing/http-tap';
import { icsOf, PASSWORD, seedCalendar, startRadicale, type Radicale } from '../helpers/radicale';

const TEXT = 'Conformance';
const QUERY = { calendar: 'team', text: TEXT, single_events: false, send_updates: 'none' };

const requests: ConformanceRequest[] = [
  { action: 'patch', params: { ...QUERY, patch: { color: 'tomato', visibility: 'private' } } },
  { action: 'shift', params: { ...QUERY, shift_minutes: 30 } },
  { action: 'respond', params: { ...QUERY, response: 'accepted' } },
  { action: 'move', params: { ...QUERY, target_calendar: 'Archive' } },
  { action: 'delete', params: QUERY },
];

const CHANGES: Record<string, (here: string, there: string) => boolean> = {
  patch: (event) => event.includes('COLOR:tomato') && event.includes('CLASS:PRIVATE'),
  shift: (event) => event.includes('DTSTART;TZID=Europe/Berlin:20270301T103000'),
  respond: (event) => event.includes('PARTSTAT=ACCEPTED:mailto:user-'),
  move: (here, there) => here === '' && there !== '',
  delete: (here, there) => here === '' && there === '',
};

const refusals: HttpRefusals = {
  limited: () => ({ status: 429, body: 'Too many requests' }),
  broken: () => ({ status: 503, body: 'Unavailable' }),
  missing: () => ({ status: 404, body: 'The requested resource could not be found.' }),
  refused: ({ authorization }) => ({ status: 401, body: `Invalid credentials: ${authorization}` }),
};

/** What tells an event by its address. */
const idIn = (path: string) => path.split('/').at(-1) ?? '';

function classify({ method, path, body }: SeenRequest): ProviderCall | undefined {
  if (method === 'PROPFIND' || method === 'OPTIONS') return { kind: 'lookup' };
  if (method !== 'REPORT') return { kind: 'write', item_id: idIn(path) };
  const hrefs = [...body.matchAll(/<\w+:href>([^<]*)/g)].map(([, href = '']) => idIn(href));
  return body.includes('multiget') && hrefs.length === 1
    ? { kind: 'read', item_id: hrefs[0]! }
    : { kind: 'list' };
}

const conformanceEvent = (at: number, user: string, more: readonly string[] = []): string =>
  icsOf([
    `UID:event-${at}`,
    'DTSTART;TZID=Europe/Berlin:20270301T100000',
    'DTEND;TZID=Europe/Berlin:20270301T110000',
    `ATTENDEE:mailto:${user}`,
    'ATTENDEE;PARTSTAT=ACCEPTED:mailto:ana.duarte@work.example',
    'DTSTAMP:20260101T000000Z',
    ...more,
    `SUMMARY:${TEXT} ${at}`,
  ]);

let shared: Promise<Radicale> | undefined;
let users = 0;
export const sharedRadicale = (): Promise<Radicale> => (shared ??= startRadicale());
export const newUser = (): string => `user-${(users += 1)}@mail.example`;
export async function stopRadicale(): Promise<void> {
  await (await shared)?.stop();
  shared = undefined;
}

/** Two calendars of their own on a real server behind a tap, with 60 events that match every request. */
export async function openCaldavWorld(): Promise<ConformanceWorld> {
  const radicale = await sharedRadicale();
  const user = newUser();
  const folder = (name: string) => join(radicale.home(user), name);
  const file = (id: string, name = 'team') => join(folder(name), id);
  const all = Array.from({ length: 60 }, (_one, at) => [`e${at}.ics`, conformanceEvent(at, user)] as const);
  await seedCalendar(folder('team'), 'Team', Object.fromEntries(all));
  await seedCalendar(folder('archive'), 'Archive', {});
  const tap = await startHttpTap(radicale.url);
  const textAt = (id: string, name: string) => readFile(file(id, name), 'utf8').catch(() => '');
  const change = async (id: string, from: string | RegExp, to: string) =>
    writeFile(file(id), (await textAt(id, 'team')).replace(from, to));
  const events = async (name: string) =>
    (await readdir(folder(name))).filter((one) => one.endsWith('.ics')).sort();
  let added = 0;
  const calls = httpCalls(tap, classify, refusals);
  // The server refuses a move to another host, as which it sees the tap.
  const fail: typeof calls.fail = (rule) => {
    calls.fail(rule);
    const answer = tap.rule;
    tap.rule = (request, forward) => {
      const { destination, ...headers } = request.headers;
      if (destination)
        request.headers = { ...headers, destination: destination.replace(tap.url, radicale.url) };
      return answer ? answer(request, forward) : forward();
    };
  };
  fail(undefined);
  return {
    ...{ ...calls, fail },
    adapter: () =>
      createCaldavAdapter({ account: () => ({ url: tap.url, user, secret: { pass: PASSWORD } }) }),
    requests,
    matching: () => events('team'),
    isChanged: async (id, { action }) =>
      CHANGES[action]!(await textAt(id, 'team'), await textAt(id, 'archive')),
    async state() {
      const names = await Promise.all(
        ['team', 'archive'].map(async (name) => [name, await events(name)] as const),
      );
      const texts = names.flatMap(([name, ids]) => ids.map(async (id) => [name, id, await textAt(id, name)]));
      return Promise.all(texts);
    },
    remove: (id) => rm(file(id)),
    async add() {
      added += 1;
      await writeFile(file(`added-${added}.ics`), conformanceEvent(1_000 + added, user));
    },
    missing: { id: 'nosuchevent.ics', display_name: 'Gone' },
    disturb: (id) => change(id, 'SUMMARY:', 'SUMMARY:Another '),
    async overwrite(id, { action }) {
      const theirs: Record<string, [string | RegExp, string]> = {
        patch: [/COLOR:\w+/, 'COLOR:navy'],
        shift: [/DTSTART;TZID=Europe\/Berlin:\d{8}/, 'DTSTART;TZID=Europe/Berlin:20270302'],
        respond: [/PARTSTAT=\w+:mailto:user/, 'PARTSTAT=DECLINED:mailto:user'],
      };
      const their = theirs[action];
      if (their) await change(id, ...their);
      return their !== undefined;
    },
    names: {
      unknown: [
        { action: 'delete', params: { ...QUERY, calendar: 'Taem' } },
        { action: 'move', params: { ...QUERY, target_calendar: 'Archives' } },
      ],
      resolved: [
        { request: { action: 'delete', params: QUERY }, id: `/${encodeURIComponent(user)}/team/` },
        {
          request: { action: 'move', params: { ...QUERY, target_calendar: 'archive' } },
          id: `/${encodeURIComponent(user)}/archive/`,
        },
      ],
    },
    secrets: [PASSWORD, Buffer.from(`${user}:${PASSWORD}`).toString('base64')],
    close: () => tap.close(),
  };
}

import { createCalendarAdapter } from '../../activities/adapters/calendar';
import { unlimited } from '../../activities/adapters/shared/allowance';
import {
  httpCalls,
  type HttpRefusals,
  type ConformanceRequest,
  type ConformanceWorld,
  type ProviderCall,
} from '../../src/testing/conformance';
import { startHttpTap, type SeenRequest } from '../../src/testing/http-tap';
import { ARCHIVE, SAM, serveCalendar, type ShownEvent } from './calendar-setup';
import { apiError } from './fault-proxy';

const TOKEN = 'ya29.secret-of-the-calendar-world';
const TEXT = 'Conformance';
const QUERY = { calendar: 'sam', text: TEXT, single_events: false, send_updates: 'none' };
const SHIFTED = Date.parse('2027-03-01T09:30:00Z');

const requests: ConformanceRequest[] = [
  { action: 'patch', params: { ...QUERY, patch: { colorId: '11', visibility: 'private' } } },
  { action: 'shift', params: { ...QUERY, shift_minutes: 30 } },
  { action: 'respond', params: { ...QUERY, response: 'accepted' } },
  { action: 'move', params: { ...QUERY, target_calendar: 'Archive' } },
  { action: 'delete', params: QUERY },
];

const CHANGES: Record<string, (event: ShownEvent, moved: ShownEvent) => boolean> = {
  patch: ({ colorId, visibility }) => colorId === '11' && visibility === 'private',
  shift: ({ start }) => Date.parse(start?.dateTime ?? '') === SHIFTED,
  respond: ({ attendees }) => attendees?.find(({ self }) => self)?.responseStatus === 'accepted',
  move: (_event, moved) => moved.status === 'confirmed',
  delete: ({ status }) => status === 'cancelled',
};

const refusals: HttpRefusals = {
  limited: () => apiError(403, 'rateLimitExceeded'),
  broken: () => apiError(503, 'backendError'),
  missing: () => apiError(404, 'notFound'),
  refused: ({ authorization }) => apiError(401, 'authError', `Invalid credentials: ${authorization}`),
};

function classify({ method, path }: SeenRequest): ProviderCall | undefined {
  const [, , , collection, , events, id] = path.split('/');
  if (collection === 'users') return { kind: 'lookup' };
  if (events !== 'events') return undefined;
  if (id === undefined) return { kind: method === 'GET' ? 'list' : 'write' };
  return { kind: method === 'GET' ? 'read' : 'write', item_id: id };
}

const event = (n: number) => ({
  summary: `${TEXT} ${n}`,
  start: { dateTime: '2027-03-01T10:00:00+01:00', timeZone: 'Europe/Berlin' },
  end: { dateTime: '2027-03-01T11:00:00+01:00', timeZone: 'Europe/Berlin' },
  attendees: [{ email: SAM }, { email: 'ana.duarte@work.example', responseStatus: 'accepted' }],
});

/** The local calendar behind a tap, with 60 events that match every request. */
export async function openCalendarWorld(): Promise<ConformanceWorld> {
  const calendar = await serveCalendar();
  const tap = await startHttpTap(calendar.url);
  let made = 0;
  const add = async () => {
    made += 1;
    await calendar.insert(event(made), SAM);
  };
  while (made < 60) await add();
  return {
    ...httpCalls(tap, classify, refusals),
    adapter: () =>
      createCalendarAdapter({
        rootUrl: tap.url,
        accessToken: () => Promise.resolve(TOKEN),
        allowance: unlimited,
      }),
    requests,
    matching: async () => (await calendar.list(`q=${TEXT}`, SAM)).map(({ id }) => id),
    async isChanged(id, { action }) {
      const [here, there] = await Promise.all([calendar.event(id, SAM), calendar.event(id, ARCHIVE)]);
      return CHANGES[action]?.(here, there) ?? false;
    },
    async state() {
      const events = [...(await calendar.list('', SAM)), ...(await calendar.list('', ARCHIVE))];
      return events.map((one) => ({ ...one, etag: '', sequence: 0, updated: '' }));
    },
    async remove(id) {
      await calendar.remove(id, SAM);
    },
    add,
    missing: { id: 'nosuchevent', display_name: 'Gone' },
    async disturb(id) {
      await calendar.change(id, { location: 'Somewhere else' }, SAM);
    },
    async overwrite(id, { action }) {
      const [start, end] = ['2027-03-02T10:00:00+01:00', '2027-03-02T11:00:00+01:00'];
      const attendees = event(0).attendees.map((one) => ({ ...one, responseStatus: 'declined' }));
      const theirs = {
        ...(action === 'patch' && { colorId: '3' }),
        ...(action === 'shift' && { start: { dateTime: start }, end: { dateTime: end } }),
        ...(action === 'respond' && { attendees }),
      };
      if (Object.keys(theirs).length === 0) return false;
      await calendar.change(id, theirs, SAM);
      return true;
    },
    names: {
      unknown: [
        { action: 'delete', params: { ...QUERY, calendar: 'Samm' } },
        { action: 'move', params: { ...QUERY, target_calendar: 'Archives' } },
      ],
      resolved: [
        { request: { action: 'delete', params: QUERY }, id: SAM },
        { request: { action: 'move', params: { ...QUERY, target_calendar: 'archive' } }, id: ARCHIVE },
      ],
    },
    secrets: [TOKEN],
    async close() {
      await tap.close();
      await calendar.close();
      if (calendar.mistakes.length > 0) throw new Error(calendar.mistakes.join('\n'));
    },
  };
}

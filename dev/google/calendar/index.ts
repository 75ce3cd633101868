import {
  ApiError,
  notFound,
  readParameters,
  type CalendarAnswer,
  type CalendarRequest,
  selectFields,
} from './api';
import { render } from './model';
import { listCalendars, listEvents } from './reads';
import { openState, type CalendarState } from './state';
import { deleteEvent, insertEvent, moveEvent, patchEvent, type Write } from './writes';

export const CALENDAR_PATH = '/calendar/v3/';

export interface CalendarStore {
  handle(request: CalendarRequest): Promise<CalendarAnswer>;
  /** Waits for the running request. */
  close(): Promise<void>;
}

/**
 * Opens a local calendar with the part of Google's Calendar API v3 that batchgate needs: calendarList.list;
 * events.list, get, insert, patch, delete and move, with etags. It supports simple series only (recurrence.ts), does
 * not link copies of one event in several calendars, sends no mail, and refuses everything else. Changes are in the log
 * at `path` before they are answered.
 */
export async function openCalendar(path: string): Promise<CalendarStore> {
  const state = await openState(path);
  // One write at a time, and reads after writes: no answer shows a change that is not on the disk yet.
  let last: Promise<unknown> = Promise.resolve();
  return {
    handle(request) {
      const answer = last.then(() => respond(state, request));
      last = request.method === 'GET' ? last : answer;
      return answer;
    },
    async close() {
      await last.catch(() => undefined);
      await state.close();
    },
  };
}

async function respond(state: CalendarState, request: CalendarRequest): Promise<CalendarAnswer> {
  try {
    if (!request.authorized) throw new ApiError(401, 'authError', 'Invalid Credentials');
    const { pathname, searchParams } = new URL(request.path, 'http://calendar');
    const parts = pathname.slice(CALENDAR_PATH.length).split('/').map(decodeURIComponent);
    const resource = await route(state, request, parts, searchParams);
    if (resource === undefined) return { status: 204, type: '', body: '' };
    return json(200, selectFields(resource, searchParams.get('fields') ?? undefined));
  } catch (error) {
    if (error instanceof ApiError) return json(error.status, error.body);
    throw error;
  }
}

const json = (status: number, body: unknown): CalendarAnswer => ({
  status,
  type: 'application/json; charset=UTF-8',
  body: JSON.stringify(body),
});

async function route(
  state: CalendarState,
  { method, body, ifMatch }: CalendarRequest,
  parts: string[],
  query: URLSearchParams,
): Promise<unknown> {
  const [collection, calendarId = '', events, id = '', verb] = parts;
  if (method === 'GET' && parts.join('/') === 'users/me/calendarList') return listCalendars(state, query);
  if (collection !== 'calendars' || events !== 'events') throw notImplemented();
  const calendar = state.calendar(calendarId);
  const write = async (change: Write) => {
    await state.put(`${method} ${parts.join('/')}`, change.sendUpdates, change.events);
    const event = state.find(change.calendar, change.id);
    return event && render(event, change.calendar);
  };
  switch (`${method} ${parts.length}${verb ?? ''}`) {
    case 'GET 3':
      return listEvents(state, calendar, query);
    case 'POST 3':
      return write(insertEvent(state, calendar, query, readBody(body)));
    case 'GET 4': {
      readParameters(query, []);
      const event = state.find(calendar, id);
      if (event === undefined) throw notFound();
      return render(event, calendar);
    }
    case 'PATCH 4':
      return write(patchEvent(state, calendar, id, query, readBody(body), ifMatch));
    case 'DELETE 4':
      await write(deleteEvent(state, calendar, id, query, ifMatch));
      return undefined;
    case 'POST 5move':
      return write(moveEvent(state, calendar, id, query));
    default:
      throw notImplemented();
  }
}

const notImplemented = () => new ApiError(501, 'notImplemented', 'The local calendar does not do this');

function readBody(text: string): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return { ...body };
  } catch {
    // Reported below.
  }
  throw new ApiError(400, 'parseError', 'Parse Error');
}

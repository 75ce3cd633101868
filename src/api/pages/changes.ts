import { latestChange } from '../../client';
import type { SeenEvent } from '../event-channel';
import type { Api, ApiContext } from '../context';
import { problemOf } from '../problems';
import { HEARTBEAT_MS, streamEvents, type SentEvent } from '../routes/events';
import { conversationEvents } from './conversation-events';
import { queryOf, text, whole, type Fields } from './forms';
import { merged } from './merged';

/** The maximum number of windows that one stream serves. */
const MAX_WINDOWS = 50;

/** Returns the changes to a page's content since it was read. */
type Source = (context: ApiContext, page: Fields, signal: AbortSignal) => AsyncIterable<SentEvent>;

/** The sources, by the first field of a page's `on`. */
const SOURCES: Readonly<Record<string, Source>> = {
  inbox: ({ events }, page, signal) => states(events.ofAllSince(markOf(page), signal)),
  operation: ({ events }, page, signal) => {
    const id = page.get('operation') ?? '';
    const changes = states(events.ofOperationSince(id, markOf(page), signal));
    if (!page.has('batch')) return changes;
    return merged([changes, states(others(events.ofBatch(id, signal), page.get('progress') ?? ''))]);
  },
  job: async function* ({ client, events }, page, signal) {
    const id = page.get('job') ?? '';
    // Fails at once for a missing job. A browser would reconnect to a stream that fails.
    await latestChange(client, id);
    yield* states(others(events.ofJob(id, signal), markOf(page)));
  },
  session: (context, page, signal) => {
    const [session_id, turn] = [page.get('session') ?? '', whole(page, 'turn')];
    return conversationEvents(context, { session_id, turn, mark: markOf(page) }, signal);
  },
};

/** The holder of a link receives the changes of its operation, and no others. */
const LINK: Source = async function* ({ events, links }, page, signal) {
  const { operation_id } = await links.read(page.get('link') ?? '');
  yield* states(events.ofOperationSince(operation_id, markOf(page), signal));
};

/** One stream sends the changes to all windows of a browser, since a browser opens few connections to a server. */
export function addChanges(pages: Api, context: ApiContext): void {
  const schema = { hide: true };
  const { beatMs = HEARTBEAT_MS } = context;
  pages.get('/events', { schema }, (request, reply) => {
    const windows = windowsIn(queryOf(request));
    return streamEvents(
      reply,
      (signal) =>
        merged(
          windows.map((page, at) => toWindow(at, (SOURCES[kindOf(page)] ?? none)(context, page, signal))),
        ),
      beatMs,
    );
  });
  pages.get('/gates/events', { schema, config: { open: true } }, (request, reply) => {
    const windows = windowsIn(queryOf(request));
    request.checkAgain = () => Promise.all(windows.map((page) => context.links.read(page.get('link') ?? '')));
    return streamEvents(
      reply,
      (signal) => merged(windows.map((page, at) => toWindow(at, LINK(context, page, signal)))),
      beatMs,
    );
  });
}

/** The content of each window, as its own `on` describes it. */
const windowsIn = (query: Fields): Fields[] =>
  query
    .getAll('on')
    .slice(0, MAX_WINDOWS)
    .map((on) => new URLSearchParams(on));

const kindOf = (page: Fields): string => [...page.keys()][0] ?? '';
const markOf = (page: Fields): string => text(page, 'mark') ?? '';

async function* none(): AsyncGenerator<SentEvent> {}

async function* states(changes: AsyncIterable<unknown>): AsyncGenerator<SentEvent> {
  // eslint-disable-next-line @typescript-eslint/no-unused-vars -- a page refreshes itself, whatever the change is
  for await (const _ of changes) yield { event: 'state', data: {} };
}

/** All changes except the one that the page already shows. */
async function* others(changes: AsyncIterable<SeenEvent>, current: string): AsyncGenerator<SeenEvent> {
  for await (const change of changes) if (change.event.event_id !== current) yield change;
}

/** Adds the position of its window to each event. `end`: nothing more can change, or the page may no longer be read. */
async function* toWindow(at: number, changes: AsyncIterable<SentEvent>): AsyncGenerator<SentEvent> {
  const message = ({ event, data }: SentEvent) => ({ event: 'message', data: { at, event, data } });
  try {
    for await (const change of changes) yield message(change);
  } catch (error) {
    const { status } = problemOf(error);
    // The browser reconnects, with increasing delays.
    if (status >= 500 || status === 429) throw error;
    yield message({ event: 'state', data: {} });
  }
  yield message({ event: 'end', data: {} });
}

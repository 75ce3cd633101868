import { setMaxListeners } from 'node:events';
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { glanceAt } from '../../client';
import { reaches } from '../../core/access/permissions';
import { principalOf, type Api, type ApiContext } from '../context';
import type { SeenEvent } from '../event-channel';
import { problemResponse } from '../problems';
import { operationParams } from './operations';

/** Proxies close idle connections. The reader's access is checked as often. Milliseconds. */
export const HEARTBEAT_MS = 15_000;
const tags = ['events'];
const headers = z.object({
  'last-event-id': z.string().max(200).optional().describe('The last event that was received'),
});
/** One event of a stream, in a form that OpenAPI 3.1 can describe. */
const eventSchema = z.object({
  id: z.string().optional(),
  event: z.enum(['state', 'end']),
  data: z.string().meta({
    contentMediaType: 'application/json',
    contentSchema: { $ref: '#/components/schemas/OperationEvent' },
  }),
});
const response = {
  200: {
    description:
      'Server-sent events. The data of `state` is an OperationEvent. The event `end` follows the last one.',
    content: { 'text/event-stream': { schema: eventSchema } },
  },
  ...problemResponse,
};

/** Streams of changes; a reader that reconnects with `Last-Event-ID` continues where it was. */
export function addEventRoutes(api: Api, { client, events }: ApiContext): void {
  api.get(
    '/v1/operations/:operation_id/events',
    { schema: { operationId: 'streamOperation', tags, params: operationParams, headers, response } },
    async (request, reply) => {
      const after = request.headers['last-event-id'];
      // A missing operation is answered before the stream begins.
      await glanceAt(client, request.params.operation_id);
      return stream(reply, (signal) => events.ofOperation(request.params.operation_id, after, signal));
    },
  );
  api.get(
    '/v1/events',
    { schema: { operationId: 'streamOperations', tags, headers, response } },
    (request, reply) => {
      const { session_prefix } = principalOf(request);
      return stream(
        reply,
        (signal) => events.ofAll(request.headers['last-event-id'], signal),
        ({ session_id }) => reaches(session_prefix, session_id),
      );
    },
  );
}

/** Changes of state that the reader may see, until the reader disconnects. */
function stream(
  reply: FastifyReply,
  open: (signal: AbortSignal) => AsyncIterable<SeenEvent>,
  isVisible: (seen: SeenEvent) => boolean = () => true,
): never {
  return streamEvents(reply, (signal) => statesOf(open(signal), isVisible));
}

async function* statesOf(
  source: AsyncIterable<SeenEvent>,
  isVisible: (seen: SeenEvent) => boolean,
): AsyncGenerator<SentEvent> {
  for await (const seen of source)
    if (isVisible(seen)) yield { id: seen.event.event_id, event: 'state', data: seen.event };
}

/** One event as it is sent. */
export interface SentEvent {
  id?: string;
  event: string;
  data: unknown;
}

/**
 * Server-sent events until the reader disconnects, or may no longer read. A reader that cannot see comments is told how
 * often it hears an event `beat`, so that it notices a connection that was lost without an end.
 */
export function streamEvents(
  reply: FastifyReply,
  open: (signal: AbortSignal) => AsyncIterable<SentEvent>,
  beatMs?: number,
): never {
  const { checkAgain } = reply.request;
  if (!checkAgain) throw new Error('no check ends this stream');
  const left = new AbortController();
  // One for each window that the stream serves, and more.
  setMaxListeners(0, left.signal);
  reply.raw.once('close', () => left.abort());
  const source = open(left.signal);
  const body = createBody(left);
  void send(body, source, left, { checkAgain, beatMs });
  return reply.type('text/event-stream').header('x-accel-buffering', 'no').send(body) as never;
}

/** What is sent to a reader, no faster than the reader takes it. */
interface Body extends Readable {
  /** Resolves once the reader has taken what was pushed, or has left. */
  taken(): Promise<void>;
}

function createBody(left: AbortController): Body {
  let wake = () => {};
  const body = new Readable({
    read: () => wake(),
    destroy: (error, done) => (left.abort(), done(error)),
  });
  const { signal } = left;
  signal.addEventListener('abort', () => wake(), { once: true });
  const taken = () => new Promise<void>((resolve) => (signal.aborted ? resolve() : void (wake = resolve)));
  return Object.assign(body, { taken });
}

async function send(
  body: Body,
  source: AsyncIterable<SentEvent>,
  left: AbortController,
  { checkAgain, beatMs }: { checkAgain: () => unknown; beatMs: number | undefined },
): Promise<void> {
  const { signal } = left;
  const alive =
    beatMs === undefined
      ? ': still here\n\n'
      : `event: beat\ndata: ${JSON.stringify({ every_ms: beatMs })}\n\n`;
  const end = () => {
    clearInterval(heartbeat);
    left.abort();
    body.push(null);
  };
  const beat = async () => {
    try {
      await checkAgain();
      if (!signal.aborted && body.readableLength === 0) body.push(alive);
    } catch {
      // A reader that may still read reconnects.
      end();
    }
  };
  const heartbeat = setInterval(() => void beat(), beatMs ?? HEARTBEAT_MS);
  body.push(alive);
  try {
    for await (const { id, event, data } of source) {
      if (signal.aborted) break;
      const text = `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
      if (!body.push(text)) await body.taken();
    }
    if (!signal.aborted) body.push('event: end\ndata: {}\n\n');
  } catch {
    // The reader reconnects and continues where it was.
  } finally {
    end();
  }
}

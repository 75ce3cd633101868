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

/** Proxies close idle connections. Each heartbeat also checks the reader's access. Milliseconds. */
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

/** Streams of changes. A reader that reconnects with `Last-Event-ID` continues after that event. */
export function addEventRoutes(api: Api, { client, events }: ApiContext): void {
  api.get(
    '/v1/operations/:operation_id/events',
    { schema: { operationId: 'streamOperation', tags, params: operationParams, headers, response } },
    async (request, reply) => {
      const after = request.headers['last-event-id'];
      // Fails before the stream begins if the operation is missing.
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

/** Streams the changes of state that the reader may see, until the reader disconnects. */
function stream(
  reply: FastifyReply,
  open: (signal: AbortSignal) => AsyncIterable<SeenEvent>,
  isVisible: (change: SeenEvent) => boolean = () => true,
): never {
  return streamEvents(reply, (signal) => statesOf(open(signal), isVisible));
}

async function* statesOf(
  source: AsyncIterable<SeenEvent>,
  isVisible: (change: SeenEvent) => boolean,
): AsyncGenerator<SentEvent> {
  for await (const change of source)
    if (isVisible(change)) yield { id: change.event.event_id, event: 'state', data: change.event };
}

/** A server-sent event. */
export interface SentEvent {
  id?: string;
  event: string;
  data: unknown;
}

/**
 * Sends events until the reader disconnects or loses its access. With `beatMs`, for readers that cannot see comments,
 * each heartbeat is an event `beat` with the interval, so that the reader detects a lost connection.
 */
export function streamEvents(
  reply: FastifyReply,
  open: (signal: AbortSignal) => AsyncIterable<SentEvent>,
  beatMs?: number,
): never {
  const { checkAgain } = reply.request;
  if (!checkAgain) throw new Error('no check ends this stream');
  const controller = new AbortController();
  // Each window that the stream serves adds listeners.
  setMaxListeners(0, controller.signal);
  reply.raw.once('close', () => controller.abort());
  const source = open(controller.signal);
  const body = createBody(controller);
  void send(body, source, controller, { checkAgain, beatMs });
  return reply.type('text/event-stream').header('x-accel-buffering', 'no').send(body) as never;
}

/** The body of a stream, sent no faster than the reader consumes it. */
interface Body extends Readable {
  /** Resolves once the reader has consumed the pushed data, or has disconnected. */
  taken(): Promise<void>;
}

function createBody(controller: AbortController): Body {
  let wake = () => {};
  const body = new Readable({
    read: () => wake(),
    destroy: (error, done) => (controller.abort(), done(error)),
  });
  const { signal } = controller;
  signal.addEventListener('abort', () => wake(), { once: true });
  const taken = () => new Promise<void>((resolve) => (signal.aborted ? resolve() : void (wake = resolve)));
  return Object.assign(body, { taken });
}

async function send(
  body: Body,
  source: AsyncIterable<SentEvent>,
  controller: AbortController,
  { checkAgain, beatMs }: { checkAgain: () => unknown; beatMs: number | undefined },
): Promise<void> {
  const { signal } = controller;
  const alive =
    beatMs === undefined
      ? ': still here\n\n'
      : `event: beat\ndata: ${JSON.stringify({ every_ms: beatMs })}\n\n`;
  const end = () => {
    clearInterval(heartbeat);
    controller.abort();
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
    // The reader reconnects and continues after its last event.
  } finally {
    end();
  }
}

import { z } from 'zod';
import { cancelJob, getAssistant, stopAssistant, unlessMissing, watchAssistant } from '../../client';
import {
  assistantEventSchemas,
  assistantId,
  assistantStatusSchema,
  stopRequestSchema,
} from '../../contract/assistant';
import { BatchgateError } from '../../contract/errors';
import { idSchema } from '../../contract/text';
import { beginningOf, idOf, placeOf, type Told } from '../../core/assistant/place';
import type { Api, ApiContext } from '../context';
import { problemResponse } from '../problems';
import { streamEvents, type SentEvent } from './events';

const tags = ['sessions'];
export const sessionParams = z.object({ session_id: idSchema(150) });
const headers = z.object({ 'last-event-id': z.string().max(200).optional() });
const querystring = z.object({ turn: z.coerce.number().int().min(1).optional() });
const answer = { 200: assistantStatusSchema, ...problemResponse };

const NAMES = {
  text: 'AssistantText',
  call: 'AssistantCall',
  question: 'AssistantQuestion',
  turn: 'AssistantTurn',
};
const eventSchema = z.object({
  id: z.string().optional(),
  event: z.enum([...Object.keys(assistantEventSchemas), 'end']),
  data: z.string().meta({
    contentMediaType: 'application/json',
    contentSchema: { anyOf: Object.values(NAMES).map((name) => ({ $ref: `#/components/schemas/${name}` })) },
  }),
});
const response = {
  200: {
    description:
      'Server-sent events: `text` (AssistantText), `call` (AssistantCall), `question` (AssistantQuestion) and, at the end of each turn, `turn` (AssistantTurn). The event `end` follows when the assistant is over.',
    content: { 'text/event-stream': { schema: eventSchema } },
  },
  ...problemResponse,
};

/** A session's assistant: its status, its answers while they are written, and its end. */
export function addAssistantRoutes(api: Api, { client, events }: ApiContext): void {
  const own = '/v1/sessions/:session_id/assistant';
  api.get(own, { schema: { tags, params: sessionParams, response: answer } }, ({ params: { session_id } }) =>
    existing(() => getAssistant(client, session_id)),
  );
  api.get(
    `${own}/events`,
    { schema: { tags, params: sessionParams, headers, querystring, response } },
    async (request, reply) => {
      const { session_id } = request.params;
      const { turn } = request.query;
      const from =
        placeOf(request.headers['last-event-id']) ?? (turn === undefined ? undefined : beginningOf(turn));
      // A missing assistant is answered before the stream begins.
      await existing(() => getAssistant(client, session_id));
      return streamEvents(reply, (signal) => {
        const changes = events.ofJob(assistantId(session_id), signal);
        return sent(watchAssistant(client, session_id, { from, changes, signal }));
      });
    },
  );
  api.post(
    `${own}/stop`,
    { schema: { tags, params: sessionParams, body: stopRequestSchema.nullish(), response: answer } },
    ({ params: { session_id }, body }) => existing(() => stopAssistant(client, session_id, body?.turn)),
  );
  api.post(
    `${own}/cancel`,
    { schema: { tags, params: sessionParams, response: answer } },
    async ({ params: { session_id } }) => {
      await existing(() => cancelJob(client, assistantId(session_id)));
      return getAssistant(client, session_id);
    },
  );
}

async function existing<T>(look: () => Promise<T>): Promise<T> {
  try {
    return await look();
  } catch (error) {
    unlessMissing(error);
    throw new BatchgateError(
      'NOT_FOUND',
      'This session has no assistant.',
      'Send a message with `"assistant": true` to start one.',
    );
  }
}

async function* sent(source: AsyncIterable<Told>): AsyncGenerator<SentEvent> {
  for await (const { event, place } of source) yield { id: idOf(place), ...event };
}

import { z } from 'zod';
import { getAssistant, watchAssistant } from '../../client';
import { existing } from '../../commands/sessions';
import { assistantEventSchemas, assistantId } from '../../contract/assistant';
import { idSchema } from '../../contract/text';
import { beginningOf, idOf, placeOf, type Told } from '../../core/assistant/place';
import type { Api, ApiContext } from '../context';
import { problemResponse } from '../problems';
import { streamEvents, type SentEvent } from './events';

const tags = ['sessions'];
export const sessionParams = z.object({ session_id: idSchema(150).describe('The conversation') });
const headers = z.object({
  'last-event-id': z.string().max(200).optional().describe('The last event that was received'),
});
const querystring = z.object({
  turn: z.coerce.number().int().min(1).optional().describe('From the beginning of this turn on'),
});

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

/** Streams the answers of a session's assistant while they are written. */
export function addAssistantEvents(api: Api, { client, events }: ApiContext): void {
  api.get(
    '/v1/sessions/:session_id/assistant/events',
    {
      schema: { operationId: 'streamAssistant', tags, params: sessionParams, headers, querystring, response },
    },
    async (request, reply) => {
      const { session_id } = request.params;
      const { turn } = request.query;
      const from =
        placeOf(request.headers['last-event-id']) ?? (turn === undefined ? undefined : beginningOf(turn));
      // Fails before the stream begins if the assistant is missing.
      await existing(() => getAssistant(client, session_id));
      return streamEvents(reply, (signal) => {
        const changes = events.ofJob(assistantId(session_id), signal);
        return sent(watchAssistant(client, session_id, { from, changes, signal }));
      });
    },
  );
}

async function* sent(source: AsyncIterable<Told>): AsyncGenerator<SentEvent> {
  for await (const { event, place } of source) yield { id: idOf(place), ...event };
}

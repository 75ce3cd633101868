import { z } from 'zod';
import { handleMessage, sayInSession, type Said, type Turn } from '../../client';
import { messageTextSchema } from '../../contract/assistant';
import { BatchgateError } from '../../contract/errors';
import { idSchema, upTo } from '../../contract/text';
import { isZone } from '../../core/shared/zoned-time';
import { mayDecide, mayInstruct, mayStart } from '../../core/access/permissions';
import { principalOf, type Api, type ApiContext } from '../context';
import { decidedBy } from '../read-since';
import { decisionId, idempotencyHeaders } from '../idempotency';
import { problemResponse } from '../problems';
import { remembering, shownTo } from '../shown';
import { sessionParams } from './assistant';
import { saidSchema } from '../schemas';

const messageSchema = z.strictObject({
  text: messageTextSchema.describe('The message'),
  message_id: idSchema(150)
    .optional()
    .describe('The decision id: the same message delivered twice decides once'),
  seen: z
    .strictObject({
      batch: z.number().int().min(1).optional().describe('The number of its batch'),
      attempt: z.number().int().min(1).optional().describe('The attempt of that batch'),
      digest: idSchema(128).describe('Its digest'),
    })
    .optional()
    .describe('The question that the person was shown'),
  assistant: z.boolean().optional().describe('Whether an assistant gets messages about something else'),
  profile: idSchema(150).optional().describe('The profile whose limits apply to a new assistant'),
  by: idSchema(150).optional().describe('The author, where a backend speaks for its people'),
  zone: upTo(60)
    .refine(isZone, 'must be a name of the IANA database of time zones, such as Europe/Berlin')
    .optional()
    .describe(
      'The time zone of the person, for “continue at 10 pm” and the assistant; by default that of the server',
    ),
});

/** Messages of a conversation. */
export function addSessionRoutes(api: Api, context: ApiContext): void {
  const { client, taskQueue: task_queue, hasModel: has_model = false } = context;
  api.post(
    '/v1/sessions/:session_id/messages',
    {
      schema: {
        operationId: 'handleMessage',
        tags: ['sessions'],
        params: sessionParams,
        headers: idempotencyHeaders,
        body: messageSchema,
        response: { 200: saidSchema, ...problemResponse },
      },
    },
    async (request, reply) => {
      const { text, assistant, profile, by: author, ...message } = request.body;
      const principal = principalOf(request);
      if (assistant && !mayInstruct(principal)) throw notInstructing();
      const { by, options } = decidedBy(context, request, author);
      const may = { may_decide: mayDecide(principal.role), may_start: mayStart(principal.role) };
      const message_id = await decisionId(context, request, message.message_id);
      const shownDigest = (operationId: string) => shownTo(context, request, operationId);
      const turnContext = { ...message, given: shownDigest, message_id, by, task_queue, ...may, ...options };
      const { session_id } = request.params;
      const rememberQuestion = (turn: Turn): Turn => {
        if (turn.asked && turn.status) remembering(context, request, reply, turn.status);
        return turn;
      };
      if (!assistant) return rememberQuestion(await handleMessage(client, session_id, text, turnContext));
      const { role } = principal;
      const answer = await sayInSession(client, session_id, text, {
        ...turnContext,
        profile,
        has_model,
        role,
      });
      if (answer.to === 'question') rememberQuestion(answer.turn);
      return answerOf(answer);
    },
  );
}

/** A message to a session's assistant counts as handled. The assistant's answer is sent as events. */
const answerOf = (said: Said): z.infer<typeof saidSchema> =>
  said.to === 'question'
    ? said.turn
    : { handled: true, intent: 'unknown', reply: '', assistant: { turn: said.number } };

const notInstructing = () =>
  new BatchgateError(
    'FORBIDDEN',
    'You may not give the assistant work.',
    'Leave `assistant` out, or use a key of the role operator, agent or admin without a session prefix.',
  );

import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  cancelJob,
  getBulkStatus,
  getMacroTurn,
  jobIdOf,
  listJobs,
  lookAtAssistant,
  NO_GATE,
  sayInSession,
  stopAssistant,
  unlessMissing,
  type JobRow,
  type SeenGate,
} from '../../client';
import { assistantId } from '../../contract/assistant';
import type { BulkStatus } from '../../contract/operation';
import { isSettled } from '../../core/approval/selection';
import { isClosed } from '../../core/bulk/transitions';
import { approverOf } from '../approver';
import { principalOf, type Api, type ApiContext } from '../context';
import { decidedBy } from '../read-since';
import { sessionParams } from '../routes/assistant';
import { answer, answered, refuse } from './answered';
import { conversationPage, type Conversation } from './conversation-view';
import { zoneOf } from './fields';
import { fieldsOf, queryOf, required, text, whole } from './forms';
import { path } from './html';
import { sendPage } from './send';
import { decideOnce, showingOf } from './showing';
import { signingView } from './signing';

const schema = { hide: true, params: sessionParams };

/** A conversation with the assistant: its turns, the session's open question, and the person's messages. */
export function addConversationPages(pages: Api, context: ApiContext): void {
  const { client } = context;
  pages.get('/sessions/:session_id', { schema }, (request, reply) => show(context, request, reply));
  const acts = (
    verb: string,
    act: (session: string, request: FastifyRequest) => Promise<string | undefined>,
  ) =>
    pages.post(`/sessions/:session_id/${verb}`, { schema }, async (request, reply) => {
      const { session_id } = request.params;
      const [own, reader] = [path('sessions', session_id), principalOf(request).id];
      try {
        const gateReply = await act(session_id, request);
        if (gateReply === undefined) return reply.redirect(`${own}#latest`, 303);
        return await answer(context, request, reply, { own, reader, status: 200, reply: gateReply });
      } catch (error) {
        return refuse(context, request, reply, { own, reader }, error);
      }
    });
  acts('messages', (session_id, request) => say(context, session_id, request));
  acts('stop', async (session_id, request) => {
    await stopAssistant(client, session_id, whole(fieldsOf(request), 'turn'));
    return undefined;
  });
  acts('dismiss', async (session_id, request) => {
    const decided = { reader: principalOf(request).id, verb: 'dismiss', fields: fieldsOf(request) };
    await decideOnce(context, decided, async () => {
      await cancelJob(client, assistantId(session_id));
    });
    return undefined;
  });
}

/** Sends a message. Returns the reply of the open question; undefined if the assistant gets the message. */
async function say(
  context: ApiContext,
  session_id: string,
  request: FastifyRequest,
): Promise<string | undefined> {
  const { client, taskQueue: task_queue, hasModel: has_model = false } = context;
  const fields = fieldsOf(request);
  const { by, options } = decidedBy(context, request, undefined);
  const details = {
    message_id: required(fields, 'message_id'),
    seen: seenIn(context, request),
    by,
    zone: zoneOf(fields),
    ...options,
  };
  const message = required(fields, 'text', 'Your message');
  const { role } = principalOf(request);
  const result = await sayInSession(client, session_id, message, { ...details, task_queue, has_model, role });
  return result.to === 'question' ? result.turn.reply : undefined;
}

/** The question that was on the screen long enough for the message to answer it. */
function seenIn({ deliveries }: ApiContext, request: FastifyRequest): SeenGate {
  const fields = fieldsOf(request);
  const [digest, batch, attempt] = [text(fields, 'digest'), whole(fields, 'batch'), whole(fields, 'attempt')];
  if (digest === undefined) return NO_GATE;
  const at = deliveries.timeOf(principalOf(request).id, digest, text(fields, 'shown_at') ?? '');
  return at !== undefined && isSettled(at, Date.now()) ? { digest, batch, attempt } : NO_GATE;
}

async function show(context: ApiContext, request: FastifyRequest, reply: FastifyReply): Promise<never> {
  const { session_id } = request.params as { session_id: string };
  const principal = principalOf(request);
  // Read the mark first, so that a change during the other reads refreshes the page.
  const mark = await context.events.markOfAll();
  const conversation = await conversationOf(context, session_id);
  const domains = [...new Set(conversation.open.map(({ domain }) => domain))];
  const nouns = new Map(
    await Promise.all(domains.map(async (domain) => [domain, await context.nounOf(domain)] as const)),
  );
  const signings = new Map(
    await Promise.all(
      conversation.open.map(
        async (status) => [status.operation_id, await signingView(context, request, status)] as const,
      ),
    ),
  );
  const page = {
    ...conversation,
    ...{ mark, principal, approver: approverOf(context, principal, principal.name) },
    hasModel: context.hasModel ?? false,
    ...{ nouns, signings, showing: showingOf(context, principal.id, queryOf(request)) },
    answered: await answered(context, request, reply, principal.id),
  };
  return sendPage(reply, conversationPage(page));
}

const LATEST = 20;

/** The current assistant, and the session's jobs: open ones, and the operation that ended last. */
async function conversationOf(
  { client, taskQueue: task_queue }: ApiContext,
  session_id: string,
): Promise<Conversation> {
  const [look, jobs] = await Promise.all([
    lookAtAssistant(client, session_id).catch(unlessMissing),
    listJobs(client, { session_id, task_queue, limit: LATEST, progress: false }),
  ]);
  const operations = jobs.filter(({ kind }) => kind === 'bulk_operation');
  const live = operations.filter(({ closed_at }) => closed_at === undefined).map(jobIdOf);
  // The list lags slightly, so add the operations that the assistant started.
  const ids = [...new Set([...(look?.status.operations ?? []), ...live])];
  const [latest] = operations.filter(({ closed_at }) => closed_at !== undefined).map(jobIdOf);
  const proposed = look?.status.turns.findLast(({ asked }) => asked)?.proposed;
  const [statuses, ended, macros] = await Promise.all([
    Promise.all(ids.map((id) => getBulkStatus(client, id).catch(unlessMissing))),
    latest === undefined ? undefined : getBulkStatus(client, latest).catch(unlessMissing),
    macrosThatAsk(client, jobs, proposed),
  ]);
  const existing = statuses.filter((status): status is BulkStatus => status !== undefined);
  const open = existing.filter(({ state }) => !isClosed(state));
  const over = existing.find(({ state }) => isClosed(state)) ?? ended;
  return {
    session_id,
    ...(look && { assistant: look.status }),
    ...(look?.streamed && { streamed: look.streamed }),
    open,
    ended: over,
    macros,
  };
}

/** The macros with an open question. The list lags slightly, so this adds the one that the assistant proposed. */
async function macrosThatAsk(
  client: ApiContext['client'],
  jobs: readonly JobRow[],
  proposed: string | undefined,
): Promise<string[]> {
  const listed = jobs
    .filter(({ kind, state }) => kind === 'macro' && state === 'awaiting_answer')
    .map(jobIdOf);
  const hasEnded = jobs.some((job) => jobIdOf(job) === proposed && job.closed_at !== undefined);
  if (proposed === undefined || hasEnded || listed.includes(proposed)) return listed;
  // A macro that cannot answer must not make the page fail.
  const turn = await getMacroTurn(client, proposed).catch(() => undefined);
  return turn?.state === 'awaiting_answer' ? [...listed, proposed] : listed;
}

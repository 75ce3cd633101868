import { randomUUID } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { fieldsOf, type AnyCommand, type Caller } from '../commands/command';
import { BatchgateError } from '../contract/errors';
import { bulkStatusSchema } from '../contract/operation';
import { completionGuardResultSchema, type CompletionGuardResult } from '../contract/progress';
import { principalOf, speaksFor, type Api, type ApiContext } from './context';
import { requestingSubject } from './approver';
import { decidedBy } from './read-since';
import { refuseOutOfReach } from './guard';
import { decisionId, idempotencyHeaders, once, onlyOnce } from './idempotency';
import { problemResponse } from './problems';
import { listOf, pageOf, pageQuery, readCursor } from './schemas';
import { remembering } from './shown';

type Input = Record<string, unknown>;

/** The exceptions of one command's route to the general handling of routes. */
export interface OwnRoute {
  headers?: z.ZodObject;
  response?: object;
  answer(input: never, caller: Caller, request: FastifyRequest, reply: FastifyReply): Promise<unknown>;
}

/** Serves a command at its route: its fields are in the path, and in the query or the body. */
export function addCommand(api: Api, context: ApiContext, command: AnyCommand, own?: OwnRoute): void {
  const { http } = command;
  if (!http) return;
  const [method = '', path = ''] = http.route.split(' ');
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const others = Object.fromEntries(
    Object.entries(fieldsOf(command, http.takes)).filter(([name]) => !inPath.includes(name)),
  );
  api.route({
    method,
    url: path.replace(/\{(\w+)\}/g, ':$1'),
    schema: {
      operationId: command.name,
      tags: [command.group],
      description: command.does,
      ...(inPath.length > 0 && { params: z.object(fieldsOf(command, inPath)) }),
      ...partsOf(command, method, others),
      ...(takesKey(command) && { headers: own?.headers ?? idempotencyHeaders }),
      response: { ...responseOf(command), ...own?.response, ...problemResponse },
    },
    // The serializer of the response checks its type.
    handler: (request, reply) => handle(context, command, own, request, reply) as Promise<never>,
  });
}

function partsOf({ http }: AnyCommand, method: string, fields: z.ZodRawShape): object {
  if (method === 'GET') {
    if (http?.paged) return { querystring: pageQuery.extend(fields) };
    return Object.keys(fields).length > 0 ? { querystring: z.object(fields) } : {};
  }
  if (Object.keys(fields).length === 0) return {};
  const body = z.strictObject(fields);
  return { body: http?.optional_body ? body.nullish() : body };
}

const takesKey = ({ starts, keeps_answer, input }: AnyCommand): boolean =>
  starts !== undefined || keeps_answer === true || 'decision_id' in input.shape;

function responseOf({ title, output, http }: AnyCommand): object {
  const description = title;
  const schema = http?.paged ? pageSchemaOf(output) : output;
  return { [http?.creates ? 201 : 200]: { description, content: { 'application/json': { schema } } } };
}

/** The name of the list's rows: the only array of its output. */
function rowsNameOf({ shape }: z.ZodObject): string {
  return Object.keys(shape).find((name) => shape[name] instanceof z.ZodArray) ?? 'items';
}

function pageSchemaOf(output: z.ZodObject): z.ZodObject {
  const fields = output.shape as Record<string, z.ZodType>;
  const page = listOf((fields[rowsNameOf(output)] as z.ZodArray<z.ZodType>).element);
  return fields['total'] ? page.extend({ total: fields['total'] }) : page;
}

async function handle(
  context: ApiContext,
  command: AnyCommand,
  own: OwnRoute | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { http, starts, keeps_answer } = command;
  const input: Input = { ...parts(request.query), ...parts(request.body), ...parts(request.params) };
  refuseReach(command, request, input);
  if ('decision_id' in command.input.shape)
    input['decision_id'] = await decisionId(context, request, input['decision_id'] as string | undefined);
  const callerOf = (id = request.id) => createCaller(context, request, id);
  command.check?.(input as never, callerOf());
  const run = async (id?: string) => {
    const answer = await command.run(context.client, input as never, callerOf(id));
    const decides = request.method === 'POST' && command.output === completionGuardResultSchema;
    return decides ? allowed(answer as CompletionGuardResult) : answer;
  };
  if (own) return own.answer(input as never, callerOf(), request, reply);
  if (http?.paged) return pageFrom(context, command, input, callerOf());
  const answer = starts
    ? await once(context, request, () => `${starts}-${randomUUID()}`, run)
    : await (keeps_answer ? onlyOnce(context, request, run) : run());
  if (http?.creates) void reply.code(201);
  if (starts) void reply.header('location', locationOf(http?.route, answer as Input));
  return command.output === bulkStatusSchema ? remembering(context, request, reply, answer as never) : answer;
}

const parts = (value: unknown): Input => (value ?? {}) as Input;

/** Refuses a key with a session prefix a job outside its sessions. */
function refuseReach({ starts, http }: AnyCommand, request: FastifyRequest, input: Input): void {
  if (request.method === 'GET' || http?.route.includes('{session_id}')) return;
  const session = input['session_id'] as string | undefined;
  if (starts || session !== undefined) refuseOutOfReach(principalOf(request), session);
}

function createCaller(context: ApiContext, request: FastifyRequest, id: string): Caller {
  const principal = principalOf(request);
  const { role, session_prefix } = principal;
  const nameOf = (by?: string) => speaksFor(request, by);
  return {
    ...{ task_queue: context.taskQueue, session_prefix, is_agent: role === 'agent' },
    decision: decidedBy(context, request, undefined).options,
    ...{ nameOf, forcedBy: nameOf },
    subjectOf: (subject) => requestingSubject(context, principal, subject),
    place: (_, session_id) => ({ id, session_id }),
  };
}

/** The path of the started job. */
function locationOf(route = '', answer: Input): string {
  const id = answer['operation_id'] ?? answer['task_run_id'] ?? answer['run_id'];
  return `${route.replace(/^\w+ /, '')}/${encodeURIComponent(String(id))}`;
}

/** One page of a list. */
async function pageFrom(context: ApiContext, command: AnyCommand, input: Input, caller: Caller) {
  const { cursor, ...filter } = input;
  const limit = input['limit'] as number;
  const offset = readCursor(cursor as string | undefined);
  const counted = 'total' in command.output.shape;
  // A list without a total returns one extra row if another page follows.
  const query = { ...filter, offset, limit: counted ? limit : limit + 1 };
  const answer = (await command.run(context.client, query as never, caller)) as Input;
  const rows = answer[rowsNameOf(command.output)] as unknown[];
  if (!counted) return pageOf(rows.slice(0, limit), offset, rows.length > limit);
  const total = answer['total'] as number;
  return { ...pageOf(rows, offset, offset + rows.length < total), total };
}

/** Throws a refusal by the guard as an error whose details are the guard's result. */
export function allowed(guard: CompletionGuardResult): CompletionGuardResult {
  if (guard.allowed) return guard;
  throw new BatchgateError(
    'GUARD_BLOCKED',
    guard.reason ?? 'It cannot be completed yet.',
    guard.suggested_next_action ?? 'Finish what is missing, or force it with a reason.',
    guard,
  );
}

import type { Client } from '@temporalio/client';
import type { FastifyRequest } from 'fastify';
import { BatchgateError } from '../contract/errors';
import { getBulkStatus, getSessionOf } from '../client';
import { PERMISSIONS } from '../commands/permissions';
import { beyondSessions, reaches, type Permission } from '../core/access/permissions';
import type { Principal } from './principal';

/** The path of a route in the notation of OpenAPI and of the table of permissions. */
export const documented = (url: string): string => url.replace(/:([a-z_]+)/g, '{$1}');

export function permissionOf(method: string, url: string): Permission | undefined {
  return PERMISSIONS[`${method === 'HEAD' ? 'GET' : method} ${documented(url)}`];
}

/**
 * Checks that the sender may make this request.
 * @throws BatchgateError `FORBIDDEN` if the role does not suffice, `NOT_FOUND` if the session is out of reach.
 */
export async function authorize(
  client: Client,
  principal: Principal,
  request: FastifyRequest,
): Promise<void> {
  const { url = '' } = request.routeOptions;
  const permission = permissionOf(request.method, url);
  const { session_prefix: prefix, role } = principal;
  if (prefix !== undefined) await checkReach(client, prefix, request);
  if (prefix !== undefined && permission?.beyond_sessions) throw beyondSessions(prefix);
  if (permission?.roles.includes(role)) {
    if (permission.own_only && role === 'agent') await refuseOthers(client, principal, request);
    return;
  }
  throw new BatchgateError(
    'FORBIDDEN',
    `The role ${role} may not do this: ${request.method} ${documented(url)}.`,
    permission
      ? `It takes one of these roles: ${permission.roles.join(', ')}.`
      : 'See /openapi.json for all routes.',
  );
}

const JOB_PARAMETERS = ['operation_id', 'task_run_id', 'run_id'] as const;

/** Checks that the job in the path and the operation to undo or revise are in sessions within the key's reach. */
async function checkReach(client: Client, prefix: string, request: FastifyRequest): Promise<void> {
  const params = request.params as Record<string, string | undefined>;
  const job = JOB_PARAMETERS.map((name) => params[name]).find((id) => id !== undefined);
  if (job !== undefined && !reaches(prefix, await getSessionOf(client, job))) throw hidden();
  const { undoes, revises } = (request.body ?? {}) as { undoes?: unknown; revises?: unknown };
  for (const id of [undoes, revises])
    if (typeof id === 'string' && !reaches(prefix, await getSessionOf(client, id))) throw hidden();
  if (params['session_id'] !== undefined && !reaches(prefix, params['session_id'])) throw hidden();
}

/** Refuses an operation unless it was requested in the agent's name, or belongs to the agent's own MCP sessions. */
async function refuseOthers(client: Client, principal: Principal, request: FastifyRequest): Promise<void> {
  const { id, name, session_prefix = '' } = principal;
  const { operation_id = '', task_run_id } = request.params as Record<string, string | undefined>;
  if (task_run_id !== undefined) return refuseOtherTaskRuns(client, principal, task_run_id);
  const { requested_by, session_id } = await getBulkStatus(client, operation_id);
  if (requested_by === name || session_id?.startsWith(`${session_prefix}mcp.${id}.`)) return;
  throw new BatchgateError(
    'FORBIDDEN',
    'An agent does this only to the operations that it started.',
    'Ask a person to do it.',
  );
}

/** A task run does not record its starter. An agent's sessions have its key's prefix, or are its own over MCP. */
async function refuseOtherTaskRuns(
  client: Client,
  { id, session_prefix }: Principal,
  taskRunId: string,
): Promise<void> {
  if (session_prefix !== undefined) return;
  if ((await getSessionOf(client, taskRunId))?.startsWith(`mcp.${id}.`)) return;
  throw new BatchgateError(
    'FORBIDDEN',
    'An agent completes and cancels only the task runs of its own sessions.',
    'Ask a person to do it, or give the key a session prefix.',
  );
}

const hidden = () =>
  new BatchgateError('NOT_FOUND', 'No such operation.', 'Take the id from `batchgate list`.');

/** Refuses a key with a session prefix a job that it could not read afterwards. */
export function refuseOutOfReach({ session_prefix: prefix }: Principal, sessionId: string | undefined): void {
  if (reaches(prefix, sessionId)) return;
  throw new BatchgateError(
    'FORBIDDEN',
    `This key starts only what belongs to a session that begins with ${prefix}.`,
    'Give such a session_id.',
  );
}

import type { Client } from '@temporalio/client';
import type { FastifyRequest } from 'fastify';
import { BatchgateError } from '../contract/errors';
import { getSessionOf } from '../client';
import { PERMISSIONS, reaches, type Permission } from '../core/access/permissions';
import type { Principal } from './principal';

/** The path of a route as the table of permissions and OpenAPI write it. */
export const documented = (url: string): string => url.replace(/:([a-z_]+)/g, '{$1}');

export function permissionOf(method: string, url: string): Permission | undefined {
  return PERMISSIONS[`${method === 'HEAD' ? 'GET' : method} ${documented(url)}`];
}

/**
 * Lets a request through that its sender may make.
 * @throws BatchgateError `FORBIDDEN` where the role does not suffice, `NOT_FOUND` where the session is out of reach.
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
  if (prefix !== undefined && permission?.beyond_sessions) throw beyond(prefix);
  if (permission?.roles.includes(role)) return;
  throw new BatchgateError(
    'FORBIDDEN',
    `The role ${role} may not do this: ${request.method} ${documented(url)}.`,
    permission
      ? `It takes one of these roles: ${permission.roles.join(', ')}.`
      : 'See /openapi.json for all routes.',
  );
}

const JOB_PARAMETERS = ['operation_id', 'task_run_id', 'run_id'] as const;

/** The session of what the path names, or of what the body takes back, must be within the key's reach. */
async function checkReach(client: Client, prefix: string, request: FastifyRequest): Promise<void> {
  const params = request.params as Record<string, string | undefined>;
  const job = JOB_PARAMETERS.map((name) => params[name]).find((id) => id !== undefined);
  if (job !== undefined && !reaches(prefix, await getSessionOf(client, job))) throw hidden();
  const { undoes } = (request.body ?? {}) as { undoes?: unknown };
  if (typeof undoes === 'string' && !reaches(prefix, await getSessionOf(client, undoes))) throw hidden();
  if (params['session_id'] !== undefined && !reaches(prefix, params['session_id'])) throw hidden();
}

const hidden = () =>
  new BatchgateError('NOT_FOUND', 'No such operation.', 'Take the id from `batchgate list`.');

const beyond = (prefix: string) =>
  new BatchgateError(
    'FORBIDDEN',
    `This key reaches only sessions that begin with ${prefix}, and this request reaches further.`,
    'Use a key without a session prefix.',
  );

/** A key with a prefix starts only what it can see afterwards. */
export function refuseOutOfReach({ session_prefix: prefix }: Principal, sessionId: string | undefined): void {
  if (reaches(prefix, sessionId)) return;
  throw new BatchgateError(
    'FORBIDDEN',
    `This key starts only what belongs to a session that begins with ${prefix}.`,
    'Give such a session_id.',
  );
}

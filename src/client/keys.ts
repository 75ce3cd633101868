import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import {
  keysRequestSchema,
  type ApiKey,
  type KeysRequest,
  type NewKey,
  type SignInLink,
} from '../contract/access';
import { parseInput } from '../contract/errors';
import { TASK_QUEUE, WORKFLOW_TYPES } from '../contract/messages';
import { runOnce } from './calls';

/** Stores a key of the HTTP API as its hash. */
export async function createKey(client: Client, key: NewKey, taskQueue = TASK_QUEUE): Promise<ApiKey> {
  const [created] = await access(client, { verb: 'create', ...key }, taskQueue);
  return created as ApiKey;
}

/** All keys, the revoked and expired ones too. */
export function listKeys(client: Client, taskQueue = TASK_QUEUE): Promise<ApiKey[]> {
  return access(client, { verb: 'list' }, taskQueue);
}

/** @throws BatchgateError `NOT_FOUND` when there is no key with this id. */
export async function revokeKey(client: Client, keyId: string, taskQueue = TASK_QUEUE): Promise<ApiKey> {
  const [revoked] = await access(client, { verb: 'revoke', key_id: keyId }, taskQueue);
  return revoked as ApiKey;
}

/** Stores a sign-in link as its hash. */
export async function keepSignInLink(
  client: Client,
  link: SignInLink,
  taskQueue = TASK_QUEUE,
): Promise<void> {
  await access(client, { verb: 'link', ...link }, taskQueue);
}

async function access(client: Client, request: KeysRequest, taskQueue: string): Promise<ApiKey[]> {
  const input = parseInput(keysRequestSchema, request, 'The request for keys');
  const workflowId = `access-${randomUUID()}`;
  return runOnce(client, { type: WORKFLOW_TYPES.accessKeys, workflowId, taskQueue, input });
}

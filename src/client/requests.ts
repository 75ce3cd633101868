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
import {
  profileRequestSchema,
  type Profile,
  type ProfileChanges,
  type ProfileRequest,
} from '../contract/profile';
import { SUGGESTION_MS, suggestionRequestSchema, type SuggestionRequest } from '../contract/suggestions';
import { runOnce } from './waiting';

/** Stores a key of the HTTP API as its hash. */
export async function createKey(client: Client, key: NewKey, taskQueue = TASK_QUEUE): Promise<ApiKey> {
  const [created] = await accessKeys(client, { verb: 'create', ...key }, taskQueue);
  return created as ApiKey;
}

/** Returns all keys, including revoked and expired ones. */
export function listKeys(client: Client, taskQueue = TASK_QUEUE): Promise<ApiKey[]> {
  return accessKeys(client, { verb: 'list' }, taskQueue);
}

/** @throws BatchgateError `NOT_FOUND` if there is no key with this id. */
export async function revokeKey(client: Client, keyId: string, taskQueue = TASK_QUEUE): Promise<ApiKey> {
  const [revoked] = await accessKeys(client, { verb: 'revoke', key_id: keyId }, taskQueue);
  return revoked as ApiKey;
}

/** Stores a sign-in link as its hash. */
export async function keepSignInLink(
  client: Client,
  link: SignInLink,
  taskQueue = TASK_QUEUE,
): Promise<void> {
  await accessKeys(client, { verb: 'link', ...link }, taskQueue);
}

async function accessKeys(client: Client, request: KeysRequest, taskQueue: string): Promise<ApiKey[]> {
  const input = parseInput(keysRequestSchema, request, 'The request for keys');
  const workflowId = `access-${randomUUID()}`;
  return runOnce(client, { type: WORKFLOW_TYPES.accessKeys, workflowId, taskQueue, input });
}

/** Returns the effective values of a profile. A profile that was never set has the defaults. */
export function getProfile(client: Client, profile?: string, taskQueue = TASK_QUEUE): Promise<Profile> {
  return accessProfile(client, { profile }, taskQueue);
}

/**
 * Changes fields of a profile; `null` restores the default.
 * @throws BatchgateError `INVALID_INPUT` for an unknown field, or a value outside its bounds.
 */
export function setProfile(
  client: Client,
  changes: ProfileChanges,
  profile?: string,
  taskQueue = TASK_QUEUE,
): Promise<Profile> {
  return accessProfile(client, { changes, profile }, taskQueue);
}

async function accessProfile(client: Client, request: ProfileRequest, taskQueue: string): Promise<Profile> {
  const input = parseInput(profileRequestSchema, request, 'The profile');
  const workflowId = `profile-${randomUUID()}`;
  return runOnce(client, { type: WORKFLOW_TYPES.profile, workflowId, taskQueue, input });
}

export interface SuggestionOptions {
  task_queue?: string;
  /** How long to wait for the answer, in milliseconds. */
  wait_ms?: number;
}

/**
 * Returns the values that a parameter of a domain can have, read from its tool; none if its adapter cannot suggest any.
 * @throws BatchgateError `TEMPORAL_UNAVAILABLE` if no worker answers in time.
 */
export async function suggestValues(
  client: Client,
  request: SuggestionRequest,
  { task_queue = TASK_QUEUE, wait_ms = SUGGESTION_MS }: SuggestionOptions = {},
): Promise<string[]> {
  const question = {
    type: WORKFLOW_TYPES.suggestions,
    workflowId: `suggestions-${randomUUID()}`,
    taskQueue: task_queue,
    input: parseInput(suggestionRequestSchema, request, 'The request for suggestions'),
    // Once the caller stops waiting, nothing needs the answer.
    workflowExecutionTimeout: 2 * SUGGESTION_MS,
  };
  return runOnce(client, question, wait_ms);
}

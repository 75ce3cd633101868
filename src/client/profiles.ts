import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { parseInput } from '../contract/errors';
import { TASK_QUEUE, WORKFLOW_TYPES } from '../contract/messages';
import {
  profileRequestSchema,
  type Profile,
  type ProfileChanges,
  type ProfileRequest,
} from '../contract/profile';
import { runOnce } from './calls';

/** The values of a profile that are in force. A profile that was never set has the defaults. */
export function getProfile(client: Client, profile?: string, taskQueue = TASK_QUEUE): Promise<Profile> {
  return access(client, { profile }, taskQueue);
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
  return access(client, { changes, profile }, taskQueue);
}

async function access(client: Client, request: ProfileRequest, taskQueue: string): Promise<Profile> {
  const input = parseInput(profileRequestSchema, request, 'The profile');
  const workflowId = `profile-${randomUUID()}`;
  return runOnce(client, { type: WORKFLOW_TYPES.profile, workflowId, taskQueue, input });
}

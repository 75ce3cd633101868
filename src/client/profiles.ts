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
import { call } from './calls';

/** A profile's values in force, as a worker answers them; a profile that was never set has the defaults. */
export function getProfile(client: Client, profile?: string, taskQueue = TASK_QUEUE): Promise<Profile> {
  return access(client, { profile }, taskQueue);
}

/**
 * Changes fields of a profile; `null` is the default again.
 * @throws BatchgateError `INVALID_INPUT` for a field that there is not, or a value out of its bounds.
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
  const asked = parseInput(profileRequestSchema, request, 'The profile');
  return call(client, () =>
    client.workflow.execute<(request: ProfileRequest) => Promise<Profile>>(WORKFLOW_TYPES.profile, {
      workflowId: `profile-${randomUUID()}`,
      taskQueue,
      args: [asked],
      workflowExecutionTimeout: '1 minute',
    }),
  );
}

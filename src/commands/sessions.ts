import { z } from 'zod';
import { cancelJob, getAssistant, stopAssistant, touch, unlessMissing } from '../client';
import { assistantId, assistantStatusSchema, stopRequestSchema } from '../contract/assistant';
import { BatchgateError } from '../contract/errors';
import { idSchema } from '../contract/text';
import { MAY } from '../core/access/permissions';
import { command, described, type AnyCommand } from './command';

const ofSession = z.strictObject({ session_id: idSchema(150).describe('The conversation') });
const common = { group: 'sessions', output: assistantStatusSchema, idempotent: true } as const;

const getAssistantCommand = command({
  ...common,
  name: 'getAssistant',
  title: 'Status of an assistant',
  does: 'Shows the assistant of a session: its state and its latest turns.',
  input: ofSession,
  may: MAY.look,
  effect: 'reads',
  http: { route: 'GET /v1/sessions/{session_id}/assistant' },
  run: (client, input) => existing(() => getAssistant(client, input.session_id)),
});

const stopAssistantCommand = command({
  ...common,
  name: 'stopAssistant',
  title: 'Stop the turn of an assistant',
  does: 'Stops the turn of an assistant. Operations continue.',
  input: ofSession.extend(
    described(stopRequestSchema, { turn: 'Only if this turn is the current one' }).shape,
  ),
  may: MAY.start,
  effect: 'records',
  http: { route: 'POST /v1/sessions/{session_id}/assistant/stop', optional_body: true },
  run: (client, input) => existing(() => stopAssistant(client, input.session_id, input.turn)),
});

const dismissAssistantCommand = command({
  ...common,
  name: 'cancelAssistant',
  title: 'Dismiss an assistant',
  does: 'Ends the assistant of a session. Operations continue.',
  input: ofSession,
  may: MAY.operate,
  effect: 'records',
  http: { route: 'POST /v1/sessions/{session_id}/assistant/cancel' },
  async run(client, input) {
    await existing(() => cancelJob(client, assistantId(input.session_id)));
    return getAssistant(client, input.session_id);
  },
});

const touchCommand = command({
  ...common,
  name: 'touch',
  title: 'Record activity',
  does: 'Records that somebody is active. Hygiene is held off for 15 minutes.',
  input: z.strictObject({
    by: idSchema(150).optional().describe('Who is active, where a backend speaks for its people'),
  }),
  output: z.object({
    active: z.boolean(),
    cron_pause_until: z.string(),
    last_activity_at: z.string(),
    by: z.string().optional(),
  }),
  may: MAY.look,
  effect: 'records',
  http: { route: 'POST /v1/touch', optional_body: true },
  async run(client, input, caller) {
    const answer = await touch(client, { by: caller.nameOf(input.by) }, caller.task_queue);
    const { active, cron_pause_until, last_activity_at, by } = answer;
    return { active, cron_pause_until, last_activity_at, by };
  },
});

export const SESSIONS: readonly AnyCommand[] = [
  getAssistantCommand,
  stopAssistantCommand,
  dismissAssistantCommand,
  touchCommand,
];

/** @throws BatchgateError `NOT_FOUND` if the session has no assistant. */
export async function existing<T>(look: () => Promise<T>): Promise<T> {
  try {
    return await look();
  } catch (error) {
    unlessMissing(error);
    throw new BatchgateError(
      'NOT_FOUND',
      'This session has no assistant.',
      'Send a message with `"assistant": true` to start one.',
    );
  }
}

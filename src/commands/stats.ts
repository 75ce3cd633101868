import type { Client } from '@temporalio/client';
import { z } from 'zod';
import { operationStats } from '../client';
import { statsRowSchema, type StatsFilter } from '../contract/stats';
import { idSchema } from '../contract/text';
import { MAY } from '../core/access/permissions';
import { momentOf, MOMENT_WORDS } from '../core/shared/moments';
import { command, type AnyCommand, type Caller } from './command';

export const moment = z
  .string()
  .max(40)
  .refine((text) => momentOf(text, 0) !== undefined, `must be ${MOMENT_WORDS}`)
  .optional();
const time = z.iso.datetime().optional();

export const statsCommand = command({
  name: 'operationStats',
  group: 'operations',
  title: 'Statistics of operations and questions',
  does: 'Counts by domain and action: operations and how they ended, how long questions waited for an answer, and the share of items that were left out, failed, are in doubt or were undone.',
  input: z.strictObject({
    domain: idSchema(150).optional().describe('Only this domain'),
    action: idSchema(150).optional().describe('Only this action'),
    since: moment.describe(`Only operations planned then or later: ${MOMENT_WORDS}`),
    until: moment.describe('Only operations planned before: the same forms'),
  }),
  output: z.object({
    items: z.array(statsRowSchema).describe('One row for each domain and action'),
    since: time.describe('The times that were asked for'),
    until: time,
  }),
  may: MAY.look,
  effect: 'reads',
  idempotent: true,
  http: { route: 'GET /v1/stats' },
  run: (client, input, caller) => statsOf(client, input, caller),
});

/** Returns the requested statistics. Relative times count from now. */
export async function statsOf(
  client: Client,
  { domain, action, ...period }: Pick<StatsFilter, 'domain' | 'action' | 'since' | 'until'>,
  { task_queue, session_prefix }: Pick<Caller, 'task_queue' | 'session_prefix'>,
) {
  const now = Date.now();
  const since = period.since === undefined ? undefined : momentOf(period.since, now);
  const until = period.until === undefined ? undefined : momentOf(period.until, now);
  const items = await operationStats(client, { domain, action, since, until, session_prefix }, task_queue);
  return { items, ...(since !== undefined && { since }), ...(until !== undefined && { until }) };
}

export const STATS: readonly AnyCommand[] = [statsCommand];

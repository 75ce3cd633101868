import { z } from 'zod';
import { auditPage } from '../client';
import { auditPageSchema, type AuditRequest } from '../contract/audit';
import { idSchema } from '../contract/text';
import { MAY } from '../core/access/permissions';
import { momentOf, MOMENT_WORDS } from '../core/shared/moments';
import { command, type AnyCommand } from './command';
import { moment } from './stats';

export const auditCommand = command({
  name: 'exportAudit',
  group: 'settings',
  title: 'Export of the audit record',
  does: 'Returns every decision, outcome and administrative act, each with the hash of the one before it, and signed checkpoints: one JSON object a line, in the format of docs/audit-format.md. Personal data are in it, unless they were deleted.',
  input: z.strictObject({
    operation_id: idSchema(150).optional().describe('Only this operation'),
    since: moment.describe(`Only what was written then or later: ${MOMENT_WORDS}`),
    until: moment.describe('Only what was written before: the same forms'),
    covered: z
      .boolean()
      .optional()
      .describe('Without a new checkpoint first: also of a record whose key is lost, up to its last one'),
  }),
  output: auditPageSchema,
  may: { ...MAY.administer, beyond_sessions: true },
  effect: 'reads',
  idempotent: true,
  http: { route: 'GET /v1/audit', takes: ['operation_id', 'since', 'until'] },
  run: (client, input, { task_queue }) => auditPage(client, auditRequestOf(input), task_queue),
});

/** Returns a request with its times as ISO 8601. */
export function auditRequestOf({ operation_id, since, until, covered }: AuditRequest): AuditRequest {
  const now = Date.now();
  return {
    ...(operation_id !== undefined && { operation_id }),
    ...(since !== undefined && { since: momentOf(since, now) }),
    ...(until !== undefined && { until: momentOf(until, now) }),
    ...(covered && { covered }),
  };
}

export const AUDIT: readonly AnyCommand[] = [auditCommand];

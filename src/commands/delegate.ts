import { z } from 'zod';
import { delegateApproval } from '../client';
import { delegateRequestSchema, SIGNATURE } from '../contract/messages';
import { bulkTurnSchema } from '../contract/operation';
import { MAY } from '../core/access/permissions';
import { command, described } from './command';
import { BY, DECISION_ID, operation_id } from './fields';

export const delegateCommand = command({
  name: 'delegateApproval',
  group: 'decisions',
  title: 'Let another person approve in your place',
  does: 'An approver of an operation lets another person approve its questions in their place, until a time. Both together are one approval. Nobody delegates to the requester, and nobody passes a delegation on.',
  may: MAY.decide,
  input: z.strictObject({ operation_id }).extend(
    described(delegateRequestSchema.omit(SIGNATURE), {
      to: 'The name under which the other person decides',
      until: 'Until when: ISO 8601 with its offset from UTC, at most 30 days ahead',
      decision_id: DECISION_ID,
      by: BY,
      note: 'Kept with the delegation',
    }).shape,
  ),
  output: bulkTurnSchema,
  effect: 'records',
  idempotent: true,
  http: { route: 'POST /v1/operations/{operation_id}/delegate' },
  run: (client, { operation_id: id, ...asked }, caller) =>
    delegateApproval(client, id, { ...asked, by: caller.nameOf(asked.by) }, caller.decision),
});

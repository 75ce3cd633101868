import { z } from 'zod';
import { reviseBulkOperation } from '../client';
import { reviseRequestSchema, SIGNATURE } from '../contract/messages';
import { bulkTurnSchema } from '../contract/operation';
import { MAY } from '../core/access/permissions';
import { command, described } from './command';
import { BY, DECISION_ID, operation_id } from './fields';

export const reviseCommand = command({
  name: 'reviseBulkOperation',
  group: 'decisions',
  title: 'Send the open question back with guidance',
  does: 'Sends the open question back: nothing more of the operation runs, and its requester gets the note. What was done stays done. The next start names it in `revises`. Name the question that the person was shown by its digest, or by its batch and attempt. Without a name, it is the question that this caller was shown last.',
  may: MAY.decide,
  input: z.strictObject({ operation_id }).extend(
    described(reviseRequestSchema.omit({ ...SIGNATURE, sent_ago_ms: true }), {
      note: 'What to do instead, for the requester; kept with the decision',
      batch: 'The number of the batch that the person was shown',
      attempt: 'The attempt of that batch; without it, the first',
      digest: 'The digest of the question that the person was shown',
      decision_id: DECISION_ID,
      by: BY,
    }).shape,
  ),
  output: bulkTurnSchema,
  effect: 'plans',
  idempotent: true,
  http: { route: 'POST /v1/operations/{operation_id}/revise' },
  agent: {
    name: 'revise_bulk_operation',
    title: 'Ask what to do instead',
    does: 'Asks the person what to do instead, and waits until they send the question back with a note on the page approval_url, or decide otherwise. Never write the note yourself. Then start again, with revises.',
    takes: ['operation_id'],
  },
  run: (client, { operation_id: id, ...asked }, caller) =>
    reviseBulkOperation(client, id, { ...asked, by: caller.nameOf(asked.by) }, caller.decision),
});

import type { Client } from '@temporalio/client';
import { z } from 'zod';
import {
  cancelBulkOperation,
  completeBulkOperation,
  continueBulkOperation,
  delegateApproval,
  editBulkOperation,
  extendBulkOperation,
  resolveItem,
  reviseBulkOperation,
  withdrawBulkOperation,
  type DecisionOptions,
} from '../client';
import {
  cancelRequestSchema,
  completeRequestSchema,
  continueRequestSchema,
  delegateRequestSchema,
  editRequestSchema,
  extendRequestSchema,
  resolveRequestSchema,
  reviseRequestSchema,
  SIGNATURE,
  withdrawRequestSchema,
} from '../contract/messages';
import { bulkTurnSchema } from '../contract/operation';
import { completionGuardResultSchema } from '../contract/progress';
import { MAY } from '../core/access/permissions';
import { command, described, type AnyCommand, type Caller } from './command';
import { BY, DECISION_ID, operation_id } from './fields';

/** The decisions of a person about an operation. The HTTP API makes signatures, and callers cannot send them. */
const decides = { group: 'decisions', may: MAY.decide, output: bulkTurnSchema } as const;

/** Builds the input schema of a decision about an operation. */
const about = <S extends z.ZodRawShape>(
  schema: z.ZodObject<S, z.core.$strict>,
  words: Readonly<Record<keyof S & string, string>>,
) => z.strictObject({ operation_id, ...described(schema, words).shape });

const QUESTION = {
  batch: 'The number of the batch that the person was shown',
  attempt: 'The attempt of that batch; without it, the first',
  digest: 'The digest of the question that the person was shown',
};

/** Sends a decision under the name of its caller. */
const by =
  <R extends { by?: string | undefined }, T>(
    decide: (client: Client, id: string, request: R, how: DecisionOptions) => Promise<T>,
  ) =>
  (
    client: Client,
    { operation_id: id, ...input }: R & { operation_id: string },
    caller: Caller,
  ): Promise<T> =>
    decide(client, id, { ...(input as unknown as R), by: caller.nameOf(input.by) }, caller.decision);

export const continueCommand = command({
  ...decides,
  name: 'continueBulkOperation',
  title: 'Confirm the open batch and run it',
  does: 'Confirms the open batch, and answers once it has run; with `Prefer: respond-async` as soon as the decision is taken. A batch that begins later is answered at once, with `scheduled_for`. Name the question that the person was shown by its digest, or by its batch and attempt. Without a name, the question that this caller was shown last is confirmed.',
  input: about(continueRequestSchema.omit({ ...SIGNATURE, sent_ago_ms: true }), {
    ...QUESTION,
    decision_id: DECISION_ID,
    by: BY,
    note: 'Kept with the decision',
    exclude: 'The items of the batch to leave out',
    not_before:
      'The batch begins at this time at the earliest: ISO 8601 with its offset from UTC, at most 30 days ahead. Until then the confirmation can be taken back',
  }),
  effect: 'changes',
  idempotent: true,
  http: { route: 'POST /v1/operations/{operation_id}/continue', optional_body: true },
  agent: {
    name: 'continue_bulk_operation',
    title: 'Ask to continue a bulk operation',
    does: 'Asks the person to confirm the open batch, waits for the decision, and answers with the outcome once that batch has run. It never confirms by itself: the person decides on the page approval_url, so show the link before you call. decision "waiting" means that nobody decided yet and nothing ran: call it again with the same batch. One call is about exactly one batch.',
    takes: ['operation_id', 'batch'],
  },
  run: by(continueBulkOperation),
});

export const cancelCommand = command({
  ...decides,
  name: 'cancelBulkOperation',
  title: 'Cancel a bulk operation',
  does: 'Cancels an operation: at once while it waits, else at the next item. What was done stays done. An agent cancels only what it started.',
  input: about(cancelRequestSchema.omit(SIGNATURE), {
    decision_id: DECISION_ID,
    by: BY,
    reason: 'Kept with the decision',
  }),
  may: { roles: [...MAY.decide.roles, 'agent'], own_only: true },
  effect: 'plans',
  idempotent: true,
  http: { route: 'POST /v1/operations/{operation_id}/cancel', optional_body: true },
  agent: {
    name: 'cancel_bulk_operation',
    does: 'Stops an operation for good: at once while it waits, else at the next item. What was done stays done. Use it when the person asks to stop.',
    takes: ['operation_id', 'reason'],
  },
  run: by(cancelBulkOperation),
});

export const completeCommand = command({
  ...decides,
  name: 'completeBulkOperation',
  title: 'Complete a bulk operation',
  does: 'Completes an operation if its guard allows that; by force, with a reason, although items are missing.',
  input: about(completeRequestSchema.omit(SIGNATURE), {
    force: 'Complete it although the guard refuses; needs a reason',
    reason: 'Why it is completed by force; kept with the decision',
    by: BY,
    stop_condition_satisfied: 'Whether the stop condition of its contract is satisfied',
  }),
  output: completionGuardResultSchema,
  effect: 'plans',
  idempotent: false,
  keeps_answer: true,
  http: { route: 'POST /v1/operations/{operation_id}/complete', optional_body: true },
  agent: {
    name: 'complete_bulk_operation',
    title: 'Ask to complete a bulk operation',
    does: 'Asks the person to call an operation complete although items are missing or in doubt, and waits for the decision on the page approval_url. Operations whose items all ran complete by themselves.',
    takes: ['operation_id'],
  },
  run: by(completeBulkOperation),
});

export const extendCommand = command({
  ...decides,
  name: 'extendBulkOperation',
  title: 'Give the open question more time',
  does: 'Gives the open question a later deadline, for example overnight.',
  input: about(extendRequestSchema.omit(SIGNATURE), {
    seconds: 'How many seconds to add to the deadline',
    decision_id: 'An id of the decision: the same id extends once, another id again',
    by: BY,
  }),
  effect: 'plans',
  idempotent: false,
  keeps_answer: true,
  http: { route: 'POST /v1/operations/{operation_id}/extend' },
  agent: {
    name: 'extend_bulk_operation',
    title: 'Ask for more time',
    does: 'Asks the person to give the open question a later deadline, and waits for the decision on the page approval_url.',
    takes: ['operation_id'],
  },
  run: by(extendBulkOperation),
});

export const resolveCommand = command({
  ...decides,
  name: 'resolveItem',
  title: 'Record the outcome of an item in doubt',
  does: 'Records what became of an item in doubt, also after the end of the operation.',
  input: about(resolveRequestSchema.omit(SIGNATURE), {
    item_id: 'The item in doubt',
    outcome: 'Whether the change was made',
    by: BY,
    reason: 'How the person knows; kept with the decision',
  }),
  effect: 'plans',
  idempotent: false,
  keeps_answer: true,
  http: { route: 'POST /v1/operations/{operation_id}/resolve' },
  agent: {
    name: 'resolve_item',
    title: 'Ask for the outcome of an item in doubt',
    does: 'For an item in doubt: asks the person whether the change was made, and waits for the answer on the page approval_url. Never guess it.',
    takes: ['operation_id', 'item_id'],
  },
  run: by(resolveItem),
});

export const withdrawCommand = command({
  ...decides,
  name: 'withdrawBulkOperation',
  title: 'Take back the confirmation of a scheduled batch',
  does: 'Takes back the confirmation of a batch that has not begun. Its question is open again, under a new attempt, and the confirmation can never run it.',
  input: about(withdrawRequestSchema.omit(SIGNATURE), {
    batch: 'The number of the scheduled batch',
    attempt: 'The attempt of that batch; without it, the first',
    digest: 'The digest under which it was confirmed',
    decision_id: DECISION_ID,
    by: BY,
    reason: 'Kept with the decision',
  }),
  may: { roles: [...MAY.decide.roles, 'agent'], own_only: true },
  effect: 'plans',
  idempotent: true,
  http: { route: 'POST /v1/operations/{operation_id}/withdraw', optional_body: true },
  agent: {
    name: 'withdraw_bulk_operation',
    title: 'Take back a scheduled batch',
    does: 'Takes back the confirmation of a scheduled batch when the person asks for that. Its question is open again.',
    takes: ['operation_id', 'reason'],
  },
  run: by(withdrawBulkOperation),
});

export const editCommand = command({
  ...decides,
  name: 'editBulkOperation',
  title: 'Edit the change of the open question',
  does: 'Sets parameters of the change to other values, for all items that have no outcome yet. They are planned anew, and the answer has the new question, with another digest; nothing runs. If the plan fails, the question stays open as it was. Parameters that select the items, and those that the operator has fixed, cannot be edited.',
  input: about(editRequestSchema.omit(SIGNATURE), {
    change: 'The new values of parameters of the change; null takes a parameter out',
    ...QUESTION,
    decision_id: DECISION_ID,
    by: BY,
    note: 'Kept with the decision',
  }),
  effect: 'plans',
  idempotent: true,
  http: { route: 'POST /v1/operations/{operation_id}/edit' },
  agent: {
    name: 'edit_bulk_operation',
    title: 'Ask to edit a bulk operation',
    does: 'Asks the person to edit the change of the open question, for example to choose another label, and waits for the edit on the page approval_url. It never edits by itself. Nothing runs by an edit: afterwards another question is open, so show it before you ask to continue.',
    takes: ['operation_id'],
  },
  run: by(editBulkOperation),
});

export const reviseCommand = command({
  ...decides,
  name: 'reviseBulkOperation',
  title: 'Send the open question back with guidance',
  does: 'Sends the open question back: nothing more of the operation runs, and its requester gets the note. What was done stays done. The next start names it in `revises`. Name the question that the person was shown by its digest, or by its batch and attempt. Without a name, it is the question that this caller was shown last.',
  input: about(reviseRequestSchema.omit({ ...SIGNATURE, sent_ago_ms: true }), {
    note: 'What to do instead, for the requester; kept with the decision',
    ...QUESTION,
    decision_id: DECISION_ID,
    by: BY,
  }),
  effect: 'plans',
  idempotent: true,
  http: { route: 'POST /v1/operations/{operation_id}/revise' },
  agent: {
    name: 'revise_bulk_operation',
    title: 'Ask what to do instead',
    does: 'Asks the person what to do instead, and waits until they send the question back with a note on the page approval_url, or decide otherwise. Never write the note yourself. Then start again, with revises.',
    takes: ['operation_id'],
  },
  run: by(reviseBulkOperation),
});

export const delegateCommand = command({
  ...decides,
  name: 'delegateApproval',
  title: 'Let another person approve in your place',
  does: 'An approver of an operation lets another person approve its questions in their place, until a time. Both together are one approval. Nobody delegates to the requester, and nobody passes a delegation on.',
  input: about(delegateRequestSchema.omit(SIGNATURE), {
    to: 'The name under which the other person decides',
    until: 'Until when: ISO 8601 with its offset from UTC, at most 30 days ahead',
    decision_id: DECISION_ID,
    by: BY,
    note: 'Kept with the delegation',
  }),
  effect: 'records',
  idempotent: true,
  http: { route: 'POST /v1/operations/{operation_id}/delegate' },
  run: by(delegateApproval),
});

export const DECISIONS: readonly AnyCommand[] = [
  continueCommand,
  cancelCommand,
  completeCommand,
  extendCommand,
  resolveCommand,
  reviseCommand,
  withdrawCommand,
  editCommand,
  delegateCommand,
];

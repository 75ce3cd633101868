import { z } from 'zod';
import { bulkStatusSchema, type BulkStatus } from '../contract/operation';
import { nextStep, ownSentence } from '../core/bulk/agent-text';
import { approvalUrl, type Call } from './context';
import type { Answer } from './results';

/** An operation for an agent: its status, the page where a person decides, and what to do next. */
export const operationViewSchema = bulkStatusSchema.extend({
  approval_url: z.string(),
  next_step: z.string(),
});

/** The outcome of a question that an agent asked. */
const DECISIONS = [
  /** The question is still open. */
  'waiting',
  'confirmed',
  'cancelled',
  /** The person wants something else: their note is in `sent_back`. */
  'sent_back',
  /** The form was answered with "not now", which runs nothing. */
  'declined',
  /** The host answered the question without a decision. */
  'no_decision',
  /** The person's message decided nothing: the reply to it is in `reply`. */
  'unclear',
  /** The operation ended in another way, for example by its deadline. */
  'ended',
  'question_changed',
  /** The person confirmed, and the batch runs later. */
  'scheduled',
  /** The person confirmed a batch for later, and took that back. */
  'withdrawn',
] as const;
export type Decision = (typeof DECISIONS)[number];
export const decisionViewSchema = operationViewSchema.extend({
  decision: z.enum(DECISIONS),
  reply: z.string().optional().describe('For the person, word for word: the reply to their message'),
});

/** Returns a view of an operation, and remembers the question that it shows. */
export async function viewOf(call: Call, status: BulkStatus, words = ownSentence(status)): Promise<Answer> {
  const { context, caller } = call;
  context.shown.keep(caller.id, status);
  const approval_url = await approvalUrl(context, status.operation_id);
  const next_step = nextStep(status);
  const data = { ...status, message: ownSentence(status), approval_url, next_step };
  return { said: `${words} ${next_step}`, data };
}

export async function decisionOf(
  call: Call,
  status: BulkStatus,
  decision: Decision,
  words: string,
): Promise<Answer> {
  const view = await viewOf(call, status, words);
  return { ...view, data: { ...view.data, decision } };
}

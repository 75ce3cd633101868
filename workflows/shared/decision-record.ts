import type { z } from 'zod';
import { parseInput } from '../../src/contract/errors';
import type { Vouched } from '../../src/contract/counted-approvals';
import type { CompleteRequest, Signed } from '../../src/contract/messages';
import type { Confirmation } from '../../src/contract/operation';
import type { Approver } from '../../src/contract/policy';
import type { Through } from '../../src/contract/record';
import { parseCompletion } from '../../src/core/progress/completion-guard';
import type { Decided } from '../../src/core/access/proof';
import { vouchedOf } from '../../src/core/bulk/approvers';
import { questionNow, timesOfAnswer } from '../../src/core/bulk/answers';
import { recorded } from '../../src/core/bulk/decisions';
import { attested, withUsed, type Attested } from '../../src/core/bulk/signatures';
import { iso } from '../../src/core/bulk/view';
import { refusing, toFailure } from './failures';
import { touchSentinel } from './visibility';
import type { RunningOperation } from '../bulk/running-operation';

/** The note of a decision in the record. */
interface Recorded {
  by?: string;
  note?: string;
  digest?: string;
  batch?: number;
  attempt?: number;
  /** The time of sending; by default now. */
  at?: string;
  through?: Through;
  scheduled_for?: string | undefined;
  signed?: Signed | undefined;
}

/** The way in which a decision arrived, and its sender if known. */
export type How = Pick<Confirmation, 'via'> & Partial<Pick<Attested, 'assurance' | 'approver'>>;

/** Returns the facts about a sender besides the name, for the audit record. */
function vouchedBeside(approver: Approver | undefined): { approver?: Vouched } {
  const isMore = approver && (approver.subject !== approver.by || approver.roles.length > 0);
  return isMore ? { approver: vouchedOf(approver) } : {};
}

/** Adds a decision to the record that `status` shows; an accepted one with the question that was open. */
export function record(
  operation: RunningOperation,
  decision: Confirmation['decision'],
  outcome: string,
  { by, note, digest, batch, attempt, at = iso(Date.now()), through, scheduled_for, signed }: Recorded,
  { via, assurance = 'asserted', approver }: How,
): void {
  const { state } = operation;
  const question = outcome === 'accepted' ? questionNow(state) : {};
  const entry: Confirmation = {
    batch: batch ?? state.batch,
    attempt: attempt ?? (batch === undefined ? state.attempt : 1),
    decision,
    outcome,
    by,
    via,
    at,
    note,
    digest: digest ?? question.digest,
    assurance,
    ...timesOfAnswer(question, through, Date.parse(at)),
    ...(scheduled_for !== undefined && { scheduled_for }),
    ...(assurance === 'signed' && signed && { signature: signed.signature }),
  };
  // A confirmation is written with the claim of its batch.
  if (decision !== 'continue' || outcome !== 'accepted')
    operation.unrecorded.push({ ...entry, ...vouchedBeside(approver) });
  operation.state = recorded(state, entry);
  if (outcome !== 'accepted') noteRefused(operation, by);
}

/**
 * Checks the signature of a decision by update, and marks it as used. The signature of a signal is not checked: a check
 * takes milliseconds, and thousands of signals may arrive at once. The server limits updates.
 * @throws the refusal of a signature that is for something else or was used. It is recorded.
 */
export function attestSender(
  operation: RunningOperation,
  decision: Confirmation['decision'],
  request: Decided['request'],
): Attested {
  const sender = attested(operation.state, { decision, request });
  const { refusal, proven } = sender;
  if (refusal) {
    record(operation, decision, refusal.code, { by: request.by }, { via: 'update' });
    throw toFailure(refusal);
  }
  if (proven) operation.state = withUsed(operation.state, request);
  return sender;
}

/** The minimum interval between an operation's reports of refused decisions. Thousands may arrive at once. */
const REFUSED_EVERY_MS = 1_000;

/** A refused decision is activity too. An accepted one is reported by the work that it starts. */
function noteRefused(operation: RunningOperation, by?: string): void {
  const now = Date.now();
  if (now - (operation.refusedAt ?? 0) < REFUSED_EVERY_MS) return;
  operation.refusedAt = now;
  touchSentinel(by);
}

/** Parses a message's argument with its schema; a mistake refuses the message with its path. */
export function read<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  return refusing(() => parseInput(schema, value, 'The message'));
}

/** The argument of `complete`: forcing it needs a reason. */
export function readCompletion(value: unknown): CompleteRequest {
  return refusing(() => parseCompletion(value));
}

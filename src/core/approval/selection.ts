import type { BulkStatus } from '../../contract/operation';
import { digestOf } from '../shared/canonical';
import type { Approver } from '../../contract/policy';
import { waitsFor } from '../bulk/approvers';

type Gate = NonNullable<BulkStatus['next_batch']>;
type Item = Gate['items'][number];

/** An open question with the items that a person leaves out. */
export interface Selection {
  gate: Gate;
  kept: Item[];
  left_out: Item[];
  /** The digest of exactly this question; the gate's own while nothing is left out. */
  digest: string;
}

/** The question over the items at these places of the batch, from 0; by default over all of them. */
export function selectionOf(gate: Gate, places?: readonly number[]): Selection {
  const isKept = (at: number) => places === undefined || places.includes(at);
  const left_out = gate.items.filter((_, at) => !isKept(at));
  const digest =
    left_out.length === 0
      ? gate.digest
      : digestOf({ digest: gate.digest, left_out: left_out.map(({ id }) => id) });
  return { gate, kept: gate.items.filter((_, at) => isKept(at)), left_out, digest };
}

/** A digest in the form that people compare: `3f2a 9c41 07de`. */
export const fingerprint = (digest: string): string => (digest.slice(0, 12).match(/.{1,4}/g) ?? []).join(' ');

/**
 * A question accepts no press for this long after its delivery to a page: such a press was meant for the question
 * before it. Milliseconds.
 */
export const SETTLE_MS = 2_000;

/** Whether a press at this time can be meant for a question that was delivered then. */
export const isSettled = (deliveredAt: number, now: number): boolean => now - deliveredAt >= SETTLE_MS;

/** At a terminal a person needs at least this long to read and type an answer. Milliseconds. */
const READ_MS = 400;

/** Whether a line came too early, or too fast, to answer a question that was shown at that time. */
export const isUnread = (shownAt: number, readAt: number): boolean => readAt - shownAt < READ_MS;

/**
 * The effect of a confirmation: it runs the batch, skips all of it, counts as an approval, or asks anew without some
 * items. It is not for this person, or leaves nothing to ask several people about.
 */
export type Press = 'runs' | 'skips' | 'approves' | 'leaves_out' | 'for_others' | 'leaves_nothing';

/** The effect of a confirmation of this question by this person, as far as the status shows. */
export function pressOf(
  status: Pick<BulkStatus, 'approvals' | 'requested_by'>,
  { kept, left_out }: Pick<Selection, 'kept' | 'left_out'>,
  approver: Approver,
  now: number,
): Press {
  const { needed, given } = status.approvals ?? { needed: 1, given: [] };
  if (!waitsFor(status, approver, now)) return 'for_others';
  if (left_out.length > 0 && needed > 1) return kept.length === 0 ? 'leaves_nothing' : 'leaves_out';
  if (given.length + 1 < needed) return 'approves';
  return kept.length === 0 ? 'skips' : 'runs';
}

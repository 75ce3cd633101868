import type { ContinueRequest, ExtendRequest } from '../../contract/messages';
import type { LedgerItem } from '../../contract/ledger-record';
import type { BulkStatus, Confirmation, LastBatch } from '../../contract/operation';
import { digestOf } from '../shared/canonical';
import type { AcceptedDecision, OperationState } from './operation';
import { isRemembered } from './remembered';

/**
 * Whether a confirmation of the same gate repeats this decision: it has the same sender, leaves out the same items, and
 * neither has an id of its own. Two ids are two decisions.
 */
export function sameDecision(first: AcceptedDecision, request: ContinueRequest): boolean {
  const isNamed = first.unnamed !== true || request.decision_id !== undefined;
  const { by, not_before } = request;
  return (
    !isNamed && first.by === by && first.not_before === not_before && first.excluded === exclusionsOf(request)
  );
}

/** A hash of the ids of the items that a confirmation leaves out; undefined if it leaves out none. */
export function exclusionsOf({ exclude = [] }: ContinueRequest): string | undefined {
  const ids = [...new Set(exclude.map(({ id }) => id))].sort();
  return ids.length === 0 ? undefined : digestOf(ids).slice(0, 16);
}

/** An accepted decision of this kind and sender in the record that `status` shows. */
export function recordedDecision(
  { confirmations }: Pick<BulkStatus, 'confirmations'>,
  decision: Confirmation['decision'],
  by: string | undefined,
  fits: (confirmation: Confirmation) => boolean = () => true,
): Confirmation | undefined {
  return confirmations.findLast(
    (entry) => entry.decision === decision && entry.outcome === 'accepted' && entry.by === by && fits(entry),
  );
}

/** The entry of this confirmation in the record, if it was accepted. An ended operation has no other data about it. */
export function recordedConfirmation(
  status: Pick<BulkStatus, 'confirmations'>,
  { batch, attempt, digest, by, ...rest }: ContinueRequest,
): Confirmation | undefined {
  const isNamed = batch !== undefined || digest !== undefined;
  if (!isNamed || rest.exclude?.length || rest.decision_id !== undefined) return undefined;
  const isIts = (entry: Confirmation) =>
    (batch === undefined || (entry.batch === batch && entry.attempt === (attempt ?? 1))) &&
    (digest === undefined || entry.digest === digest);
  return recordedDecision(status, 'continue', by, isIts);
}

/** The outcome of a confirmed batch, from the ledger; undefined if none of its items has an outcome. */
export function outcomeOfConfirmed(
  items: readonly LedgerItem[],
  { batch, attempt, at }: Pick<Confirmation, 'batch' | 'attempt' | 'at'>,
): LastBatch | undefined {
  const batchItems = items.filter((item) => item.batch === batch && (item.confirmed_at ?? at) === at);
  const ended = batchItems.filter(({ state }) => state !== 'planned');
  if (ended.length === 0) return undefined;
  const count = (...states: LedgerItem['state'][]) =>
    ended.filter(({ state }) => states.includes(state)).length;
  const endTimes = ended.map(({ finished_at = at }) => Date.parse(finished_at));
  return {
    ...{ number: batch, attempt },
    ...{ succeeded: count('succeeded'), failed: count('failed'), skipped: count('skipped') },
    in_doubt: count('in_doubt', 'intended'),
    duration_ms: Math.max(0, Math.max(...endTimes) - Date.parse(at)),
  };
}

/** Whether the running batch was confirmed by this sender. */
export function isRunningBy(
  { needs_confirmation, confirmations }: Pick<BulkStatus, 'needs_confirmation' | 'confirmations'>,
  { by }: Pick<ContinueRequest, 'by'>,
): boolean {
  const latest = confirmations.findLast(
    ({ decision, outcome }) => decision === 'continue' && outcome === 'accepted',
  );
  return !needs_confirmation && latest !== undefined && latest.by === by;
}

/** The note of a resolution in the record. */
export const resolutionNote = ({
  item_id,
  outcome,
  reason,
}: {
  item_id: string;
  outcome: string;
  reason: string;
}): string => `${item_id}: ${outcome}, ${reason}`;

/**
 * Whether a request repeats an extension, and so changes nothing. Its decision id was used before, or it has none,
 * the same sender already extended the open question by the same time, and that much time is left.
 */
export function isExtended(
  { deadline, extensions = [], extended_before }: OperationState,
  { seconds, by, decision_id }: ExtendRequest,
  now: number,
): boolean {
  if (decision_id !== undefined)
    return extended_before !== undefined && isRemembered(extended_before, decision_id);
  const isLeft = deadline !== undefined && deadline - now >= seconds * 1_000;
  return isLeft && extensions.some((extension) => extension.seconds === seconds && extension.by === by);
}

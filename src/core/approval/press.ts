import type { BulkStatus } from '../../contract/operation';
import type { Approver } from '../../contract/policy';
import { waitsFor } from '../bulk/approvers';
import type { Selection } from './selection';

/**
 * What a confirmation does: it runs the batch, skips all of it, counts as an approval, or asks anew without some items.
 * It is not for this person, or leaves nothing to ask several people about.
 */
export type Press = 'runs' | 'skips' | 'approves' | 'leaves_out' | 'for_others' | 'leaves_nothing';

/** What a confirmation of this question by this person does, as far as the status shows. */
export function pressOf(
  status: Pick<BulkStatus, 'approvals' | 'requested_by'>,
  { kept, left_out }: Pick<Selection, 'kept' | 'left_out'>,
  approver: Approver,
): Press {
  const { needed, given } = status.approvals ?? { needed: 1, given: [] };
  if (!waitsFor(status, approver)) return 'for_others';
  if (left_out.length > 0 && needed > 1) return kept.length === 0 ? 'leaves_nothing' : 'leaves_out';
  if (given.length + 1 < needed) return 'approves';
  return kept.length === 0 ? 'skips' : 'runs';
}

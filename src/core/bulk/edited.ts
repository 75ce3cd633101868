import type { Edit } from '../../contract/edits';
import type { ResetResults } from '../../contract/plans';
import type { OperationState } from './operation';

/** How many edits a status shows. */
const SHOWN_EDITS = 10;

export const latestEdits = <E extends Edit>(edits: readonly E[]): E[] => edits.slice(-SHOWN_EDITS);

/** The plan of a run that was reset, as its ledger has it. */
export function withEdited(
  state: OperationState,
  edited: NonNullable<ResetResults['edited']>,
): OperationState {
  const { edition, edits, marks, foreseen, prepared } = edited;
  const { context, change, noun, words } = prepared;
  const { editing: _, ...rest } = state;
  const kept = { edits: latestEdits(edits), edits_total: edits.length };
  // The new plan may name its items otherwise.
  return { ...rest, edition, marks, foreseen, context, change, noun, words, ...kept, items: {} };
}

/** Whether this decision id is that of an edit: one that is being planned, or one of the latest. */
export const isOfEdit = ({ editing, edits = [] }: OperationState, id: string): boolean =>
  editing?.decision_id === id || edits.some(({ decision_id }) => decision_id === id);

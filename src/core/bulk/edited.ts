import { MAX_EDITS, type Edit, type Editor, type LedgerEdit } from '../../contract/edits';
import type { LedgerRecord } from '../../contract/ledger-record';
import type { ResetResults } from '../../contract/plans';
import type { OperationState } from './operation';
import { isRemembered, NOTHING_REMEMBERED, remember } from './remembered';

/** The maximum number of edits in a status. */
const SHOWN_EDITS = 10;

type Edited = Pick<OperationState, 'edits' | 'edits_total' | 'editors' | 'edited_before'>;

const latestEdits = <E extends Edit>(edits: readonly E[]): E[] => edits.slice(-SHOWN_EDITS);

/** Adds the people who made these edits. Each of them is there once. */
function editorsWith(before: readonly Editor[], edits: readonly LedgerEdit[]): Editor[] {
  const editors = [...before];
  for (const { by, subject = by } of edits) {
    if (subject === undefined || subject === '') continue;
    if (editors.some((other) => other.subject === subject && other.by === by)) continue;
    editors.push({ subject, ...(by !== undefined && { by }) });
  }
  return editors.slice(-MAX_EDITS);
}

const withEditors = (editors: readonly Editor[]): { editors?: Editor[] } =>
  editors.length > 0 ? { editors: [...editors] } : {};

/** The edits after one more. The status has the latest of them; their editors and decision ids are all kept. */
export function editsWith(
  { edits = [], edits_total = 0, editors = editorsWith([], edits), edited_before }: Edited,
  edit: NonNullable<OperationState['edits']>[number],
): Edited {
  const { decision_id: id } = edit;
  // A state of an earlier version has the ids in its edits only.
  const ids =
    edited_before ??
    edits.reduce((all, { decision_id }) => remember(all, decision_id, MAX_EDITS), NOTHING_REMEMBERED);
  return {
    edits: latestEdits([...edits, edit]),
    edits_total: edits_total + 1,
    ...withEditors(editorsWith(editors, [edit])),
    edited_before: remember(ids, id, MAX_EDITS),
  };
}

/** The edits of a plan in the ledger. It has no decision ids, so those that the state has are kept. */
export const editsOfPlan = (edits: readonly LedgerEdit[], { editors = [] }: Edited = {}): Edited => ({
  ...{ edits: latestEdits(edits), edits_total: edits.length },
  ...withEditors(editorsWith(editors, edits)),
});

/** The people who edited the change of an operation, or of one that it follows, for its own follow-ups. */
export const editorsOf = ({
  terms,
  edits = [],
}: Pick<LedgerRecord, 'terms' | 'edits'>): { editors?: Editor[] } =>
  withEditors(editorsWith(terms?.editors ?? [], edits));

/** Restores the edited plan of a reset run from its ledger. */
export function withEdited(state: OperationState, plan: NonNullable<ResetResults['edited']>): OperationState {
  const { edition, edits, marks, foreseen, prepared } = plan;
  const { context, change, noun, words } = prepared;
  const { editing: _, ...rest } = state;
  const history = editsOfPlan(edits, state);
  // The new plan may give its items other names.
  return { ...rest, edition, marks, foreseen, context, change, noun, words, ...history, items: {} };
}

/** Whether this decision id belongs to an edit: the one being planned or an earlier one. */
export const isOfEdit = ({ editing, edits = [], edited_before }: OperationState, id: string): boolean =>
  editing?.decision_id === id ||
  edits.some(({ decision_id }) => decision_id === id) ||
  (edited_before !== undefined && isRemembered(edited_before, id));

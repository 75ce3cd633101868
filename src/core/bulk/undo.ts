import type { ActionWords, Change } from '../../contract/change';
import type { BulkItem, UndoData } from '../../contract/items';

const UNDO = 'Undo: ';
const REDO = 'Redo: ';
const AS_BEFORE = 'as it was before';

/** The change that undoes a change; for an undo, the change that redoes it. */
export function changeTakenBack({ summary, fields, reversible, until }: Change): Change {
  const undone = summary.startsWith(UNDO);
  const plain = undone || summary.startsWith(REDO) ? summary.slice(UNDO.length) : summary;
  return {
    reversible,
    ...(until !== undefined && { until }),
    summary: `${undone ? REDO : UNDO}${plain}`,
    fields: fields.map(({ name, from, to }) => ({
      name,
      ...(to !== AS_BEFORE && { from: to }),
      to: from ?? AS_BEFORE,
    })),
  };
}

/**
 * The names of an undo in sentences: `Ready to undo “label” on 50 emails …`, `Bulk undo of label on gmail cancelled.`
 */
export function wordsTakenBack({ short_name }: ActionWords, { summary }: Change): ActionWords {
  const verb = summary.startsWith(REDO) ? 'redo' : 'undo';
  return {
    phrase: `${verb} “${short_name}” on {items}`,
    short_name: `${verb} of ${short_name}`,
    already: 'are back already',
  };
}

/** An item of an operation as its undo starts with it: the frozen data is what to restore. */
export function itemToRestore({
  id,
  display_name,
  raw_data = {},
  kept,
}: BulkItem & Pick<UndoData, 'kept'>): BulkItem {
  const { undo: before, ...to } = raw_data as Record<string, unknown> & { undo?: UndoData };
  const undo: UndoData = { to, ...(before && { left: before.to }), ...(kept && { kept }) };
  return { id, display_name, raw_data: { undo } };
}

import { MAX_CHANGE_FIELDS, MAX_SUMMARY_LENGTH, type ActionWords, type Change } from '../../contract/change';
import { shortened } from '../../contract/text';
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

/** Combines several changes, such as those of an edited operation, for the undo of all of them. */
export function changesTogether([first, ...others]: readonly Change[]): Change | undefined {
  if (!first || others.length === 0) return first;
  const all = [first, ...others];
  const { until: _, scope: __, undoable: ___, ...change } = first;
  const fields = new Map(all.flatMap((part) => part.fields.map((field) => [JSON.stringify(field), field])));
  return {
    ...change,
    summary: shortened([...new Set(all.map(({ summary }) => summary))].join(' '), MAX_SUMMARY_LENGTH - 10),
    fields: [...fields.values()].slice(0, MAX_CHANGE_FIELDS),
    reversible: all.every(({ reversible }) => reversible === first.reversible) ? first.reversible : 'partly',
  };
}

/**
 * The words for an undo: `Ready to undo “label” on 50 emails …`, `Bulk undo of label on gmail cancelled.`
 */
export function wordsTakenBack({ short_name }: ActionWords, { summary }: Change): ActionWords {
  const verb = summary.startsWith(REDO) ? 'redo' : 'undo';
  return {
    phrase: `${verb} “${short_name}” on {items}`,
    short_name: `${verb} of ${short_name}`,
    already: 'are back already',
  };
}

/** The form of an item with which an undo starts. Its frozen data is the state to restore. */
export function itemToRestore({
  id,
  display_name,
  raw_data = {},
  kept,
  ...item
}: BulkItem & Pick<UndoData, 'kept' | 'edition'>): BulkItem {
  const { undo: before, ...to } = raw_data as Record<string, unknown> & { undo?: UndoData };
  const { edition = item.edition } = before ?? {};
  const undo: UndoData = {
    ...{ to, ...(before && { left: before.to }), ...(kept && { kept }) },
    ...(edition !== undefined && { edition }),
  };
  return { id, display_name, raw_data: { undo } };
}

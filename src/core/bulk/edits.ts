import type { z } from 'zod';
import type { AdapterAction } from '../../contract/adapter';
import type { Change } from '../../contract/change';
import type { Edit, Replanned } from '../../contract/edits';
import { BatchgateError, type ErrorBody } from '../../contract/errors';
import type { EditRequest } from '../../contract/messages';
import type { Requirement } from '../../contract/policy';
import { shortened } from '../../contract/text';
import { canonicalJson } from '../shared/canonical';
import { quoted } from '../shared/plain-text';
import { editableParameters, selecting } from './action-params';
import { closedError, notAwaiting, otherDecision, otherQuestion, refusedBefore } from './gate';
import { ask, askNext, moveTo } from './lifecycle';
import {
  openGate,
  pendingPlaces,
  withKnown,
  withRestart,
  type AcceptedEdit,
  type Editing,
  type OperationState,
} from './operation';
import { isOfEdit, latestEdits } from './edited';
import { isRemembered } from './remembered';
import { isClosed } from './transitions';

/** How many edits one operation takes. */
const MAX_EDITS = 50;

export type EditVerdict =
  { kind: 'accepted' } | { kind: 'duplicate' } | { kind: 'refused'; error: ErrorBody };

/** The judge of every edit. It is for the question that is open now, and for no other. */
export function judgeEdit(
  state: OperationState,
  request: EditRequest,
  now: number,
  update_id?: string,
): EditVerdict {
  const id = request.decision_id ?? update_id;
  if (id !== undefined && isOfEdit(state, id)) return { kind: 'duplicate' };
  const error =
    refusedBefore(state, id) ??
    (isClosed(state.state) ? closedError(state) : undefined) ??
    (id !== undefined && hasConfirmed(state, id) ? otherDecision('nothing was changed') : undefined) ??
    (state.input.undoes === undefined ? undefined : OF_AN_UNDO) ??
    (state.requirement?.editable === false ? notEditable(state.requirement) : undefined) ??
    (state.requirement?.not_requester && request.by === undefined ? UNNAMED : undefined) ??
    unanswerable(state, request, now) ??
    ((state.edits_total ?? 0) >= MAX_EDITS ? TOO_MANY : undefined);
  return error ? { kind: 'refused', error } : { kind: 'accepted' };
}

/** Whether this decision id is that of a confirmation. */
const hasConfirmed = ({ accepted, accepted_before, approving }: OperationState, id: string): boolean =>
  Object.values(accepted).some(({ decision_id }) => decision_id === id) ||
  [accepted_before, approving?.decided].some((known) => known !== undefined && isRemembered(known, id));

function unanswerable(state: OperationState, request: EditRequest, now: number): ErrorBody | undefined {
  const gate = openGate(state);
  if (!gate) return notAwaiting(state);
  if (state.deadline !== undefined && now >= state.deadline) return closedError(state);
  return otherQuestion(gate, request, 'This edit', 'nothing was changed');
}

const OF_AN_UNDO: ErrorBody = {
  code: 'INVALID_INPUT',
  message: 'An undo takes its parameters from the operation that it takes back, so it cannot be edited.',
  hint: 'Leave items out of its batches, or cancel it.',
};
const notEditable = ({ policy }: Requirement): ErrorBody => ({
  code: 'FORBIDDEN',
  message: `The policy ${quoted(policy)} does not allow edits of this operation.`,
  hint: 'Continue with what it asks, send it back, or cancel it and start another one. Nothing was changed.',
  details: { policy },
});
/** Otherwise its sender could approve it under any name. */
const UNNAMED: ErrorBody = {
  code: 'INVALID_INPUT',
  message:
    'The policy of this operation takes no approval of those who ask for it, and this does not say who edits it.',
  hint: 'Name the person in `by` (`--by` at a terminal). Nothing was changed.',
};
const TOO_MANY: ErrorBody = {
  code: 'INVALID_INPUT',
  message: `The change was edited ${MAX_EDITS} times, and one operation takes no more edits.`,
  hint: 'Continue with what it asks, or cancel it and start a new operation over the items that remain.',
};

/** An edit was accepted: no question is open until the rest is planned anew, or that has failed. */
export function editBegun(state: OperationState, id: string | undefined, now: number): OperationState {
  const { error, digest, opened_at, deadline, extensions, ...rest } = state;
  const before = { state: state.state, error, digest, opened_at, deadline, extensions };
  const editing: Editing = { ...before, ...(id !== undefined && { decision_id: id }) };
  return { ...moveTo(rest, 'preparing', now), editing };
}

/**
 * The plan could not be made, and the question is open as it was. `settled`: items of it have an outcome since, so it is
 * asked again.
 */
export function editAbandoned(state: OperationState, now: number, settled = false): OperationState {
  const { editing, ...rest } = state;
  if (!editing) return state;
  const { decision_id: _, ...before } = editing;
  // Nobody can have read it while it was not open.
  const open = { ...rest, ...before, opened_at: now };
  return settled ? askedAgain(moveTo(rest, 'awaiting_confirmation', now), now) : open;
}

/** The rest has a new plan, which asks about the same batch under its next attempt. */
export function editAdopted(
  state: OperationState,
  { prepared, marks, foreseen, codes, items }: Replanned,
  edit: AcceptedEdit,
  now: number,
): OperationState {
  const { editing: _, ...rest } = state;
  const { context, change, noun, words } = prepared;
  const places = [...state.codes].flatMap((code, at) => (code === 'p' ? [at] : []));
  const known = { ...rest.items };
  for (const place of places) delete known[place];
  const edited = {
    ...{ ...rest, context, change, noun, words, marks, foreseen, items: known },
    codes: [...state.codes].map((code, at) => (code === 'p' ? (codes[at] ?? code) : code)).join(''),
    edition: editionOf(state) + 1,
    edits: latestEdits([...(state.edits ?? []), edit]),
    edits_total: (state.edits_total ?? 0) + 1,
  };
  return askedAgain(withKnown(edited, items), now);
}

/** The same batch under its next attempt; the next one if nothing of it is left. */
function askedAgain(state: OperationState, now: number): OperationState {
  const next = { ...state, attempt: state.attempt + 1 };
  if (pendingPlaces(state, state.batch).length > 0)
    return ask(state.state === 'preparing' ? moveTo(next, 'awaiting_confirmation', now) : next, now);
  const { first_attempt: attempt = 1 } = state;
  return askNext({ ...withRestart(state), state: 'preparing', batch: state.batch + 1, attempt }, now);
}

/** The edition of the plan: one more after each edit. */
export const editionOf = ({ edition = 1 }: Pick<OperationState, 'edition'>): number => edition;

const MAX_FIELDS = 5;
const MAX_SUMMARY = 300;
const MAX_VALUE = 100;

/** What a question asks, in short. */
export function askedBy({ summary, fields }: Change): Edit['before'] {
  return {
    summary: shortened(summary, MAX_SUMMARY),
    fields: fields.slice(0, MAX_FIELDS).map(({ name, from, to }) => ({
      name: shortened(name, MAX_VALUE),
      ...(from !== undefined && { from: shortened(from, MAX_VALUE) }),
      to: shortened(to, MAX_VALUE),
    })),
  };
}

/**
 * The parameters of the change with the new values over the old ones.
 * @throws BatchgateError `INVALID_INPUT` for a parameter that cannot be edited, or if nothing is new.
 */
export function editedParameters(
  { name, query, change, selects }: Pick<AdapterAction, 'query' | 'change' | 'selects'> & { name: string },
  before: Readonly<Record<string, unknown>>,
  edit: EditRequest['change'],
  fixed: readonly string[] = [],
): Record<string, unknown> {
  const names = { query: selecting({ query, selects }), change: Object.keys(change.shape) };
  const editable = editableParameters(names, fixed);
  const hint =
    editable.length === 0
      ? `No parameter of ${name} can be edited: continue, or cancel and start a new operation.`
      : `These can be edited: ${editable.join(', ')}. Nothing was changed.`;
  for (const one of Object.keys(edit)) {
    if (editable.includes(one)) continue;
    const shown = shortened(one);
    const why = fixed.includes(one)
      ? `The operator has fixed ${shown}, so it cannot be edited.`
      : names.query.includes(one)
        ? `${shown} selects the items, which an edit does not change.`
        : `${name} has no parameter ${shown}.`;
    throw new BatchgateError('INVALID_INPUT', why, hint, { parameter: shown });
  }
  const merged: Record<string, unknown> = { ...before };
  for (const [one, value] of Object.entries(edit)) {
    if (value === null && !(change.shape[one] as z.ZodType).safeParse(null).success) delete merged[one];
    else merged[one] = value;
  }
  if (canonicalJson(merged) !== canonicalJson(before)) return merged;
  throw new BatchgateError(
    'INVALID_INPUT',
    'The question asks exactly that already.',
    'Continue, or give another value. Nothing was changed.',
  );
}

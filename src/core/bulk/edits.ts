import type { z } from 'zod';
import type { AdapterAction } from '../../contract/adapter';
import type { Change } from '../../contract/change';
import { MAX_EDITS, type Edit, type Replanned } from '../../contract/edits';
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
import { editsWith, isOfEdit } from './edited';
import { isRemembered } from './remembered';
import { isClosed } from './transitions';

export type EditVerdict =
  { kind: 'accepted' } | { kind: 'duplicate' } | { kind: 'refused'; error: ErrorBody };

/** Judges an edit, which applies only to the question that is open now. */
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

/** Whether this decision id belongs to a confirmation. */
const hasConfirmed = ({ accepted, accepted_before, approving }: OperationState, id: string): boolean =>
  Object.values(accepted).some(({ decision_id }) => decision_id === id) ||
  [accepted_before, approving?.decided].some((ids) => ids !== undefined && isRemembered(ids, id));

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
/** Without a name, the sender of an edit could approve it under any name. */
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

/** Begins an accepted edit. No question is open until the rest is planned anew or the planning fails. */
export function editBegun(state: OperationState, id: string | undefined, now: number): OperationState {
  const { error, digest, opened_at, deadline, extensions, ...rest } = state;
  const before = { state: state.state, error, digest, opened_at, deadline, extensions };
  const editing: Editing = { ...before, ...(id !== undefined && { decision_id: id }), begun_at: now };
  return { ...moveTo(rest, 'preparing', now), editing };
}

/**
 * Reopens the question after the planning of an edit failed. `settled`: some of its items have an outcome by now, so it
 * is asked again.
 */
export function editAbandoned(state: OperationState, now: number, settled = false): OperationState {
  const { editing, ...rest } = state;
  if (!editing) return state;
  const { decision_id: _, begun_at, deadline, ...before } = editing;
  // Its reading time counts from now, because it was not open before.
  const open = { ...rest, ...before, deadline: deadlineAgain(deadline, begun_at, now), opened_at: now };
  return settled ? askedAgain(moveTo(rest, 'awaiting_confirmation', now), now) : open;
}

/**
 * The deadline of a question that opens again. If it passed during the edit, the time that was left counts from now. A
 * later one stays: recorded histories have timers for it, and its reminder may be due before.
 */
function deadlineAgain(deadline: number | undefined, begun_at: number, now: number): number | undefined {
  return deadline !== undefined && deadline <= now ? deadline + now - begun_at : deadline;
}

/** Adopts the new plan of the rest and asks about the same batch under its next attempt. */
export function editAdopted(
  state: OperationState,
  { prepared, marks, foreseen, codes, items }: Replanned,
  edit: AcceptedEdit,
  now: number,
): OperationState {
  const { editing: _, ...rest } = state;
  const { context, change, noun, words } = prepared;
  const places = [...state.codes].flatMap((code, at) => (code === 'p' ? [at] : []));
  const knownItems = { ...rest.items };
  for (const place of places) delete knownItems[place];
  const replanned = {
    ...{ ...rest, context, change, noun, words, marks, foreseen, items: knownItems },
    codes: [...state.codes].map((code, at) => (code === 'p' ? (codes[at] ?? code) : code)).join(''),
    edition: editionOf(state) + 1,
    ...editsWith(state, edit),
  };
  return askedAgain(withKnown(replanned, items), now);
}

/** Asks about the same batch under its next attempt, or about the next batch if nothing of it is left. */
function askedAgain(state: OperationState, now: number): OperationState {
  const next = { ...state, attempt: state.attempt + 1 };
  if (pendingPlaces(state, state.batch).length > 0)
    return ask(state.state === 'preparing' ? moveTo(next, 'awaiting_confirmation', now) : next, now);
  const { first_attempt: attempt = 1 } = state;
  return askNext({ ...withRestart(state), state: 'preparing', batch: state.batch + 1, attempt }, now);
}

/** The edition of the plan, which each edit increments. */
export const editionOf = ({ edition = 1 }: Pick<OperationState, 'edition'>): number => edition;

const MAX_FIELDS = 5;
const MAX_SUMMARY = 300;
const MAX_VALUE = 100;

/** A short form of the change that a question asks about. */
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
  for (const parameter of Object.keys(edit)) {
    if (editable.includes(parameter)) continue;
    const text = shortened(parameter);
    const why = fixed.includes(parameter)
      ? `The operator has fixed ${text}, so it cannot be edited.`
      : names.query.includes(parameter)
        ? `${text} selects the items, which an edit does not change.`
        : `${name} has no parameter ${text}.`;
    throw new BatchgateError('INVALID_INPUT', why, hint, { parameter: text });
  }
  const merged: Record<string, unknown> = { ...before };
  for (const [parameter, value] of Object.entries(edit)) {
    if (value === null && !(change.shape[parameter] as z.ZodType).safeParse(null).success)
      delete merged[parameter];
    else merged[parameter] = value;
  }
  if (canonicalJson(merged) !== canonicalJson(before)) return merged;
  throw new BatchgateError(
    'INVALID_INPUT',
    'The question asks exactly that already.',
    'Continue, or give another value. Nothing was changed.',
  );
}

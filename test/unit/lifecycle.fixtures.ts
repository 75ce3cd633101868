import type { Plan } from '../../src/contract/plans';
import type { BulkItem, FrozenItem, Outcomes } from '../../src/contract/items';
import type { ContinueRequest } from '../../src/contract/messages';
import type { Requirement } from '../../src/contract/policy';
import { askedBy, editAdopted } from '../../src/core/bulk/edits';
import { parseOperationInput } from '../../src/core/bulk/input';
import { batchOver, beginOperation, confirmed, planFrozen } from '../../src/core/bulk/lifecycle';
import { pendingOf, type OperationState } from '../../src/core/bulk/operation';
import { conflictDetail } from '../../src/core/bulk/preview';
import { named } from '../../src/core/bulk/seal';
import { iso } from '../../src/core/bulk/view';

/** When the operations of these tests begin, in milliseconds since the epoch. */
export const START = Date.UTC(2026, 10, 21, 12);
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

/** Items with the ids `m1`, `m2` and so on. */
export function emails(count: number): BulkItem[] {
  return Array.from({ length: count }, (_, at) => ({ id: `m${at + 1}`, display_name: `Message ${at + 1}` }));
}

/** An operation that has not been planned. */
export function preparing(input: object = {}): OperationState {
  const parsed = parseOperationInput({
    domain: 'gmail',
    action: 'label',
    params: { sender: 'ana' },
    ...input,
  });
  const begun = beginOperation({ operation_id: 'bulk-1', first_run_id: 'run-1' }, parsed, START);
  return {
    ...begun,
    noun: { one: 'email', many: 'emails' },
    change: { summary: 'Add the label “Later”.', fields: [], reversible: 'yes' },
    context: { tool_name: 'gmail', action: 'label', query_params: {}, action_params: { label_id: 'L1' } },
  };
}

/** A plan of these items, all of which are named at once. */
export function planOf(
  items: readonly FrozenItem[],
  codes = 'p'.repeat(items.length),
): Omit<Plan, 'foreseen'> {
  const known = items.map((item, index) =>
    named({ ...item, index }, codes[index] === 'k' ? conflictDetail(item.preview) : undefined),
  );
  return { items: known, total: items.length, bytes: 0, marks: '', codes, store_id: 'store-1' };
}

/** What a policy requires: by default two approvals by anybody. */
export const requirement = (more: Partial<Requirement> = {}): Requirement => ({
  ...{ policy: 'four eyes', approvals: 2, from: [], not_requester: false, distinct: true },
  ...{ assurance: 'asserted', on_refusal: 'cancel' },
  ...more,
});

/** An operation at its first question. Its items in conflict (`k`) are skipped from the start. */
export function plannedWith(codes: string, input: object = {}, required?: Requirement): OperationState {
  const items = emails(codes.length).map((item, at) =>
    codes[at] === 'k' ? { ...item, preview: { conflict: 'it is now another one' } } : item,
  );
  return planFrozen(
    { ...preparing(input), ...(required && { requirement: required }) },
    planOf(items, codes),
    START,
  );
}

/** An operation with this many items, at its first question. */
export function planned(count: number, input: object = {}): OperationState {
  return planFrozen(preparing(input), planOf(emails(count)), START);
}

/** The operation with its open batch confirmed and running. */
export function running(state: OperationState, request: ContinueRequest = {}, now = START): OperationState {
  return confirmed(state, request, { via: 'update', assurance: 'asserted' }, now);
}

/** The operation after its running batch, with one outcome letter per item; by default, each item succeeded. */
export function ended(
  state: OperationState,
  outcomes: Partial<Outcomes> = {},
  now = START + MINUTE,
): OperationState {
  const indices = pendingOf(state, state.batch).map(({ index }) => index);
  const codes = outcomes.codes ?? 's'.repeat(indices.length);
  return batchOver(state, { indices, outcomes: { ...outcomes, codes }, started_at: now - 1_000 }, now);
}

/** The operation after one more batch has run. */
export function ran(state: OperationState, codes?: string, request?: ContinueRequest): OperationState {
  return ended(running(state, request), codes === undefined ? {} : { codes });
}

/**
 * An operation whose change is edited, once its rest has a new plan. `codes`: the outcomes with that plan; an item that
 * had none and is now skipped is in conflict.
 */
export function adopted(state: OperationState, now = START, codes = state.codes): OperationState {
  const { editing, context, change, noun, words, batch, attempt } = state;
  if (!context || !change) throw new Error('nothing was planned');
  const id = editing?.decision_id;
  const isNew = (index: number) => state.codes[index] === 'p';
  const items = emails(codes.length).map((item, index) =>
    isNew(index) && codes[index] === 'k' ? { ...item, preview: { conflict: 'it is another one' } } : item,
  );
  const next = { ...change, summary: `Add the label “${id ?? attempt}”.` };
  const plan = {
    prepared: {
      context: { ...context, action_params: { label_id: id ?? attempt } },
      change: next,
      noun,
      words,
    },
    ...{ token: 'token', marks: '', codes, foreseen: { already: 0, expected_errors: 0 } },
    items: planOf(items, codes).items.filter(({ index }) => isNew(index)),
  };
  const edit = {
    ...{ batch, attempt, digest: editing?.digest ?? '', parameters: ['label_name'] },
    ...{ before: askedBy(change), after: askedBy(next), at: iso(now) },
    ...{ via: 'update' as const, assurance: 'asserted' as const },
    ...(id !== undefined && { decision_id: id }),
  };
  return editAdopted(state, plan, edit, now);
}

import type { ActivityOptions } from '@temporalio/workflow';
import type { BulkActivities, PlannedBatch } from '../../src/contract/activities';
import type { Plan, PlanInput } from '../../src/contract/plans';
import type { Prepared } from '../../src/contract/prepared';
import type { OperationTerms } from '../../src/contract/ledger-record';
import { BatchgateError, type ErrorBody } from '../../src/contract/errors';
import type { BulkItem, NamedItem } from '../../src/contract/items';
import type { Settings } from '../../src/contract/settings';
import {
  limitError,
  tooManyBatches,
  tooManyBytes,
  unmeetable,
  type OperationInput,
} from '../../src/core/bulk/input';
import { namedAgain } from '../../src/core/bulk/asked-items';
import { foreseenTogether } from '../../src/core/bulk/groups';
import { underDeadline } from '../../src/core/bulk/deadlines';
import { noSlotAfterReset } from '../../src/core/bulk/closed';
import { atFirstQuestion, closeAs, planFrozen, rejected } from '../../src/core/bulk/lifecycle';
import { isClosed } from '../../src/core/bulk/transitions';
import { codesOf, unknownBatch, type OperationState } from '../../src/core/bulk/operation';
import { FINAL_ERRORS, READ_PAUSES, READ_TRIES } from '../../src/core/bulk/patience';
import { partsOf, type PlanPart } from '../../src/core/bulk/pages';
import { rampOf } from '../../src/core/bulk/ramp';
import { sizesUnder, underRequirement } from '../../src/core/policy/narrowing';
import { askToBegin, parentInMemo, viaInMemo } from '../shared/admission';
import { activities } from './steps';

type Refusable = { state: OperationState } | { error: ErrorBody };

/**
 * Admission, preparation, count and plan, in this order. A refusal ends the operation with its reason. `askedSeconds`:
 * the deadline that the start requested.
 * @throws the activity's failure, including a cancellation.
 */
export async function prepareOperation(
  start: OperationState,
  askedSeconds: number | undefined,
): Promise<OperationState> {
  const { items } = start.input;
  const admission = await askToBegin({
    ...asked(start),
    ...(items && { items: firstPart(start.input) }),
    ...(askedSeconds !== undefined && { asked_seconds: askedSeconds }),
    ...parentInMemo(),
  });
  if (!admission.admitted) return refusedStart(start, admission);
  const limited = underDeadline(start, askedSeconds, admission.deadline);
  if ('error' in limited) return rejected(start, limited.error, Date.now());
  const state = {
    ...limited.state,
    settings: admission.settings,
    ...(admission.public_key !== undefined && { public_key: admission.public_key }),
    ...(admission.windows && { windows: admission.windows }),
  };
  const planned = await frozenPlan(state, admission.plan);
  return 'error' in planned ? rejected(start, planned.error, Date.now()) : planned.state;
}

/** Without a slot nothing runs. An operation that was reset after its end keeps the results that its ledger has. */
async function refusedStart(
  start: OperationState,
  { error, plan }: { error: ErrorBody; plan?: Plan },
): Promise<OperationState> {
  if (!plan?.prepared) return rejected(start, error, Date.now());
  const asking = await withPlan(start, { ...plan, prepared: plan.prepared });
  if (isClosed(asking.state)) return asking;
  const why = noSlotAfterReset(start.operation_id, error);
  return closeAs(asking, 'cancelled', Date.now(), undefined, why);
}

/**
 * Returns the state with its frozen plan, or the reason why there is none. `first`: the first part of the plan, if it
 * was already made. A preview belongs to no session; its policies read the session of its start.
 */
export async function frozenPlan(
  state: OperationState,
  first?: Plan,
  preview: Pick<PlanInput, 'preview_session'> = {},
): Promise<Refusable> {
  const { input, settings } = state;
  const refusal = limitError(input, settings);
  if (refusal) return { error: refusal };
  const frozen = await freeze(state, first, preview);
  if ('error' in frozen) return frozen;
  // The plan of a run that was reset was compared when it was made.
  if (input.expect_digest !== undefined && frozen.attempt === undefined) {
    const { operation_id } = state;
    const { expect_digest } = input;
    await reading('Compare with the preview', settings).comparePreview({ operation_id, expect_digest });
  }
  return { state: await withPlan(state, frozen) };
}

async function withPlan(start: OperationState, frozen: WholePlan): Promise<OperationState> {
  const state = underRequirement(start, frozen);
  // The plan, the context and the requirement now contain these; the input would carry them a second time.
  const { items: _, params: __, metadata: ___, approvers: ____, ...slim } = state.input;
  const { context, noun, words, change } = frozen.prepared;
  const slimState = { ...state, input: slim, context, noun, words, change };
  const items = [...frozen.items, ...(await firstBatch(slimState, frozen))];
  const revised = await withRevision(slimState);
  return planFrozen(revised, { ...frozen, items }, Date.now());
}

/** Adds the differences from the operation that it revises to the state. */
async function withRevision(state: OperationState): Promise<OperationState> {
  const { operation_id, settings } = state;
  if (state.input.revises === undefined) return state;
  const comparing = reading('Compare with what was sent back', settings);
  return { ...state, revision: await comparing.compareRevised({ operation_id }) };
}

/** The items of the first question, if they are on a later part than the first. */
async function firstBatch(state: OperationState, plan: Plan) {
  const planned = atFirstQuestion(state, plan);
  const batch = unknownBatch(planned, planned.batch);
  return batch ? readQuestion(planned, batch) : [];
}

/** The request for a plan, without its items. */
function asked({ operation_id, first_run_id, input }: OperationState) {
  const { domain, action, params = {}, items, batch_size, undoes, overwrite } = input;
  return {
    ...{ operation_id, run_id: first_run_id, domain, action, params, batch_size, terms: termsOf(input) },
    ...(input.session_id !== undefined && { session_id: input.session_id }),
    ...(input.requested_by !== undefined && { requested_by: input.requested_by }),
    ...(input.metadata && { metadata: input.metadata }),
    ...(items && { named: items.length }),
    ...(undoes !== undefined && { undoes }),
    ...(overwrite !== undefined && { overwrite }),
    ...viaInMemo(),
  };
}

type WholePlan = Plan & { prepared: Prepared };

/** Freezes the result of a search in one call, and a named list in parts that fit into a payload. */
async function freeze(
  state: OperationState,
  first: Plan | undefined,
  preview: Pick<PlanInput, 'preview_session'>,
): Promise<WholePlan | { error: ErrorBody }> {
  const { input, settings } = state;
  // Its heartbeats stop if it reads no further page.
  const planning = activities(readOptions('Freeze the plan', settings, '1 day'));
  const { max_total_items } = settings;
  const request = { ...asked(state), ...preview, max_total_items };
  const parts = input.items ? namedParts(input.items, input) : [{ from: 0, items: undefined }];
  if ('error' in parts) return parts;
  const [head, ...rest] = parts;
  const { prepared, ...plan } =
    first ?? (await planning.plan({ ...request, ...(head?.items && { items: head.items }) }));
  if (!prepared) throw new Error('the first part of a plan says what was prepared');
  let whole: Plan = plan;
  // After a reset, the ledger had the whole plan.
  if (plan.attempt !== undefined) return { ...plan, prepared };
  for (const { from, items = [] } of rest) {
    const next = await planning.plan({ ...request, items, later: { offset: from, prepared } });
    whole = {
      ...whole,
      total: whole.total + next.total,
      bytes: whole.bytes + next.bytes,
      marks: whole.marks + next.marks,
      codes: codesOf(whole) + codesOf(next),
      foreseen: foreseenTogether(whole.foreseen, next.foreseen),
    };
  }
  const excess =
    tooManyBytes(whole.total, whole.bytes) ??
    tooManyBatches(whole.total, sizesUnder(input, whole.requirement?.max_batch_size)) ??
    unmeetable(input, whole.total);
  return excess ? { error: excess } : { ...whole, prepared };
}

/** Undefined if the batch size is not possible; the operation reports that once it has a slot. */
function firstPart(input: OperationInput): BulkItem[] | undefined {
  const parts = namedParts(input.items ?? [], input);
  return 'error' in parts ? undefined : parts[0]?.items;
}

function namedParts(items: readonly BulkItem[], input: OperationInput): PlanPart[] | { error: ErrorBody } {
  try {
    return partsOf(items, rampOf(input));
  } catch (error) {
    if (error instanceof BatchgateError) return { error: error.body };
    throw error;
  }
}

/** Tries of a read from the ledger. Some of them may reach a worker with another store. */
const QUESTION_TRIES = 60;

/**
 * Returns the items of a batch for its question.
 * @throws the activity's failure: the plan can no longer be read.
 */
export async function readQuestion(state: OperationState, batch: PlannedBatch): Promise<NamedItem[]> {
  const { operation_id, store_id } = state;
  const question = activities({
    startToCloseTimeout: '10s',
    retry: {
      initialInterval: '500ms',
      maximumInterval: '5s',
      maximumAttempts: QUESTION_TRIES,
      nonRetryableErrorTypes: ['INTERNAL' satisfies ErrorBody['code']],
    },
    summary: `Read the plan from item ${batch.from + 1} on`,
  });
  return namedAgain(state, batch, await question.readQuestion({ operation_id, store_id, ...batch }));
}

/** Returns the place of an item whose name the workflow lacks; undefined if the plan has no item with this id. */
export async function findItem(operation_id: string, item_id: string): Promise<number | undefined> {
  const lookup = activities({ startToCloseTimeout: '10s', scheduleToCloseTimeout: '1 minute' });
  return (await lookup.findItem({ operation_id, item_id })) ?? undefined;
}

function termsOf(input: OperationInput): OperationTerms {
  const { idle_timeout_seconds, contract, failure_threshold, overwrite, reason, by_agent, revises } = input;
  const { batch_sizes, not_before, approvers, requested_subject, editors } = input;
  return {
    idle_timeout_seconds,
    ...(contract && { contract }),
    ...(failure_threshold !== undefined && { failure_threshold }),
    ...(overwrite !== undefined && { overwrite }),
    ...(reason !== undefined && { reason }),
    ...(by_agent && { by_agent }),
    ...(revises !== undefined && { revises }),
    ...(batch_sizes && { batch_sizes }),
    ...(not_before !== undefined && { not_before }),
    ...(approvers && { approvers }),
    ...(requested_subject !== undefined && { requested_subject }),
    ...(editors && { editors }),
  };
}

/**
 * Reads from the tool or the ledger. The heartbeat detects a try whose worker is lost, and the read is retried. An
 * error of the tool is final from the third try on (activities/shared/failures.ts).
 */
export function reading(
  summary: string,
  settings: Settings,
  tryMs: ActivityOptions['startToCloseTimeout'] = settings.read_timeout_ms + settings.heartbeat_timeout_ms,
): BulkActivities {
  return activities(readOptions(summary, settings, tryMs));
}

function readOptions(
  summary: string,
  { heartbeat_timeout_ms }: Settings,
  tryMs: ActivityOptions['startToCloseTimeout'],
): ActivityOptions {
  return {
    startToCloseTimeout: tryMs,
    heartbeatTimeout: heartbeat_timeout_ms,
    retry: { ...READ_PAUSES, maximumAttempts: READ_TRIES, nonRetryableErrorTypes: FINAL_ERRORS },
    summary,
  };
}

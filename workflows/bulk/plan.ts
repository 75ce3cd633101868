import { workflowInfo } from '@temporalio/workflow';
import type { BulkActivities, Plan, PlanInput } from '../../src/contract/activities';
import type { OperationTerms } from '../../src/contract/ledger-record';
import { BatchgateError, type ErrorBody } from '../../src/contract/errors';
import type { BulkItem, FrozenItem } from '../../src/contract/items';
import type { Settings } from '../../src/contract/settings';
import { jobKeySchema } from '../../src/contract/sentinel';
import {
  limitError,
  tooMany,
  tooManyBatches,
  tooManyBytes,
  type OperationInput,
} from '../../src/core/bulk/input';
import { underDeadline } from '../../src/core/bulk/deadlines';
import { planFrozen, rejected } from '../../src/core/bulk/lifecycle';
import { firstWithWork, missingPage, withPage, type OperationState } from '../../src/core/bulk/operation';
import { pagesOf, type PlanPage } from '../../src/core/bulk/pages';
import { askForPlace } from '../shared/admission';
import { activities } from './steps';

/** Mistakes of the caller and refusals of the tool: trying again would not help. */
const FINAL_ERRORS: ErrorBody['code'][] = [
  'INVALID_INPUT',
  'UNKNOWN_ADAPTER',
  'TOO_MANY_ITEMS',
  'CREDENTIALS_INVALID',
  'NOT_CONFIGURED',
  'NOT_FOUND',
  'FORBIDDEN',
  'CHANGED_SINCE_PREVIEW',
];
/** Most of them for workers that are lost, and for a database that is away. */
const READ_TRIES = 200;

type Refusable = { state: OperationState } | { error: ErrorBody };

/**
 * Admission, preparation, count and plan, in this order. A refusal ends the operation with its reason.
 * `askedSeconds`: the deadline that the start asked for.
 * @throws the activity's failure, a cancellation among them.
 */
export async function prepareOperation(
  start: OperationState,
  askedSeconds: number | undefined,
): Promise<OperationState> {
  const { operation_id, first_run_id, input } = start;
  const { domain, action, session_id } = input;
  const parent = jobKeySchema.safeParse(workflowInfo().memo?.['parent']).data;
  const admission = await askForPlace({
    ...{ operation_id, run_id: first_run_id, kind: 'bulk_operation' as const, domain, action },
    ...(session_id !== undefined && { session_id }),
    ...(parent && { parent }),
  });
  if (!admission.admitted) return rejected(start, admission.error, Date.now());
  const limited = underDeadline(start, askedSeconds, admission.deadline);
  if ('error' in limited) return rejected(start, limited.error, Date.now());
  const planned = await frozenPlan({
    ...limited.state,
    settings: admission.settings,
    ...(admission.public_key !== undefined && { public_key: admission.public_key }),
  });
  return 'error' in planned ? rejected(start, planned.error, Date.now()) : planned.state;
}

/** The state with its plan frozen, or why there is none. */
export async function frozenPlan(state: OperationState): Promise<Refusable> {
  const { input, settings } = state;
  const { undoes, overwrite, expect_digest } = input;
  const refusal = limitError(input, settings);
  if (refusal) return { error: refusal };
  const read = (summary: string) => reading(summary, settings);
  const prepared = await read(`Prepare ${input.action} on ${input.domain}`).prepare({
    domain: input.domain,
    action: input.action,
    params: input.params ?? {},
    explicit_items: input.items !== undefined,
    ...(input.metadata && { metadata: input.metadata }),
    ...(undoes !== undefined && { undoes }),
  });
  const { context, noun, words, change } = prepared;
  const counted =
    input.items || undoes !== undefined ? undefined : await read('Count the items').count({ context });
  const excess = counted === undefined ? undefined : tooMany(counted, settings.max_total_items);
  if (excess) return { error: excess };
  const asked = {
    operation_id: state.operation_id,
    run_id: state.first_run_id,
    ...(input.session_id !== undefined && { session_id: input.session_id }),
    ...(input.requested_by !== undefined && { requested_by: input.requested_by }),
    ...(input.metadata && { metadata: input.metadata }),
    ...(counted !== undefined && { counted }),
    context,
    change_params: prepared.change_params,
    noun,
    change,
    batch_size: input.batch_size,
    terms: termsOf(input),
    max_total_items: settings.max_total_items,
    ...(undoes !== undefined && { undoes }),
    ...(overwrite !== undefined && { overwrite }),
  };
  const frozen = await freeze(asked, input.items, (part) => read('Freeze the plan').plan(part));
  if ('error' in frozen) return frozen;
  if (expect_digest !== undefined) {
    const { operation_id } = state;
    await read('Compare with the preview').comparePreview({ operation_id, expect_digest });
  }
  // The plan and the context hold these from here on; the input would carry them a second time.
  const { items: _, params: __, metadata: ___, ...slim } = input;
  const known = { ...state, input: slim, context, noun, words, change };
  return {
    state: planFrozen(await withFirstBatch(known, frozen), frozen.items, frozen.store_id, Date.now(), frozen),
  };
}

/** The first batch may be on a later page, where an undo leaves all items of the first one alone. */
async function withFirstBatch(state: OperationState, frozen: Plan): Promise<OperationState> {
  const { codes, total, pages, store_id, items } = frozen;
  if (codes === undefined) return state;
  const ahead = withPage({ ...state, codes, total, pages, store_id }, 0, items);
  const page = await readBatch(ahead, firstWithWork(ahead, 1));
  return page ? withPage(ahead, page.from, page.items) : ahead;
}

/** Freezes what a search finds in one go, and a list that was named part by part, as a payload takes it. */
async function freeze(
  asked: Omit<PlanInput, 'items' | 'offset'>,
  items: readonly BulkItem[] | undefined,
  plan: (part: PlanInput) => Promise<Plan>,
): Promise<Plan | { error: ErrorBody }> {
  const parts = items ? partsOf(items, asked.batch_size) : [{ from: 0, items }];
  if ('error' in parts) return parts;
  let whole: Plan | undefined;
  for (const { from, items: part } of parts) {
    const next = await plan({ ...asked, ...(part && { items: part }), ...(from > 0 && { offset: from }) });
    whole = whole
      ? {
          ...whole,
          total: whole.total + next.total,
          bytes: whole.bytes + next.bytes,
          pages: { ...whole.pages, ...next.pages },
          foreseen: {
            already: whole.foreseen.already + next.foreseen.already,
            expected_errors: whole.foreseen.expected_errors + next.foreseen.expected_errors,
          },
        }
      : next;
  }
  if (!whole) throw new Error('a plan has a first page');
  const excess = tooManyBytes(whole.total, whole.bytes) ?? tooManyBatches(whole.total, asked.batch_size);
  return excess ? { error: excess } : whole;
}

function partsOf(items: readonly BulkItem[], batchSize: number): PlanPage[] | { error: ErrorBody } {
  try {
    return pagesOf(items, batchSize);
  } catch (error) {
    if (error instanceof BatchgateError) return { error: error.body };
    throw error;
  }
}

/** Tries of a read from the ledger, of which some may reach a worker with another store. */
const PAGE_TRIES = 60;

/**
 * The next batch at hand, read from the ledger where it is on a page that is not here yet.
 * @throws the activity's failure: what was planned cannot be read any more.
 */
export async function readBatch(
  state: OperationState,
  batch: number,
): Promise<{ from: number; items: FrozenItem[] } | undefined> {
  const page = missingPage(state, batch);
  if (!page) return undefined;
  const { operation_id, store_id } = state;
  const read = activities({
    startToCloseTimeout: '10s',
    retry: {
      initialInterval: '500ms',
      maximumInterval: '5s',
      maximumAttempts: PAGE_TRIES,
      nonRetryableErrorTypes: ['INTERNAL' satisfies ErrorBody['code']],
    },
    summary: `Read the plan from item ${page.from + 1} on`,
  });
  return { from: page.from, items: await read.planPage({ operation_id, store_id, ...page }) };
}

/** The place of an item that is not at hand; undefined where the plan has none of this id. */
export async function findItem(operation_id: string, item_id: string): Promise<number | undefined> {
  const read = activities({ startToCloseTimeout: '10s', scheduleToCloseTimeout: '1 minute' });
  return (await read.findItem({ operation_id, item_id })) ?? undefined;
}

function termsOf({ idle_timeout_seconds, contract, failure_threshold }: OperationInput): OperationTerms {
  return {
    idle_timeout_seconds,
    ...(contract && { contract }),
    ...(failure_threshold !== undefined && { failure_threshold }),
  };
}

/**
 * Reads from the tool. A try whose worker is lost is noticed by its heartbeat and made again; an error of the tool
 * is final from the third try on (activities/bulk/planning.ts).
 */
export function reading(
  summary: string,
  { read_timeout_ms, heartbeat_timeout_ms }: Settings,
): BulkActivities {
  return activities({
    startToCloseTimeout: read_timeout_ms + heartbeat_timeout_ms,
    heartbeatTimeout: heartbeat_timeout_ms,
    retry: {
      maximumAttempts: READ_TRIES,
      initialInterval: '500ms',
      maximumInterval: '5s',
      nonRetryableErrorTypes: FINAL_ERRORS,
    },
    summary,
  });
}

import { Context } from '@temporalio/activity';
import type { PlannedBatch, QuestionInput, RunBatchInput } from '../../src/contract/activities';
import { BatchgateError } from '../../src/contract/errors';
import type { FrozenText, QuestionTree } from '../../src/contract/item-proof';
import type {
  AskedItems,
  NamedItem,
  OutcomeDetail,
  PlannedItem,
  PreparedBulkContext,
} from '../../src/contract/items';
import type { Ledger, PlannedItems } from '../../src/contract/ledger';
import { askedItems } from '../../src/core/bulk/asked-items';
import { markOf, named, questionTree, sealedText, treeDigest } from '../../src/core/bulk/seal';

/** Places of a plan: `from` inclusive, `to` exclusive. */
interface Part {
  from: number;
  to: number;
}

/**
 * Reads items of a plan. Only the ledger that received the plan holds it and the evidence of its operation. Returns
 * undefined on a worker with another ledger, or if the ledger lost the plan: such a worker runs nothing, and every
 * outcome that it cannot prove is in doubt. Missing evidence does not prove that nothing changed.
 */
export async function plannedItems(
  ledger: Ledger,
  { operation_id, store_id }: Pick<QuestionInput, 'operation_id' | 'store_id'>,
  parts: readonly Part[],
): Promise<PlannedItems | undefined> {
  if (ledger.storeId !== store_id) return undefined;
  return (await ledger.planned(operation_id, parts)) ?? undefined;
}

/** A confirmed batch with its adapter's context. */
export type RunningBatch = RunBatchInput & { context: PreparedBulkContext };

/** A confirmed batch, read from the ledger. */
interface ConfirmedBatch {
  context: PreparedBulkContext;
  /** The items to run. */
  items: PlannedItem[];
  /** The confirmed question, for the record. */
  tree: QuestionTree;
  frozen: FrozenText[];
  /** The items of the next question. */
  next?: AskedItems;
}

/**
 * Reads a batch and its change from the ledger, and checks them against the confirmation.
 * @throws BatchgateError `NOT_CONFIGURED` on another ledger, `INTERNAL` if they differ.
 */
export async function confirmedBatch(ledger: Ledger, input: RunBatchInput): Promise<ConfirmedBatch> {
  refuseOtherStore(ledger, input.store_id);
  const { operation_id, run_id, batch, attempt, asked, indexes, skipped, next, schedule } = input;
  const part = { from: Math.min(...asked), to: Math.max(...asked) + 1 };
  const plan = await plannedItems(ledger, input, next ? [part, next.groups] : [part]);
  if (!plan) throw altered(`the plan of ${operation_id}`);
  const { context, change, items, requester, revises, requirement } = plan;
  const itemsAt = (indices: readonly number[]) => items.filter(({ index }) => indices.includes(index));
  const question = { operation_id, run_id, batch, attempt, context, change, requester, revises, requirement };
  const askedRows = itemsAt(asked);
  const tree = questionTree({ ...question, items: askedRows, ...(schedule && { schedule }) });
  if (treeDigest(tree) !== input.digest)
    throw altered(`the items of batch ${batch} as they were planned and confirmed`);
  const nextQuestion = next && questionItems(items, next);
  const left_out = skipped.flatMap(({ index }) => (asked.includes(index) ? [index] : []));
  return {
    ...{ context, items: itemsAt(indexes).map(frozenItem) },
    frozen: askedRows.map((item) => ({ index: item.index, frozen: sealedText(item) })),
    tree: { ...tree, ...(left_out.length > 0 && { left_out }) },
    ...(nextQuestion && { next: nextQuestion }),
  };
}

/**
 * Reads the planned items of the next question.
 * @throws BatchgateError `NOT_CONFIGURED` on another ledger, `INTERNAL` if it lacks them.
 */
export async function readQuestion(ledger: Ledger, input: QuestionInput): Promise<AskedItems> {
  refuseOtherStore(ledger, input.store_id);
  const plan = await plannedItems(ledger, input, [input.groups]);
  const question = plan && questionItems(plan.items, input);
  if (question) return question;
  throw altered(`items ${input.from + 1} to ${input.to} as they were planned`);
}

/** Returns the items of a batch for its question; undefined if one of their groups differs from the plan. */
function questionItems(items: PlannedItems['items'], batch: PlannedBatch): AskedItems | undefined {
  const { groups } = batch;
  const rows = items.filter(({ index }) => index >= groups.from && index < groups.to).map(namedRow);
  const marks = startsOf(groups).map((from) => {
    const to = Math.min(from + groups.size, groups.to);
    const group = rows.filter(({ index }) => index >= from && index < to);
    return group.length === to - from ? markOf(group) : '';
  });
  if (marks.join('') !== groups.marks) return undefined;
  return askedItems(
    rows.filter(({ index }) => index >= batch.from && index < batch.to),
    batch,
  );
}

const startsOf = ({ from, to, size }: PlannedBatch['groups']): number[] =>
  Array.from({ length: Math.ceil((to - from) / size) }, (_, at) => from + at * size);

/** Converts a row of the ledger for workflows, with the reason for its outcome. */
export const namedRow = (row: PlannedItem & OutcomeDetail): NamedItem => named(row, detailOf(row));

export const detailOf = ({ error, retryable }: OutcomeDetail): OutcomeDetail | undefined =>
  error === undefined ? undefined : { error, ...(retryable !== undefined && { retryable }) };

/** Converts a row of the ledger for adapters. */
export const frozenItem = ({
  error: _,
  retryable: __,
  salt: ___,
  ...item
}: PlannedItem & OutcomeDetail): PlannedItem => item;

/** @throws BatchgateError `NOT_CONFIGURED` if another ledger holds the evidence of an operation. */
export function refuseOtherStore(ledger: Ledger, storeId: string): void {
  if (ledger.storeId === storeId) return;
  throw new BatchgateError(
    'NOT_CONFIGURED',
    'The worker keeps another ledger than the one that holds the plan of this operation; nothing was run.',
    'If workers keep separate stores, set BATCHGATE_DATABASE_URL for all, then confirm again. If the old store is gone, cancel and start a new operation over what remains.',
  );
}

/** The number of tries, over about a minute, in which a worker with the right store can take the question. */
const OTHER_STORE_TRIES = 15;

/** True after about a minute in which every try may have reached a worker with another store. */
export const isOtherStoreForLong = ({ code }: BatchgateError): boolean =>
  code === 'NOT_CONFIGURED' && Context.current().info.attempt >= OTHER_STORE_TRIES;

const altered = (what: string) =>
  new BatchgateError(
    'INTERNAL',
    `The ledger does not hold ${what}; nothing of it was run.`,
    'Cancel, and start a new operation over what remains: rows of the ledger were changed or removed.',
  );

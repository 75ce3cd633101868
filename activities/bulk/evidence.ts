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

/** Places of a plan, from one up to another. */
interface Part {
  from: number;
  to: number;
}

/**
 * Items of a plan. The plan and the evidence of an operation are in the ledger that received the plan, and nowhere else.
 * Undefined on a worker with another ledger, or with one that lost the plan: it runs nothing, and what it cannot account
 * for is in doubt. Missing evidence is not innocence.
 */
export async function plannedItems(
  ledger: Ledger,
  { operation_id, store_id }: Pick<QuestionInput, 'operation_id' | 'store_id'>,
  parts: readonly Part[],
): Promise<PlannedItems | undefined> {
  if (ledger.storeId !== store_id) return undefined;
  return (await ledger.planned(operation_id, parts)) ?? undefined;
}

/** A confirmed batch with what its adapter gets besides the items. */
export type RunningBatch = RunBatchInput & { context: PreparedBulkContext };

/** A confirmed batch as the ledger has it. */
interface ConfirmedBatch {
  context: PreparedBulkContext;
  /** The items to run. */
  items: PlannedItem[];
  /** What was confirmed, for the record. */
  tree: QuestionTree;
  frozen: FrozenText[];
  /** The items of the next question. */
  next?: AskedItems;
}

/**
 * Reads a batch and its change from the ledger, and checks that they are what was confirmed.
 * @throws BatchgateError `NOT_CONFIGURED` on another ledger, `INTERNAL` if they are not.
 */
export async function confirmedBatch(ledger: Ledger, input: RunBatchInput): Promise<ConfirmedBatch> {
  refuseOtherStore(ledger, input.store_id);
  const { operation_id, run_id, batch, attempt, asked, indexes, skipped, next, schedule } = input;
  const own = { from: Math.min(...asked), to: Math.max(...asked) + 1 };
  const planned = await plannedItems(ledger, input, next ? [own, next.groups] : [own]);
  if (!planned) throw altered(`the plan of ${operation_id}`);
  const { context, change, items, requester, revises, requirement } = planned;
  const those = (indices: readonly number[]) => items.filter(({ index }) => indices.includes(index));
  const asks = { operation_id, run_id, batch, attempt, context, change, requester, revises, requirement };
  const shown = those(asked);
  const tree = questionTree({ ...asks, items: shown, ...(schedule && { schedule }) });
  if (treeDigest(tree) !== input.digest)
    throw altered(`the items of batch ${batch} as they were planned and confirmed`);
  const following = next && questionItems(items, next);
  const left_out = skipped.flatMap(({ index }) => (asked.includes(index) ? [index] : []));
  return {
    ...{ context, items: those(indexes).map(frozenItem) },
    frozen: shown.map((item) => ({ index: item.index, frozen: sealedText(item) })),
    tree: { ...tree, ...(left_out.length > 0 && { left_out }) },
    ...(following && { next: following }),
  };
}

/**
 * The items of the next question, as they were planned.
 * @throws BatchgateError `NOT_CONFIGURED` on another ledger, `INTERNAL` if it does not hold them.
 */
export async function readQuestion(ledger: Ledger, input: QuestionInput): Promise<AskedItems> {
  refuseOtherStore(ledger, input.store_id);
  const planned = await plannedItems(ledger, input, [input.groups]);
  const asked = planned && questionItems(planned.items, input);
  if (asked) return asked;
  throw altered(`items ${input.from + 1} to ${input.to} as they were planned`);
}

/** The items of a batch for its question; undefined if a group that contains some of them differs from the plan. */
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

/** A row of the ledger as a workflow gets to know it, with the reason for its outcome. */
export const namedRow = (row: PlannedItem & OutcomeDetail): NamedItem => named(row, detailOf(row));

export const detailOf = ({ error, retryable }: OutcomeDetail): OutcomeDetail | undefined =>
  error === undefined ? undefined : { error, ...(retryable !== undefined && { retryable }) };

/** A row of the ledger as its adapter gets it. */
export const frozenItem = ({
  error: _,
  retryable: __,
  salt: ___,
  ...item
}: PlannedItem & OutcomeDetail): PlannedItem => item;

/** @throws BatchgateError `NOT_CONFIGURED` if this worker does not have the evidence of an operation. */
export function refuseOtherStore(ledger: Ledger, storeId: string): void {
  if (ledger.storeId === storeId) return;
  throw new BatchgateError(
    'NOT_CONFIGURED',
    'The worker keeps another ledger than the one that holds the plan of this operation; nothing was run.',
    'If workers keep separate stores, set BATCHGATE_DATABASE_URL for all, then confirm again. If the old store is gone, cancel and start a new operation over what remains.',
  );
}

/** The tries, within a minute, in which a worker with the right store may take a question that others cannot read. */
const OTHER_STORE_TRIES = 15;

/** Whether all tries so far, for about a minute, may have reached workers with another store. */
export const isOtherStoreForLong = ({ code }: BatchgateError): boolean =>
  code === 'NOT_CONFIGURED' && Context.current().info.attempt >= OTHER_STORE_TRIES;

const altered = (what: string) =>
  new BatchgateError(
    'INTERNAL',
    `The ledger does not hold ${what}; nothing of it was run.`,
    'Cancel, and start a new operation over what remains: rows of the ledger were changed or removed.',
  );

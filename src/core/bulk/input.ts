import type { z } from 'zod';
import { BatchgateError, parseInput, type ErrorBody } from '../../contract/errors';
import type { BulkItem } from '../../contract/items';
import { bulkOperationInputSchema } from '../../contract/operation';
import type { Settings } from '../../contract/settings';
import { shortened } from '../../contract/text';
import { MAX_BATCHES, MAX_PLAN_BYTES } from '../shared/bounds';
import { isBlankId } from '../shared/item-ids';
import { refuseImpossible } from '../progress/contract';
import { canonicalJson } from '../shared/canonical';
import { quoted } from '../shared/plain-text';
import { batchesIn, rampOf } from './ramp';

const DEFAULT_BATCH_SIZE = 10;
const DEFAULT_IDLE_TIMEOUT_SECONDS = 3_600;

/** The input with its defaults, and with named items without duplicates. */
export type OperationInput = Omit<z.infer<typeof bulkOperationInputSchema>, 'items'> & {
  items?: BulkItem[];
  batch_size: number;
  idle_timeout_seconds: number;
};

const parsed = (value: unknown) => parseInput(bulkOperationInputSchema, value, 'The bulk operation');

/**
 * Parses a bulk operation's input.
 * @throws BatchgateError `INVALID_INPUT` with the path of each mistake.
 */
export function parseOperationInput(value: unknown): OperationInput {
  const input = parsed(value);
  refuseContradictions(input.items ?? []);
  refuseBlankIds(input.items ?? []);
  return completed(input);
}

/**
 * Parses the input of a workflow. The first of several items with one id counts, also if their data differ: a refusal
 * would change the history of an operation that began so.
 */
export const parseRecordedInput = (value: unknown): OperationInput => completed(parsed(value));

function completed({ items, ...input }: z.infer<typeof bulkOperationInputSchema>): OperationInput {
  const params = input.params ?? {};
  refuseMixedUndo(input);
  if (input.batch_size !== undefined && input.batch_sizes !== undefined) {
    throw new BatchgateError(
      'INVALID_INPUT',
      'batch_size and batch_sizes are both given.',
      'Give batch_size for batches of one size, or batch_sizes for batches that grow.',
    );
  }
  if (input.undoes === undefined && items === undefined && Object.keys(params).length === 0) {
    throw new BatchgateError(
      'INVALID_INPUT',
      'Neither params to find the items nor items are given.',
      'Give a query in params, or the explicit list in items.',
      { scenario: 'missing_parameter' },
    );
  }
  const uniqueItems =
    items &&
    withoutDuplicates(items.map((item) => ({ ...item, display_name: item.display_name ?? item.id })));
  if (input.contract) refuseImpossibleContract(input.contract, uniqueItems?.length);
  return {
    ...input,
    batch_size: input.batch_size ?? input.batch_sizes?.at(-1) ?? DEFAULT_BATCH_SIZE,
    idle_timeout_seconds: input.idle_timeout_seconds ?? DEFAULT_IDLE_TIMEOUT_SECONDS,
    ...(uniqueItems && { items: uniqueItems }),
  };
}

type Named = Pick<BulkItem, 'id' | 'raw_data'>;

/** A choice between the data of a repeated id would be a guess. */
export const isContradiction = (first: Named, again: Named): boolean =>
  canonicalJson(first.raw_data) !== canonicalJson(again.raw_data);

function refuseContradictions(items: readonly Named[]): void {
  const places = new Map<string, number>();
  for (const [at, item] of items.entries()) {
    const place = places.get(item.id) ?? at;
    places.set(item.id, place);
    if (!isContradiction(items[place] ?? item, item)) continue;
    throw new BatchgateError(
      'INVALID_INPUT',
      `items[${at}] repeats the id ${quoted(shortened(item.id))} of items[${place}], with other raw_data.`,
      'Leave one of them out.',
    );
  }
}

/**
 * Refuses named items whose ids consist of blanks. A start checks it and the workflow does not, because an operation of
 * an earlier version may have such an item.
 * @throws BatchgateError `INVALID_INPUT`.
 */
function refuseBlankIds(items: readonly Named[]): void {
  const at = items.findIndex(({ id }) => isBlankId(id));
  if (at === -1) return;
  throw new BatchgateError(
    'INVALID_INPUT',
    `The id of an item consists of blanks (items.${at}.id).`,
    'Give the item the id that it has in its tool, or leave it out.',
  );
}

/** Refuses parameters for an undo, which takes them from the ledger, and `overwrite` for anything else. */
function refuseMixedUndo({
  undoes,
  overwrite,
  params,
}: Pick<OperationInput, 'undoes' | 'overwrite' | 'params'>): void {
  if (undoes !== undefined && params !== undefined) {
    throw new BatchgateError(
      'INVALID_INPUT',
      'An undo takes its parameters from the operation that it takes back.',
      'Leave params out. To take back only some of its items, name them in items.',
    );
  }
  if (overwrite !== undefined && undoes === undefined)
    throw new BatchgateError('INVALID_INPUT', 'Only an undo can overwrite.', 'Leave overwrite out.');
}

/** Refuses a contract that can never be completed. `itemCount` is undefined before a search. */
function refuseImpossibleContract(
  contract: NonNullable<OperationInput['contract']>,
  itemCount: number | undefined,
): void {
  const { expected_total } = contract;
  if (itemCount !== undefined && expected_total !== undefined && expected_total > itemCount) {
    throw new BatchgateError(
      'INVALID_INPUT',
      `The contract can never be completed. It expects ${expected_total} items, and ${itemCount} are given.`,
      'Give all items, or leave out expected_total.',
    );
  }
  const total = itemCount ?? expected_total;
  if (total !== undefined) refuseImpossible({ ...contract, expected_total: total }, Infinity);
}

/** The error for a contract that the items of a plan cannot meet; undefined if they can. */
export function unmeetable(
  { contract, undoes }: Pick<OperationInput, 'contract' | 'undoes'>,
  count: number,
): ErrorBody | undefined {
  const { expected_total = 0, min_completed = 0 } = contract ?? {};
  // An undo restores only what is left to restore.
  if (undoes !== undefined || Math.max(expected_total, min_completed) <= count) return undefined;
  const requirement =
    expected_total > count ? `It expects ${expected_total} items` : `min_completed is ${min_completed}`;
  return {
    code: 'INVALID_INPUT',
    message: `The contract can never be completed. ${requirement}, and ${count} item(s) were found.`,
    hint: `Give an expected_total and a min_completed of ${count} or less, or widen the search. Nothing was touched.`,
    details: { found: count },
  };
}

/** The first item of each id, in order. An object that is named several times is one item. */
export function withoutDuplicates(items: readonly BulkItem[]): BulkItem[] {
  const ids = new Set<string>();
  return items.filter(({ id }) => !ids.has(id) && ids.add(id));
}

/** The error for a list in several parts that names an item by several names. Its places count each name. */
export function namedTwice(names: readonly string[]): ErrorBody {
  const which = names.map((name) => `“${shortened(name)}”`).join(', ');
  return {
    code: 'INVALID_INPUT',
    message: `The list names one item more than once${which === '' ? '' : `: ${which}`}.`,
    hint: 'Name each item once.',
  };
}

/** The error for an input that exceeds the limits; undefined if it does not. */
export function limitError(
  { batch_size, batch_sizes, items }: Sizes & { items?: { readonly length: number } },
  settings: Settings,
): ErrorBody | undefined {
  const { min_batch_size: min, max_batch_size: max } = settings;
  if (batch_sizes) {
    const refusal = rampError(batch_sizes, settings);
    if (refusal) return refusal;
  } else if (batch_size < min || batch_size > max) {
    return {
      code: 'INVALID_INPUT',
      message: `batch_size is ${batch_size}, and a batch has ${min} to ${max} items.`,
      hint: `Choose a batch_size from ${min} to ${max}; the last batch may be smaller.`,
    };
  }
  return items ? tooMany(items.length, settings.max_total_items) : undefined;
}

type Sizes = Pick<OperationInput, 'batch_size' | 'batch_sizes'>;

/** The error for invalid batch sizes. The minimum is for efficiency and applies to the last size, which repeats. */
function rampError(
  sizes: readonly number[],
  { min_batch_size: min, max_batch_size: max }: Settings,
): ErrorBody | undefined {
  const over = sizes.find((size) => size > max);
  const last = sizes.at(-1) ?? 0;
  if (over === undefined && last >= min) return undefined;
  return {
    code: 'INVALID_INPUT',
    message:
      over === undefined
        ? `batch_sizes ends with ${last}, which repeats, and a batch that repeats has ${min} to ${max} items.`
        : `batch_sizes contains ${over}, and a batch has at most ${max} items.`,
    hint: `Choose sizes from 1 to ${max}, the last one from ${min} to ${max}: it repeats.`,
  };
}

/** The error for a plan with too many bytes; undefined if it fits. */
export function tooManyBytes(total: number, bytes: number): ErrorBody | undefined {
  if (bytes <= MAX_PLAN_BYTES) return undefined;
  return {
    code: 'TOO_MANY_ITEMS',
    message: `The plan of ${total} items is ${bytes} bytes, and at most ${MAX_PLAN_BYTES} fit.`,
    hint: 'Narrow the request, or send smaller raw_data.',
  };
}

/** The error for too many batches for one operation; undefined if they fit. */
export function tooManyBatches(total: number, sizes: Sizes): ErrorBody | undefined {
  const batches = batchesIn(rampOf(sizes), total);
  if (batches <= MAX_BATCHES) return undefined;
  return {
    code: 'TOO_MANY_ITEMS',
    message: `${total} items in batches of ${sizes.batch_size} are ${batches} batches, and one operation takes at most ${MAX_BATCHES}.`,
    hint: 'Choose a larger batch_size, or narrow the request.',
  };
}

/** The error for too many items for one operation; undefined if they fit. */
export function tooMany(total: number, limit: number): ErrorBody | undefined {
  if (total <= limit) return undefined;
  return {
    code: 'TOO_MANY_ITEMS',
    message: `${total} items match, and one bulk operation takes at most ${limit}. Please narrow the request.`,
    hint: 'Narrow the query, or split the list into several operations.',
    details: { total, limit },
  };
}

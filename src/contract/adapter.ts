import { z } from 'zod';
import type { Change } from './change';
import type { BulkItem, BulkResult, PreparedBulkContext } from './items';
import type { ItemPreview } from './preview';

const jsonSchema = z.record(z.string(), z.unknown());

/** The description of an adapter for people, models and editors: the output of `batchgate adapters`. */
export const adapterDescriptionSchema = z.object({
  adapter: z.string(),
  item_noun: z.object({ one: z.string(), many: z.string() }),
  actions: z.array(
    z.object({
      action: z.string(),
      description: z.string(),
      /** JSON Schema of `params` where they find the items. */
      params: jsonSchema,
      /** JSON Schema of `params` beside explicit `items`. */
      params_with_items: jsonSchema,
    }),
  ),
});
export type AdapterDescription = z.infer<typeof adapterDescriptionSchema>;

/** The parameters of one action, in their two halves: which items (query) and what to do to them (change). */
export interface AdapterAction {
  readonly description: string;
  /** Its name in questions, with `{items}` for "50 emails": `mark {items} as read`. Default: action and items. */
  readonly phrase?: string;
  /** How "Bulk mark as read on gmail cancelled." names it. Default: the action without its underscores. */
  readonly shortName?: string;
  /** How a question counts the items that are as wished: `already have this label`. Default: `are already so`. */
  readonly already?: string;
  /**
   * Whether the adapter can take the change back. It is then also called with contexts that have `undo: true`: the
   * context of the operation to take back, over items whose `raw_data.undo` is an `UndoData`. `freezeItems` reads them
   * as they are now and keeps `undo`, `previewItem` names conflicts, `executeBatch` restores `undo.to`, and `reconcile`
   * says whether it is restored.
   */
  readonly undo?: true;
  /** Finds the items. Not given when the caller sends explicit `items`. */
  readonly query: z.ZodObject;
  /** The change itself. */
  readonly change: z.ZodObject;
}

/** What `prepare` receives. `explicit_items`: the caller named the items, so `params` holds only the change. */
export interface PrepareRequest {
  readonly action: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly explicit_items: boolean;
  /** The caller's metadata of the operation; it is passed on in the context. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/**
 * The limits of one call to a provider. Every request ends by `deadline` (milliseconds since the epoch) and aborts
 * with `signal`: once the deadline has passed, nothing of this call may reach the provider any more, because
 * reconciliation reads the items back from then on.
 */
export interface CallLimits {
  readonly signal: AbortSignal;
  readonly deadline: number;
  /**
   * Stops the clock of a call that only reads, while it waits for an allowance that it shares with others; the function
   * that it returns lets the clock go on.
   */
  readonly wait?: () => () => void;
}

/** The limits of a call that changes items, and whose items they are: the key of an idempotent change. */
export interface BatchCall extends CallLimits {
  readonly operation_id: string;
  /** The first run of the operation's workflow. With the id it is unique: an id alone may be used again. */
  readonly run_id: string;
  /**
   * Reports the final result of one item before the others have theirs. It is recorded at once, so that a call that
   * never ends, or a worker that dies, does not put it in doubt. The answer of `executeBatch` contains it again.
   */
  readonly onResult?: (result: BulkResult) => void;
}

/** The parameter that a user fills in. */
export interface SuggestRequest {
  readonly parameter: string;
  /** The parameters that are already filled in, as the user typed them. */
  readonly params: Readonly<Record<string, string>>;
}

/** The result of reading one item back: the change was made, it was not made, or the tool cannot tell. */
export type Reconciliation = 'applied' | 'not_applied' | 'unknown';

/**
 * One tool, as primitives (specification A1): no conversation, no continuation, no state between calls, no retry.
 * Throw `BatchgateError`: `INVALID_INPUT` for wrong parameters, `CREDENTIALS_INVALID` when the provider refuses us,
 * `ADAPTER_UNAVAILABLE` when it cannot be reached. An item's own failure is a result, never an exception.
 */
export interface BulkAdapter {
  readonly toolName: string;
  readonly itemNoun?: { readonly one: string; readonly many: string };
  readonly actions: Readonly<Record<string, AdapterAction>>;
  /** How many items one `getNextBatch` of the plan asks for; the provider's page size. Default 100. */
  readonly planPageSize?: number;
  /**
   * How many items one `executeBatch` takes. Intents and results are written around each slice, a cancellation is
   * heard between slices, and a crash leaves at most one slice in between. An adapter with a call an item gives what
   * it runs at once. Default: the whole batch.
   */
  readonly sliceSize?: number;

  /** Validates, resolves names to ids, splits the parameters. Reads no items and touches nothing. */
  prepare(request: PrepareRequest, limits: CallLimits): Promise<PreparedBulkContext>;
  /** The exact number of items that match. */
  getTotalCount(context: PreparedBulkContext, limits: CallLimits): Promise<number>;
  /**
   * At most `batchSize` items after the first `offset`, in an order that stays; empty when there are no more. What the
   * change depends on (an etag, a computed value, the state before) goes into `raw_data`, and a change over an item
   * that is another one by then is that item's error.
   */
  getNextBatch(
    context: PreparedBulkContext,
    batchSize: number,
    offset: number,
    limits: CallLimits,
  ): Promise<BulkItem[]>;
  /**
   * Applies the change to each item and answers one result for each, whatever happens. It may throw a `BatchgateError`
   * only if every item that it touched has been reported to `onResult`, as when the provider refuses our credentials,
   * or everything for a time. The items that it has not reported stay in the plan as they were.
   */
  executeBatch(
    items: readonly BulkItem[],
    context: PreparedBulkContext,
    call: BatchCall,
  ): Promise<BulkResult[]>;
  /**
   * Where the changes are made if the configuration decides that and not the parameters: an address without secrets.
   * The plan freezes it in the context, and a batch is refused if it is another one by then. It sends no request.
   */
  place?(context: PreparedBulkContext): string | Promise<string>;
  /**
   * The parameters of the change whose values depend on the moment, such as `tomorrow`, as `prepare` has read them. An
   * operation over the failed or remaining items is started with these. It sends no request.
   */
  evaluatedParams?(context: PreparedBulkContext): Record<string, unknown>;
  /**
   * Completes items that the caller named by what `getNextBatch` would have given: names, and what the change depends
   * on. One for each, in their order, under the id that the tool itself uses, so that two names of one thing are one
   * item; one that does not exist stays, and fails at its turn. The order is another one only where the tool needs it:
   * rows that refer to others are deleted first. Touches nothing.
   */
  freezeItems?(
    items: readonly BulkItem[],
    context: PreparedBulkContext,
    limits: CallLimits,
  ): Promise<BulkItem[]>;
  /** Reads one item back after a crash or a lost answer. */
  reconcile?(item: BulkItem, context: PreparedBulkContext, call: BatchCall): Promise<Reconciliation>;
  /**
   * The values that a parameter can have, as the names of labels, for users who fill it in; empty for a parameter that
   * it does not know. Touches nothing. batchgate picks those that fit what was typed.
   */
  suggest?(request: SuggestRequest, limits: CallLimits): Promise<readonly string[]>;
  /**
   * What the change does to each item, for the person who confirms it: see `Change`. It sends no request, is the same
   * each time, and holds no secret. Its texts are cut to their lengths. Default: the action's phrase, the parameters of
   * the change as fields, and "Cannot be undone", because nothing says that it can.
   */
  describeChange?(context: PreparedBulkContext): Change;
  /**
   * What the change does to one item, from what the plan froze in `raw_data`: see `ItemPreview`. It sends no request
   * and is the same each time. Default: nothing is known.
   */
  previewItem?(item: BulkItem, context: PreparedBulkContext): ItemPreview;
  /**
   * What the items of a plan have in common that the change alone does not tell, from what was frozen, in a phrase
   * without a full stop: `2 rows, and 300 rows of 2 other tables`. It stands on the line above the question.
   */
  describeItems?(items: readonly BulkItem[], context: PreparedBulkContext): string | undefined;
}

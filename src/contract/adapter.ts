import { z } from 'zod';
import type { Change } from './change';
import type { BulkItem, BulkResult, PreparedBulkContext } from './items';
import type { itemPreviewSchema } from './preview';

const jsonSchema = z.record(z.string(), z.unknown());

/** The description of an adapter for people, models and editors: the output of `batchgate adapters`. */
export const adapterDescriptionSchema = z.object({
  adapter: z.string(),
  item_noun: z.object({ one: z.string(), many: z.string() }),
  actions: z.array(
    z.object({
      action: z.string(),
      description: z.string(),
      /** JSON Schema of `params` for a search. */
      params: jsonSchema,
      /** JSON Schema of `params` for named `items`. */
      params_with_items: jsonSchema,
      /** The parameters of the change that a person may edit in a question, unless the operator has fixed them. */
      editable: z.array(z.string()).optional(),
    }),
  ),
});
export type AdapterDescription = z.infer<typeof adapterDescriptionSchema>;

/**
 * The limits of one call to a provider. Every request must end by `deadline` (milliseconds since the epoch) and abort
 * with `signal`. After the deadline no request of this call may reach the provider, because reconciliation then reads
 * the items back.
 */
export interface CallLimits {
  readonly signal: AbortSignal;
  readonly deadline: number;
  /**
   * Stops the clock of a call that only reads, while it waits for an allowance that it shares with other calls. The
   * returned function starts the clock again.
   */
  readonly wait?: () => () => void;
}

/**
 * The primitives of one tool (specification A1): no conversation, no continuation, no state between calls, no retry.
 * Throw `BatchgateError`: `INVALID_INPUT` for wrong parameters, `CREDENTIALS_INVALID` if the provider refuses the
 * credentials, `ADAPTER_UNAVAILABLE` if it cannot be reached. The failure of an item is a result, never an exception.
 */
export interface BulkAdapter {
  readonly toolName: string;
  readonly itemNoun?: { readonly one: string; readonly many: string };
  /** The actions. The parameters of each have two parts: which items (query), and what to do to them (change). */
  readonly actions: Readonly<
    Record<
      string,
      {
        readonly description: string;
        /**
         * The action in questions, with `{items}` for "50 emails": `mark {items} as read`. Default: the action and the
         * items.
         */
        readonly phrase?: string;
        /**
         * The action in a sentence such as "Bulk mark as read on gmail cancelled." Default: the action without
         * underscores.
         */
        readonly shortName?: string;
        /** A predicate for items that need no change: `already have this label`. Default: `are already so`. */
        readonly already?: string;
        /**
         * Set it if the adapter can undo the change. The adapter is then also called with contexts that have `undo:
         * true`: the context of the operation to undo, and items whose `raw_data.undo` is an `UndoData`. `freezeItems`
         * reads their current state and keeps `undo`, `previewItem` names conflicts, `executeBatch` restores `undo.to`,
         * and `reconcile` returns whether it is restored.
         */
        readonly undo?: true;
        /** The parameters of the search. Not used if the caller names the `items`. */
        readonly query: z.ZodObject;
        /** The parameters of the change. */
        readonly change: z.ZodObject;
        /** Parameters of the change that locate its items, such as their table. They cannot be edited later. */
        readonly selects?: readonly string[];
      }
    >
  >;
  /** The batch size of `getNextBatch` while the items are planned: the provider's page size. Default: 100. */
  readonly planPageSize?: number;
  /**
   * The number of items in one call of `executeBatch`. Intents and results are recorded before and after each slice, a
   * cancellation stops the batch between two slices, and a crash leaves at most one slice unknown. If you send one
   * request per item, set this to your concurrency. Default: the whole batch.
   */
  readonly sliceSize?: number;

  /**
   * Validates the parameters, resolves names to ids, and separates the query from the change. Reads no items and
   * changes nothing. If `explicit_items` is true, the caller named the items, and `params` holds only the change.
   */
  prepare(
    request: {
      readonly action: string;
      readonly params: Readonly<Record<string, unknown>>;
      readonly explicit_items: boolean;
      /** The metadata that the caller gave the operation. Pass it on in the context. */
      readonly metadata?: Readonly<Record<string, unknown>>;
    },
    limits: CallLimits,
  ): Promise<PreparedBulkContext>;
  /** Returns the exact number of items that match. */
  getTotalCount(context: PreparedBulkContext, limits: CallLimits): Promise<number>;
  /**
   * Returns at most `batchSize` items after the first `offset`, in a stable order; an empty list after the last item.
   * Put into `raw_data` what the change depends on: an etag, a computed value, the state before. If the item differs
   * from it when the batch runs, that is an error of the item.
   */
  getNextBatch(
    context: PreparedBulkContext,
    batchSize: number,
    offset: number,
    limits: CallLimits,
  ): Promise<BulkItem[]>;
  /**
   * Applies the change to each item, and always returns one result for each. It may throw a `BatchgateError`
   * (the provider refuses the credentials, or all requests for a time) only if every item that it touched has been
   * reported to `onResult`. Items that were not reported stay in the plan.
   */
  executeBatch(
    items: readonly BulkItem[],
    context: PreparedBulkContext,
    call: CallLimits & {
      /** The operation; with `run_id`, a key for idempotent changes. */
      readonly operation_id: string;
      /**
       * The first run of the operation's workflow. The id and the run together are unique; an id alone may be used
       * again.
       */
      readonly run_id: string;
      /**
       * Reports the final result of one item while others are still running. The result is recorded at once, so the
       * item is not in doubt if the call never ends or the worker dies. Return the result from `executeBatch` too.
       */
      readonly onResult?: (result: BulkResult) => void;
    },
  ): Promise<BulkResult[]>;
  /**
   * Returns the address of the changes, without secrets, if it depends on the configuration and not on the parameters.
   * The plan freezes the address in the context, and a batch is refused if it has changed. Sends no request.
   */
  place?(context: PreparedBulkContext): string | Promise<string>;
  /**
   * Returns the parameters of the change that depend on the time, such as `tomorrow`, with the values that `prepare`
   * gave them. A follow-up over failed or remaining items starts with these values. Sends no request.
   */
  evaluatedParams?(context: PreparedBulkContext): Record<string, unknown>;
  /**
   * Returns the parameters that name an object of the tool, such as a table or a label, as the tool spells it. Policies
   * read these values in place of what was typed, so that no other spelling leads past them. The same object always has
   * the same value, and another object never has it. `items`: those of the plan. Changes nothing.
   */
  resolvedParams?(
    context: PreparedBulkContext,
    items: readonly BulkItem[],
    limits: CallLimits,
  ): Record<string, unknown> | Promise<Record<string, unknown>>;
  /**
   * Completes named items with the data that `getNextBatch` would have returned: names, and what the change depends on.
   * Returns one item for each, in the same order, under the id that the tool uses, so that two names of one thing
   * become one item. An item that does not exist is returned unchanged and fails later. Change the order only if the
   * tool needs it: rows that refer to others are deleted first. Changes nothing in the tool.
   */
  freezeItems?(
    items: readonly BulkItem[],
    context: PreparedBulkContext,
    limits: CallLimits,
  ): Promise<BulkItem[]>;
  /**
   * Reads one item back after a crash or a lost answer. Returns `unknown` if the tool cannot determine whether the
   * change was made.
   */
  reconcile?(
    item: BulkItem,
    context: PreparedBulkContext,
    call: Parameters<BulkAdapter['executeBatch']>[2],
  ): Promise<'applied' | 'not_applied' | 'unknown'>;
  /**
   * Returns the possible values of a parameter, such as the names of labels; an empty list for an unknown parameter.
   * Changes nothing. batchgate selects those that match what the user typed.
   */
  suggest?(
    request: {
      readonly parameter: string;
      /** The parameters that are already filled in, as the user typed them. */
      readonly params: Readonly<Record<string, string>>;
    },
    limits: CallLimits,
  ): Promise<readonly string[]>;
  /**
   * Describes the change for the person who confirms it: see `Change`. Sends no request, returns the same each time,
   * and reveals no secret. Long texts are cut. Default: the action's phrase, the parameters of the change as fields,
   * and "Cannot be undone".
   */
  describeChange?(context: PreparedBulkContext): Change;
  /**
   * Describes what the change does to one item, from its frozen `raw_data`: see `ItemPreview`. Sends no request, and
   * returns the same each time. Default: an empty preview.
   */
  previewItem?(item: BulkItem, context: PreparedBulkContext): z.infer<typeof itemPreviewSchema>;
  /**
   * Describes the items of a plan together, from their frozen data, in a phrase without a full stop: `2 rows, and 300
   * rows of 2 other tables`. It is shown on the line above the question.
   */
  describeItems?(items: readonly BulkItem[], context: PreparedBulkContext): string | undefined;
}

/** One action of an adapter. */
export type AdapterAction = BulkAdapter['actions'][string];
/** The input of `prepare`. */
export type PrepareRequest = Parameters<BulkAdapter['prepare']>[0];
/** The limits of a call that changes items, and the ids of the operation. */
export type BatchCall = Parameters<BulkAdapter['executeBatch']>[2];
/** A parameter that a user is filling in. */
export type SuggestRequest = Parameters<NonNullable<BulkAdapter['suggest']>>[0];
/** The result of reading one item back. */
export type Reconciliation = Awaited<ReturnType<NonNullable<BulkAdapter['reconcile']>>>;

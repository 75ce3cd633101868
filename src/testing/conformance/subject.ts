import type { BulkAdapter } from '../../contract/adapter';
import type { BulkItem } from '../../contract/items';

/** A provider with items, its adapter, and direct access to the provider's data. Each case gets a new one. */
export interface ConformanceWorld {
  /** Returns a new adapter over this provider, each time. */
  adapter(): BulkAdapter;
  /**
   * At least one request per action. Each matches at least 12 unchanged items; `concurrency` + 2 of them must remain
   * after every earlier request has used as many. `params` are the parameters that a user would send. With `items` (at
   * least four, for an adapter without search), `params` holds only the parameters of the change.
   */
  readonly requests: readonly {
    readonly action: string;
    readonly params: Readonly<Record<string, unknown>>;
    readonly items?: readonly BulkItem[];
    /** An item that this request cannot change, of a kind that it can change. Default: `missing` of the world. */
    readonly unfit?: BulkItem;
  }[];
  /** Additional requests that create something first, such as a label. Only a batch may create it. */
  readonly making?: readonly ConformanceWorld['requests'][number][];
  /** Returns the ids that match the request, according to the provider's data. */
  matching(request: ConformanceWorld['requests'][number]): Promise<readonly string[]>;
  /** Returns true if the item shows the request's change. */
  isChanged(item_id: string, request: ConformanceWorld['requests'][number]): Promise<boolean>;
  /** Returns all visible data of the provider, for comparison before and after. */
  state(): Promise<unknown>;
  /** Removes an item, as another user would. */
  remove(item_id: string): Promise<void>;
  /** Adds one more item that matches every request. */
  readonly add?: () => Promise<void>;
  /** An item in the provider's format that does not exist. */
  readonly missing: BulkItem;
  /**
   * Returns the calls since the last `forgetCalls`, in order: `lookup` resolves names to ids, `list` searches for
   * items, `read` reads one item, `write` changes something. `item_id`: the item, if the call concerns one.
   */
  calls(): readonly { readonly kind: 'lookup' | 'list' | 'read' | 'write'; readonly item_id?: string }[];
  forgetCalls(): void;
  /**
   * Gives the provider a fault, for every call of a kind or only for the calls of one item. `undefined` removes it:
   * - `limited`: it answers with a rate limit (429), and does nothing.
   * - `broken`: it answers with a server error (503), and does nothing.
   * - `missing`: it answers that the target does not exist, and does nothing.
   * - `refused`: it refuses our credentials and repeats them in its message, and does nothing.
   * - `malformed`: it executes the request, and answers success in a shape that does not match the API.
   * - `hollow`: it does nothing, and answers success in a shape that does not match the API.
   * - `reset`: it executes the request, and the connection breaks before the answer.
   * - `silence`: it does nothing, and never answers.
   */
  fail(
    rule:
      | {
          readonly fault:
            'limited' | 'broken' | 'missing' | 'refused' | 'malformed' | 'hollow' | 'reset' | 'silence';
          readonly on: 'lookup' | 'list' | 'read' | 'write';
          readonly item_id?: string;
        }
      | undefined,
  ): void;
  /** Names that do not exist, and names with their ids. Without it, exempt the case `resolves-names`. */
  readonly names?: {
    readonly unknown: readonly ConformanceWorld['requests'][number][];
    readonly resolved: readonly {
      readonly request: ConformanceWorld['requests'][number];
      readonly id: string;
    }[];
  };
  /** Changes an item as another user would, so that the request no longer means what was confirmed. */
  readonly disturb?: (item_id: string, request: ConformanceWorld['requests'][number]) => Promise<void>;
  /**
   * Sets the value that the request changed to a third value, as another user would. Returns false if there is no third
   * value, as for a label that an item has or lacks. Without it, conflicts of an undo are not tested.
   */
  readonly overwrite?: (item_id: string, request: ConformanceWorld['requests'][number]) => Promise<boolean>;
  /** Values that must never be visible outside a request: tokens, passwords. */
  readonly secrets: readonly string[];
  /** Returns the maximum number of concurrent calls since the last `forgetCalls`. */
  mostAtOnce(): number;
  close(): Promise<void>;
}

/** One bulk operation's request. */
export type ConformanceRequest = ConformanceWorld['requests'][number];
/** One call to the provider. */
export type ProviderCall = ReturnType<ConformanceWorld['calls']>[number];
export type FaultRule = NonNullable<Parameters<ConformanceWorld['fail']>[0]>;
/** A fault of the provider. */
export type Fault = FaultRule['fault'];

/** One requirement for every adapter. `run` throws if it is not met. */
export interface ConformanceCase {
  readonly id: string;
  /** The behaviour, as the rest of the sentence "The adapter …". */
  readonly title: string;
  run(world: ConformanceWorld, limits: { readonly concurrency: number }): Promise<void>;
}

import type { BulkAdapter } from '../../contract/adapter';
import type { BulkItem } from '../../contract/items';

/** A provider with items, its adapter, and direct access to the provider's data. Each case gets a new one. */
export interface ConformanceWorld {
  /** A new adapter over this provider, each time. */
  adapter(): BulkAdapter;
  /**
   * At least one request per action. Each matches at least 12 unchanged items. After the earlier requests have each
   * used that many, at least `concurrency` + 2 remain. `params`: as a user would send them. With `items` (at least
   * four, for an adapter without search), only those of the change.
   */
  readonly requests: readonly {
    readonly action: string;
    readonly params: Readonly<Record<string, unknown>>;
    readonly items?: readonly BulkItem[];
    /** An item that this request cannot change, though others of its kind it can. Default: `missing` of the world. */
    readonly unfit?: BulkItem;
  }[];
  /** More requests whose change first creates something, such as a label. Only a batch may create it. */
  readonly making?: readonly ConformanceWorld['requests'][number][];
  /** Returns the ids that match the request, according to the provider's data. */
  matching(request: ConformanceWorld['requests'][number]): Promise<readonly string[]>;
  /** Whether the item shows the request's change. */
  isChanged(item_id: string, request: ConformanceWorld['requests'][number]): Promise<boolean>;
  /** Returns all visible data of the provider, for comparison before and after. */
  state(): Promise<unknown>;
  /** Removes an item, as another user would. */
  remove(item_id: string): Promise<void>;
  /** Adds one more item that matches every request. */
  readonly add?: () => Promise<void>;
  /** An item that looks like one of the provider's, and does not exist. */
  readonly missing: BulkItem;
  /**
   * The calls since the last `forgetCalls`, in order: `lookup` finds ids for names, `list` finds items, `read` reads
   * one, `write` changes something. `item_id`: the item, if the call concerns one.
   */
  calls(): readonly { readonly kind: 'lookup' | 'list' | 'read' | 'write'; readonly item_id?: string }[];
  forgetCalls(): void;
  /**
   * From now on the provider has this fault, on every call of this kind or only on those of one item; or none:
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
  /** Names that do not exist, and the ids of names. Without it, the case of names needs an exemption. */
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
   * Changes the value that the request changed to a third value, as another user would. False if there is none, as for
   * a label that an item has or lacks. Without it, conflicts of an undo are not tested.
   */
  readonly overwrite?: (item_id: string, request: ConformanceWorld['requests'][number]) => Promise<boolean>;
  /** Values that must never be visible outside a request: tokens, passwords. */
  readonly secrets: readonly string[];
  /** The maximum of concurrent calls since the last `forgetCalls`. */
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

import type { BulkAdapter } from '../../contract/adapter';
import type { BulkItem } from '../../contract/items';

/**
 * The purpose of a call to the provider: `lookup` finds ids for names, `list` finds items, `read` reads one, `write`
 * changes something.
 */
export interface ProviderCall {
  readonly kind: 'lookup' | 'list' | 'read' | 'write';
  /** The item, if the call concerns one. */
  readonly item_id?: string;
}

/**
 * How the provider misbehaves:
 * - `limited`: it answers with a rate limit (429), and does nothing.
 * - `broken`: it answers with a server error (503), and does nothing.
 * - `missing`: it answers that the target does not exist, and does nothing.
 * - `refused`: it refuses our credentials and repeats them in its message, and does nothing.
 * - `malformed`: it executes the request, and answers success in a shape that does not match the API.
 * - `hollow`: it does nothing, and answers success in a shape that does not match the API.
 * - `reset`: it executes the request, and the connection breaks before the answer.
 * - `silence`: it does nothing, and never answers.
 */
export type Fault =
  'limited' | 'broken' | 'missing' | 'refused' | 'malformed' | 'hollow' | 'reset' | 'silence';

/** The fault applies to every call of this kind, or only to those of one item. */
export interface FaultRule {
  readonly fault: Fault;
  readonly on: ProviderCall['kind'];
  readonly item_id?: string;
}

/** One bulk operation's request, as a user would send it. */
export interface ConformanceRequest {
  readonly action: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** For an adapter without search: at least four items. Then `params` contains only the change. */
  readonly items?: readonly BulkItem[];
}

/** A provider with items, its adapter, and direct access to the provider's data. Each case gets a new one. */
export interface ConformanceWorld {
  /** A new adapter over this provider, each time. */
  adapter(): BulkAdapter;
  /**
   * At least one for each action. Each finds at least 12 unchanged items. After the earlier requests each used that
   * many, at least `concurrency` + 2 remain.
   */
  readonly requests: readonly ConformanceRequest[];
  /** More requests whose change first creates something, such as a label. Only a batch may create it. */
  readonly making?: readonly ConformanceRequest[];
  /** The ids that the request finds, according to the provider's data. */
  matching(request: ConformanceRequest): Promise<readonly string[]>;
  /** Whether the item shows the request's change. */
  isChanged(item_id: string, request: ConformanceRequest): Promise<boolean>;
  /** All data of the provider that people see, for comparison before and after. */
  state(): Promise<unknown>;
  /** Removes an item, as another user would. */
  remove(item_id: string): Promise<void>;
  /** Adds one more item that every request finds. */
  readonly add?: () => Promise<void>;
  /** An item that looks like one of the provider's, and does not exist. */
  readonly missing: BulkItem;
  /** The calls since the last `forgetCalls`, in order. */
  calls(): readonly ProviderCall[];
  forgetCalls(): void;
  /** From now on the provider has this fault, or none. */
  fail(rule: FaultRule | undefined): void;
  /** Names that do not exist, and the ids of names. Without it, the case of names needs an exemption. */
  readonly names?: {
    readonly unknown: readonly ConformanceRequest[];
    readonly resolved: readonly { readonly request: ConformanceRequest; readonly id: string }[];
  };
  /** Changes an item as another user would, so that the request no longer means what was confirmed. */
  readonly disturb?: (item_id: string, request: ConformanceRequest) => Promise<void>;
  /**
   * Changes the value that the request changed to a third value, as another user would. False if there is none, as for
   * a label that an item has or lacks. Without it, conflicts of an undo are not tested.
   */
  readonly overwrite?: (item_id: string, request: ConformanceRequest) => Promise<boolean>;
  /** Values that must never be visible outside a request: tokens, passwords. */
  readonly secrets: readonly string[];
  /** The maximum of concurrent calls since the last `forgetCalls`. */
  mostAtOnce(): number;
  close(): Promise<void>;
}

export interface ConformanceSubject {
  open(): Promise<ConformanceWorld>;
  /** Cases that do not apply, by id, with the reason that the verdict shows. */
  readonly exempt?: Readonly<Record<string, string>>;
  /** The limit of concurrent calls. Default 5. */
  readonly concurrency?: number;
}

/** One requirement for every adapter. `run` throws if it is not met. */
export interface ConformanceCase {
  readonly id: string;
  /** The behaviour, as the rest of the sentence "The adapter …". */
  readonly title: string;
  run(world: ConformanceWorld, limits: { readonly concurrency: number }): Promise<void>;
}

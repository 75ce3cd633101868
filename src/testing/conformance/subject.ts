import type { BulkAdapter } from '../../contract/adapter';
import type { BulkItem } from '../../contract/items';

/**
 * What a call to the provider was for: `lookup` finds ids for names, `list` finds items, `read` looks at one,
 * `write` changes something.
 */
export interface ProviderCall {
  readonly kind: 'lookup' | 'list' | 'read' | 'write';
  /** The one item that it concerns, where it is one. */
  readonly item_id?: string;
}

/**
 * How the provider misbehaves:
 * - `limited`: it says that we ask too often, and does nothing.
 * - `broken`: it answers with an error of its own (503), and does nothing.
 * - `missing`: it says that there is no such thing, and does nothing.
 * - `refused`: it refuses our credentials, repeating them in its words, and does nothing.
 * - `malformed`: it does what was asked, and answers success in a shape that is not the API's.
 * - `hollow`: it does nothing, and answers success in a shape that is not the API's.
 * - `reset`: it does what was asked, and the connection breaks before the answer.
 * - `silence`: it does nothing, and never answers.
 */
export type Fault =
  'limited' | 'broken' | 'missing' | 'refused' | 'malformed' | 'hollow' | 'reset' | 'silence';

/** Every call of this kind, and of this item where one is named, is answered so. */
export interface FaultRule {
  readonly fault: Fault;
  readonly on: ProviderCall['kind'];
  readonly item_id?: string;
}

/** One bulk operation's request, as a user would send it. */
export interface ConformanceRequest {
  readonly action: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** For an adapter that finds nothing by itself: the items, at least four. Then `params` holds only the change. */
  readonly items?: readonly BulkItem[];
}

/** A provider with things in it, the adapter before it, and the truth past the adapter. A new one for each case. */
export interface ConformanceWorld {
  /** A new adapter over this provider, each time. */
  adapter(): BulkAdapter;
  /**
   * At least one for each action. Each finds at least 12 items, none of them changed yet, and `concurrency` + 2 of them
   * are left when the requests before it have taken as many.
   */
  readonly requests: readonly ConformanceRequest[];
  /** Further requests whose change first makes something that it needs, as a label: only a batch may make it. */
  readonly making?: readonly ConformanceRequest[];
  /** The ids that the request finds, as the provider itself knows. */
  matching(request: ConformanceRequest): Promise<readonly string[]>;
  /** Whether the item shows the request's change. */
  isChanged(item_id: string, request: ConformanceRequest): Promise<boolean>;
  /** Everything that the provider holds, to be compared before and after. */
  state(): Promise<unknown>;
  /** Takes an item away, as somebody else would. */
  remove(item_id: string): Promise<void>;
  /** Puts in one more item that every request finds. */
  readonly add?: () => Promise<void>;
  /** An item that looks like one of the provider's, and does not exist. */
  readonly missing: BulkItem;
  /** The calls since the last `forgetCalls`, in order. */
  calls(): readonly ProviderCall[];
  forgetCalls(): void;
  /** From here on the provider misbehaves so, or no longer. */
  fail(rule: FaultRule | undefined): void;
  /** Names that do not exist, and ids that stand behind names. Without it, the case of names needs an exemption. */
  readonly names?: {
    readonly unknown: readonly ConformanceRequest[];
    readonly resolved: readonly { readonly request: ConformanceRequest; readonly id: string }[];
  };
  /** Changes an item as somebody else would, so that the request's change no longer means what was confirmed. */
  readonly disturb?: (item_id: string, request: ConformanceRequest) => Promise<void>;
  /** What must never be seen outside a request: tokens, passwords. */
  readonly secrets: readonly string[];
  /** The most calls under way at once since the last `forgetCalls`. */
  mostAtOnce(): number;
  close(): Promise<void>;
}

export interface ConformanceSubject {
  open(): Promise<ConformanceWorld>;
  /** Cases that cannot apply, by id, each with its reason; it is shown with the verdict. */
  readonly exempt?: Readonly<Record<string, string>>;
  /** Calls that may be under way at once. Default 5. */
  readonly concurrency?: number;
}

/** One demand on every adapter. `run` throws when it is not met. */
export interface ConformanceCase {
  readonly id: string;
  /** What the adapter does, as the rest of a sentence. */
  readonly title: string;
  run(world: ConformanceWorld, limits: { readonly concurrency: number }): Promise<void>;
}

import type { z } from 'zod';
import type { BulkAdapter, CallLimits } from '../../../src/contract/adapter';
import type { Change } from '../../../src/contract/change';
import type { itemPreviewSchema, itemStateSchema, stateValueSchema } from '../../../src/contract/preview';

/** One item of the tool in its current state. */
export interface ToolItem<S extends Readonly<Record<string, unknown>> = Readonly<Record<string, unknown>>> {
  /** The tool's own id, even if the request used another name. */
  readonly id: string;
  readonly name: string;
  /** Null for an item that is deleted and can still be read. */
  readonly state: S | null;
  /** The condition of the tool's write. Without it, each item is read before it is written. */
  readonly version?: string;
  /** The data that the plan stores with `keepsGiven`. Default: the data that the caller sent with the item. */
  readonly given?: Readonly<Record<string, unknown>>;
  /** Facts for the functions of an action and for `outlook`, which the change does not alter. They are not stored. */
  readonly facts?: Readonly<Record<string, unknown>>;
  /** The reason, in words, that the state contains hashes. Such a state is compared, but neither shown nor restored. */
  readonly unkept?: string;
  /** Named items with a higher rank come first, such as rows before the rows that they refer to. Default 0. */
  readonly rank?: number;
}

/** The tool within the limits of one call. Its functions throw `ProviderFailure`. */
export interface Tool<
  S extends Readonly<Record<string, unknown>> = Readonly<Record<string, unknown>>,
  Q = unknown,
> {
  /** Returns the first `limit` items of the query in a stable order. Items given as ids are read page by page. */
  readonly list?: (query: Q, limit: number) => Promise<(ToolItem<S> | string)[]>;
  /** Returns the exact number of these items. Default: the length of the whole list. */
  readonly count?: (query: Q) => Promise<number>;
  /** Called with up to 100 ids of a list before they are read, so that a tool can read many with one request. */
  readonly ahead?: (ids: readonly string[]) => Promise<void>;
  /** Returns undefined, or fails with status 404 or 410, if there is no such item. `named`: the item in the plan. */
  readonly read: (
    id: string,
    named: {
      /** The name that the caller sent, if the adapter keeps it; else the name in the plan. */
      readonly name: string;
      /** The data that the caller sent with the item, such as the columns of a file, if the adapter keeps it. */
      readonly given: Readonly<Record<string, unknown>>;
      /** The planned state, for a tool whose ids change with the item. For an item to be created: its target. */
      readonly planned?: Readonly<Record<string, unknown>> | null;
      /** In an undo: the data that the write of the change stored with `keep`. */
      readonly kept: Readonly<Record<string, unknown>>;
    },
  ) => Promise<ToolItem<S> | undefined>;
  /** Adds data to items that were read one by one, so that it can be read for all items of a plan together. */
  readonly complete?: (items: readonly ToolItem<S>[]) => Promise<readonly ToolItem<S>[]>;
  /** Returns the names of ids in these states that neither the query nor the change names. */
  readonly names?: (items: readonly ToolItem<S>[]) => Promise<Readonly<Record<string, string>>>;
  /**
   * Writes the state `target` to one item; null deletes it. A failure with the status 412 means that the item has
   * another version. Returns the state if the tool's answer contains it, or null if the answer shows that the item is
   * gone; otherwise the item is read back. `item`: the item as it was last read, with the data of the plan.
   */
  readonly write?: (
    item: Parameters<Tool['read']>[1] & {
      readonly id: string;
      /** Null if the item does not exist, as in the undo of a deletion. */
      readonly state: S | null;
      readonly version?: string;
      /** Stores data from the tool's answer that an undo needs. */
      readonly keep: (data: Readonly<Record<string, unknown>>) => void;
    },
    target: S | null,
  ) => Promise<Partial<S> | null | void>;
  /** Replaces `write`: writes all items of a batch with one call. The items are then read back. */
  readonly writeMany?: (
    items: readonly { item: Parameters<NonNullable<Tool<S>['write']>>[0]; target: S | null }[],
  ) => Promise<void>;
  /** Returns the tool's own record of a write whose answer was lost. Without a record, the item's state decides. */
  readonly outcome?: (
    id: string,
  ) => Promise<Awaited<ReturnType<NonNullable<BulkAdapter['reconcile']>>> | undefined>;
  /** The number of items that this call writes concurrently. Default: `concurrency` of the adapter. */
  readonly concurrency?: number;
}

/** A request whose names are resolved. */
export interface Prepared<Q = unknown, C = unknown> {
  readonly action: string;
  /** Undefined for items that the caller named. */
  readonly query?: Q;
  readonly change: C;
  readonly undo: boolean;
}

/** One action: the parameters that select its items, and the state that it leads to. */
export interface ActionDefinition<
  S extends Readonly<Record<string, unknown>> = Readonly<Record<string, unknown>>,
  Q = unknown,
  C = unknown,
  T = unknown,
> extends Omit<BulkAdapter['actions'][string], 'undo'> {
  /**
   * Resolves names to ids. For `{ id, name }` in the result, previews show the name in place of the id. Reads no items.
   * Default: `resolve` of the adapter, or else the unchanged parameters.
   */
  readonly resolve?: (
    request: {
      readonly action: string;
      readonly explicit_items: boolean;
      readonly query: Record<string, unknown>;
      readonly change: Record<string, unknown>;
    },
    tool: T,
  ) => Promise<{ query?: Q; change: C }>;
  /**
   * Returns the state after the change; null if the change deletes the item. Computed once, when the item is planned.
   * Undefined if it is unknown in advance: then an item counts as changed if its state differs after the write.
   */
  readonly to: (state: S, change: C, item: ToolItem<S>) => S | null | undefined;
  /** Also creates items. For an item that does not exist, `foresee`, `restores` and `to` receive the state null. */
  readonly creates?: true;
  /**
   * The tool completes a created item, for example with defaults. `write` must store the whole resulting state with
   * `keep` as `left`; an item without it cannot be undone.
   */
  readonly completes?: true;
  /** The fields of the state that the action can alter. A preview shows these. Default: all. */
  readonly sets?: readonly (keyof S & string)[];
  /** Returns the reason that the change of an item will fail. Such a change is not sent. */
  readonly foresee?: (state: S, change: C, item: ToolItem<S>) => string | undefined;
  /** False if the tool cannot restore the earlier state. */
  readonly undo?: false;
  /** Returns the extent to which one item can be restored. Default: yes, unless `undo` is false. */
  readonly restores?: (state: S, change: C, item: ToolItem<S>) => Change['reversible'];
  /** The write of this action accepts no version, so the item is read before the write. */
  readonly unconditional?: true;
  /** One or more whole sentences in the imperative. Default: the action's phrase. */
  readonly summary?: (prepared: Prepared<Q, C>) => string;
  /** Returns the values that the action sets, in words. Default: the members of the change. */
  readonly values?: (prepared: Prepared<Q, C>) => Change['fields'];
  /** Describes the items that change together, like `describeItems` of `BulkAdapter`. */
  readonly scope?: (states: readonly S[], change: C) => string | undefined;
  /** Returns the extent to which an operation can be undone, and until when. Default: yes, unless `undo` is false. */
  readonly reversible?: (prepared: Prepared<Q, C>) => Pick<Change, 'reversible' | 'until'>;
}

/** The parts of an adapter that are specific to one tool. */
export interface AdapterDefinition<
  S extends Readonly<Record<string, unknown>> = Readonly<Record<string, unknown>>,
  Q = unknown,
  C = unknown,
  T extends Tool<S, Q> = Tool<S, Q>,
> extends Pick<BulkAdapter, 'place' | 'evaluatedParams'> {
  readonly name: string;
  readonly noun?: { readonly one: string; readonly many: string };
  /** The name of the tool in sentences: `Trello accepted the change`. Default: `name`. */
  readonly provider?: string;
  /** Hints for a failure of a whole call: no login, a missing permission, or a tool that does not answer. */
  readonly hints?: { readonly signIn: string; readonly grant: string; readonly tryLater: string };
  readonly state: z.ZodType<S>;
  /** Fields that the tool may adjust, such as a position. They are written and restored, but never compared. */
  readonly adjusts?: readonly (keyof S & string)[];
  readonly actions: Readonly<Record<string, ActionDefinition<S, Q, C, T>>>;
  /** Stores in the plan the name and the data that the caller sends with an item: for every action, or for these. */
  readonly keepsGiven?: true | readonly string[];
  /** The default for actions without a `resolve` of their own. */
  readonly resolve?: ActionDefinition<S, Q, C, T>['resolve'];
  /** The schemas of the result of `resolve`. Every later call is checked against them. */
  readonly prepared?: { readonly query: z.ZodType<Q>; readonly change: z.ZodType<C> };
  /** Returns the tool for one call, with its deadline and signal. `prepared` is absent while names are resolved. */
  readonly connect: (
    call: CallLimits | Parameters<BulkAdapter['executeBatch']>[2],
    prepared?: Prepared<Q, C>,
  ) => T | Promise<T>;
  /**
   * Formats the fields that are present in a state for display. `name` returns the name of an id. Default: the fields
   * unchanged, with names in place of ids.
   */
  readonly show?: (
    state: Partial<S>,
    name: (id: string | null | undefined) => string | null,
    prepared: Prepared<Q, C>,
  ) => Record<string, z.infer<typeof stateValueSchema> | undefined>;
  /** The display of an item that does not exist, next to the whole state of one that does. Default: `deleted`. */
  readonly gone?: z.infer<typeof itemStateSchema>;
  /** Further fields of a preview, before and after, for other objects that the change of an item alters. */
  readonly beside?: (
    state: S | null,
    target: S | null,
    prepared: Prepared<Q, C>,
  ) => readonly [z.infer<typeof itemStateSchema>, z.infer<typeof itemStateSchema>];
  /**
   * Returns the reason that a write, also of an undo, will probably fail (it is sent anyway), and whether it can be
   * undone.
   */
  readonly outlook?: (
    item: ToolItem<S>,
    target: S | null,
    prepared: Prepared<Q, C>,
  ) => Pick<z.infer<typeof itemPreviewSchema>, 'expected_error' | 'reversible'>;
  /** Returns the parameters that name something, as the tool spells it: see `resolvedParams` of `BulkAdapter`. */
  readonly resolvedParams?: (
    prepared: Prepared<Q, C>,
    tool: T,
    items: Parameters<NonNullable<BulkAdapter['resolvedParams']>>[1],
  ) => ReturnType<NonNullable<BulkAdapter['resolvedParams']>>;
  /** Returns the values that a parameter can have. */
  readonly suggest?: (
    request: Parameters<NonNullable<BulkAdapter['suggest']>>[0],
    tool: T,
  ) => Promise<readonly string[]>;
  /** The number of items that are read or written concurrently. Default 5. */
  readonly concurrency?: number;
  /** The number of items in one page of a plan. Default 100. */
  readonly pageSize?: number;
}

/** The part of an item that a change concerns, in the tool's own ids and canonical values. */
export type State = Readonly<Record<string, unknown>>;
/** An item of the plan. */
export type Named = Parameters<Tool['read']>[1];
/** The item of one write. */
export type WrittenItem<S extends State = State> = Parameters<NonNullable<Tool<S>['write']>>[0];
/** The expected result of the write of an item. */
export type Outlook = ReturnType<NonNullable<AdapterDefinition['outlook']>>;
/** A request before its names are resolved. */
export type Asked = Parameters<NonNullable<ActionDefinition['resolve']>>[0];

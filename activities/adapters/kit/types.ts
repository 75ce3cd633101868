import type { z } from 'zod';
import type { BulkAdapter, CallLimits } from '../../../src/contract/adapter';
import type { Change } from '../../../src/contract/change';
import type { itemPreviewSchema, itemStateSchema, stateValueSchema } from '../../../src/contract/preview';

/** One thing of the tool, as it is now. */
export interface ToolItem<S extends Readonly<Record<string, unknown>> = Readonly<Record<string, unknown>>> {
  /** The tool's own id, whatever other name of it was asked for. */
  readonly id: string;
  readonly name: string;
  /** Null for an item that is deleted and can still be read. */
  readonly state: S | null;
  /** The condition of the tool's write. Without it, each item is read before it is written. */
  readonly version?: string;
  /** Facts for the functions of an action and `outlook` that the change does not alter. They are not kept. */
  readonly facts?: Readonly<Record<string, unknown>>;
  /** Why its state holds hashes in place of values, in words: it is compared, and neither shown nor restored. */
  readonly unkept?: string;
  /** Named items with a higher rank come first: rows before those that they refer to. Default 0. */
  readonly rank?: number;
}

/** The tool within the limits of one call. Its functions throw `ProviderFailure`. */
export interface Tool<
  S extends Readonly<Record<string, unknown>> = Readonly<Record<string, unknown>>,
  Q = unknown,
> {
  /** The first `wanted` items that the query finds, in an order that stays; ids alone are read page by page. */
  readonly list?: (query: Q, wanted: number) => Promise<(ToolItem<S> | string)[]>;
  /** The exact number of them. Default: the length of the whole list. */
  readonly count?: (query: Q) => Promise<number>;
  /** Called with the ids of a list, at most a hundred at once, before they are read: for a tool that reads many with one request. */
  readonly ahead?: (ids: readonly string[]) => Promise<void>;
  /** Undefined, or a failure with the status 404 or 410, where there is none. `named`: the item as the plan has it. */
  readonly read: (
    id: string,
    named: {
      readonly name: string;
      /** The data that the caller gave with the item, such as the columns of a file, if the adapter keeps it. */
      readonly given: Readonly<Record<string, unknown>>;
      /** Its state as the plan knows it, for a tool whose ids do not survive the change; of one to be made, that. */
      readonly planned?: Readonly<Record<string, unknown>> | null;
      /** In an undo: what the write of the change kept. */
      readonly kept: Readonly<Record<string, unknown>>;
    },
  ) => Promise<ToolItem<S> | undefined>;
  /** Adds to items that were read one by one what is read for all of a plan together. */
  readonly complete?: (items: readonly ToolItem<S>[]) => Promise<readonly ToolItem<S>[]>;
  /** Names of the ids in these states, for those that neither the query nor the change names. */
  readonly names?: (items: readonly ToolItem<S>[]) => Promise<Readonly<Record<string, string>>>;
  /**
   * Writes the state `target` to one item; null deletes it. A failure with the status 412 means that the item has
   * another version. Returns the state if the tool's answer shows it, null if it shows that the item is gone; otherwise
   * the item is read back. `item`: as the tool showed it last, and as the plan has it.
   */
  readonly write?: (
    item: Parameters<Tool['read']>[1] & {
      readonly id: string;
      /** Null where the item does not exist, as in the undo of a deletion. */
      readonly state: S | null;
      readonly version?: string;
      /** Keeps data from the tool's answer that an undo needs. */
      readonly keep: (data: Readonly<Record<string, unknown>>) => void;
    },
    target: S | null,
  ) => Promise<Partial<S> | null | void>;
  /** Instead of `write`: one call for all items of a batch, which are then read back. */
  readonly writeMany?: (
    items: readonly { item: Parameters<NonNullable<Tool<S>['write']>>[0]; target: S | null }[],
  ) => Promise<void>;
  /** The tool's own record of a write whose answer was lost. Default, and if it has none: the state of the item tells. */
  readonly outcome?: (
    id: string,
  ) => Promise<Awaited<ReturnType<NonNullable<BulkAdapter['reconcile']>>> | undefined>;
  /** Items that this call writes at once. Default: `concurrency` of the adapter. */
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

/** One action: what finds its items, and what it makes of their states. */
export interface ActionDefinition<
  S extends Readonly<Record<string, unknown>> = Readonly<Record<string, unknown>>,
  Q = unknown,
  C = unknown,
  T = unknown,
> extends Omit<BulkAdapter['actions'][string], 'undo'> {
  /**
   * Resolves names to ids: `{ id, name }` in the result is also how people read the id. Reads no items. Default: the
   * adapter's own, or the parameters as they are.
   */
  readonly resolve?: (
    asked: {
      readonly action: string;
      readonly explicit_items: boolean;
      readonly query: Record<string, unknown>;
      readonly change: Record<string, unknown>;
    },
    tool: T,
  ) => Promise<{ query?: Q; change: C }>;
  /**
   * The state after the change; null if the item no longer exists. Computed once, when the item is planned. Undefined if
   * only the tool can tell: an item whose state is another one after the write was changed then.
   */
  readonly to: (state: S, change: C, item: ToolItem<S>) => S | null | undefined;
  /** It also makes items: `foresee`, `restores` and `to` are called with the state null for those that do not exist. */
  readonly creates?: true;
  /**
   * The tool completes what is made, by defaults for example: its write keeps the whole state that it left as `left`,
   * and an item without it cannot be undone.
   */
  readonly completes?: true;
  /** The fields of the state that it can alter: a preview shows these. Default: all. */
  readonly sets?: readonly (keyof S & string)[];
  /** Why the change of an item will fail: it is then not sent. */
  readonly foresee?: (state: S, change: C, item: ToolItem<S>) => string | undefined;
  /** False: the tool cannot restore what was before. */
  readonly undo?: false;
  /** How far one item can be restored. Default: yes, unless `undo` is false. */
  readonly restores?: (state: S, change: C, item: ToolItem<S>) => Change['reversible'];
  /** The write of this action takes no version: the item is read before it. */
  readonly unconditional?: true;
  /** One or more whole sentences in the imperative. Default: the action's phrase. */
  readonly summary?: (prepared: Prepared<Q, C>) => string;
  /** The values that it sets, in words. Default: the members of the change. */
  readonly values?: (prepared: Prepared<Q, C>) => Change['fields'];
  /** Describes the items that change together, like `describeItems` of `BulkAdapter`. */
  readonly scope?: (states: readonly S[], change: C) => string | undefined;
  /** Whether the changes of an operation can be undone, and until when. Default: yes, unless `undo` is false. */
  readonly reversible?: (prepared: Prepared<Q, C>) => Pick<Change, 'reversible' | 'until'>;
}

/** Everything about one tool that is not the same for all tools. */
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
  /** What to do about a failure of a whole call: no login, a missing right, a tool that does not answer. */
  readonly hints?: { readonly signIn: string; readonly grant: string; readonly tryLater: string };
  readonly state: z.ZodType<S>;
  /** Fields that the tool may adjust, such as a place in an order: they are written and restored, never compared. */
  readonly adjusts?: readonly (keyof S & string)[];
  readonly actions: Readonly<Record<string, ActionDefinition<S, Q, C, T>>>;
  /** The plan keeps what the caller gives with an item: for each action, or for these. */
  readonly keepsGiven?: true | readonly string[];
  /** The default for actions without their own. */
  readonly resolve?: ActionDefinition<S, Q, C, T>['resolve'];
  /** The shapes of what `resolve` returns, which every later call is checked against. */
  readonly prepared?: { readonly query: z.ZodType<Q>; readonly change: z.ZodType<C> };
  /** One call's client, with its deadline and signal. `prepared` is absent while names are resolved. */
  readonly connect: (
    call: CallLimits | Parameters<BulkAdapter['executeBatch']>[2],
    prepared?: Prepared<Q, C>,
  ) => T | Promise<T>;
  /**
   * The state as people read it, of the fields that are there. `name`: the name of an id. Default: the fields as they
   * are, with names for ids.
   */
  readonly show?: (
    state: Partial<S>,
    name: (id: string | null | undefined) => string | null,
    prepared: Prepared<Q, C>,
  ) => Record<string, z.infer<typeof stateValueSchema> | undefined>;
  /** How people read an item that does not exist, beside the whole state of one that does. Default: `deleted`. */
  readonly gone?: z.infer<typeof itemStateSchema>;
  /** Other things that a change alters along with an item: further fields of its preview, before and after. */
  readonly beside?: (
    state: S | null,
    target: S | null,
    prepared: Prepared<Q, C>,
  ) => readonly [z.infer<typeof itemStateSchema>, z.infer<typeof itemStateSchema>];
  /**
   * Why the write of an item, of an undo too, will probably fail, though it is sent, and how far it can be restored.
   */
  readonly outlook?: (
    item: ToolItem<S>,
    target: S | null,
    prepared: Prepared<Q, C>,
  ) => Pick<z.infer<typeof itemPreviewSchema>, 'expected_error' | 'reversible'>;
  /** The values that a parameter can have. */
  readonly suggest?: (
    request: Parameters<NonNullable<BulkAdapter['suggest']>>[0],
    tool: T,
  ) => Promise<readonly string[]>;
  /** Items that are read or written at once. Default 5. */
  readonly concurrency?: number;
  /** How many items one call of `list` gives at most. Default 100. */
  readonly pageSize?: number;
}

/** The part of an item that a change concerns, in the tool's own ids and canonical values. */
export type State = Readonly<Record<string, unknown>>;
/** An item as the plan has it. */
export type Named = Parameters<Tool['read']>[1];
/** The item of one write. */
export type WrittenItem<S extends State = State> = Parameters<NonNullable<Tool<S>['write']>>[0];
/** What the write of an item will probably come to. */
export type Outlook = ReturnType<NonNullable<AdapterDefinition['outlook']>>;
/** A request before its names are resolved. */
export type Asked = Parameters<NonNullable<ActionDefinition['resolve']>>[0];

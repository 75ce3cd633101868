import { z } from 'zod';
import { utf8Length, MAX_RAW_DATA_BYTES, type BulkItem } from '../../../src/contract/items';
import { canonicalJson, digestOf } from '../../../src/core/shared/canonical';
import { undoOf } from '../shared/frozen-state';
import type { Named, State } from './types';

const stateSchema = z.record(z.string(), z.unknown()).nullable();

const knownSchema = z.object({
  /** The state when the item was planned; null if the item did not exist. */
  state: stateSchema.optional(),
  /** The hash of a state that is too large to be stored. The item can be compared, but not restored. */
  digest: z.string().optional(),
  /** The fields that the target changes; null if the change deletes the item. */
  to: stateSchema,
  /** The target is unknown until the tool has made the change. */
  open: z.literal(true).optional(),
  /** The tool adds fields to an item that it creates: see `ActionDefinition.completes`. */
  completed: z.literal(true).optional(),
  version: z.string().optional(),
  given: z.record(z.string(), z.unknown()).optional(),
  /** The name that the caller sent, if it differs from its form for display. */
  given_name: z.string().optional(),
  names: z.record(z.string(), z.string()).optional(),
  /** Other names by which the request named the item. */
  named: z.array(z.string()).optional(),
  /** The reason that the change is not sent. */
  refused: z.string().optional(),
  /** The reason that the change will probably fail. */
  expected: z.string().optional(),
  /** The reason that the state can be compared, but neither shown nor restored. */
  unkept: z.string().optional(),
  restores: z.enum(['yes', 'partly', 'no']).optional(),
});

/** The data of an item in the plan: its state and its target. */
export type Known = z.infer<typeof knownSchema>;
const missingSchema = z.object({ missing: z.string() });
const givenSchema = z.object({ given: z.record(z.string(), z.unknown()), given_name: z.string().optional() });

/** An item that could not be read, with the reason. */
type Missing = z.infer<typeof missingSchema> &
  Pick<Known, 'given' | 'given_name' | 'names' | 'named' | 'state'>;

export function knownOf(raw: unknown): Known | undefined {
  const { data } = knownSchema.safeParse(raw);
  return data && (data.state !== undefined || data.digest !== undefined) ? data : undefined;
}
export function missingOf({ raw_data }: { raw_data?: unknown }): string | undefined {
  return missingSchema.safeParse(raw_data).data?.missing;
}

/** Returns an item as the caller named it, or as the plan contains it. */
export function namedOf(item: BulkItem, undo: boolean): Named {
  const { display_name, raw_data = {} } = item;
  const undoData = undo ? undoOf(item, { undo }) : undefined;
  const { given = undo ? {} : raw_data, given_name: name = display_name } =
    givenIn(raw_data) ?? givenIn(undoData?.to) ?? {};
  const known = knownOf(raw_data) ?? knownOf(undoData?.to);
  const planned = known?.state ?? known?.to;
  return {
    ...{ name, given, kept: undoData?.kept ?? {} },
    ...(planned !== undefined && { planned }),
  };
}

function givenIn(raw: unknown): z.infer<typeof givenSchema> | undefined {
  const isPlanned = knownOf(raw) !== undefined || missingOf({ raw_data: raw }) !== undefined;
  return isPlanned ? givenSchema.safeParse(raw).data : undefined;
}

/** Returns true if the data of an item is within the limit. An undo stores the same amount again. */
const fits = (data: object): boolean => utf8Length(JSON.stringify(data)) <= MAX_RAW_DATA_BYTES;

const TOO_LARGE = 'What the change needs of it is too large to be kept';
const NOT_KEPT = 'its values, which are too large to be kept';

/** Returns the data of an item in a form that fits into a plan. */
export function fitting(
  { names, ...whole }: Known | Missing,
  hash: (state: State | null) => string = digestOf,
): Record<string, unknown> {
  const { named, ...data } = { named: undefined, ...whole };
  const { state, ...rest } = data;
  const forms =
    'missing' in data
      ? [data, { missing: data.missing }]
      : [
          { ...data, named, names },
          data,
          { ...rest, digest: hash(state ?? null), unkept: NOT_KEPT },
          { missing: TOO_LARGE },
        ];
  return JSON.parse(JSON.stringify(forms.find(fits) ?? forms.at(-1))) as Record<string, unknown>;
}

export const isSame = (left: unknown, right: unknown): boolean =>
  canonicalJson(left) === canonicalJson(right);

/** Returns the members that differ in the target; null if the item does not exist in the target. */
export function changeBetween(state: State | null, target: State | null): State | null {
  if (state === null || target === null) return target;
  return Object.fromEntries(Object.entries(target).filter(([name, value]) => !isSame(state[name], value)));
}

/** Returns a state with changes applied. */
export const changed = (state: State | null, to: State | null): State | null =>
  to === null ? null : { ...state, ...to };

export const pick = (state: State, names: readonly string[]): State =>
  Object.fromEntries(names.filter((name) => name in state).map((name) => [name, state[name]]));

/** Comparisons that ignore the fields that the tool may adjust. */
export function comparing(adjusts: readonly string[]) {
  const isCompared = (name: string) => !adjusts.includes(name);
  const compared = (state: State | null): State | null =>
    state && pick(state, Object.keys(state).filter(isCompared));
  const compare = {
    hash: (state: State | null): string => digestOf(compared(state)),
    /** Returns true if the item is as it was planned. */
    isAsPlanned: ({ state, digest }: Known, now: State | null): boolean =>
      state === undefined ? compare.hash(now) === digest : isSame(compared(state), compared(now)),
    /** Returns true if a state contains all values of `part`. Null is the state of an item that does not exist. */
    shows: (state: State | null, part: State | null): boolean =>
      state === null || part === null
        ? state === part
        : Object.entries(part).every(([name, value]) => !isCompared(name) || isSame(state[name], value)),
    /** Returns true if the item had the target state when it was planned. */
    isAlready: ({ state, to, open }: Known): boolean =>
      open !== true && (state === null || to === null ? state === to : !Object.keys(to).some(isCompared)),
    /** Returns true if the item has the target state before the change is sent. */
    isReached: (known: Known, now: State | null): boolean =>
      known.open !== true && compare.isDone(known, now),
    /** Returns true if the item has the target state after the change was sent. */
    isDone: (known: Known, now: State | null): boolean => {
      if (known.open) return !compare.isAsPlanned(known, now);
      return compare.isAlready(known) ? compare.isAsPlanned(known, now) : compare.shows(now, known.to);
    },
  };
  return compare;
}
export type Comparing = ReturnType<typeof comparing>;

/** The state that an undo restores and the state that it expects, from the plan of the change. */
interface Restoring {
  /** The state before the change. */
  readonly was: State | null;
  /** The fields that the change altered, with their values after it. */
  readonly left: State | null;
}

/** Returns undefined if the change stored no state, or if its result was unknown in advance and was not read. */
export function restoringOf(item: BulkItem): Restoring | undefined {
  const undo = undoOf(item, { undo: true });
  const known = knownOf(undo?.to);
  if (known?.state === undefined || (known.unkept !== undefined && known.state !== null)) return undefined;
  const was = known.state;
  if (!known.open && !known.completed) return { was, left: known.to };
  const left = leftSchema.safeParse(undo?.kept).data;
  return left && { was, left: changeBetween(was, left.left) };
}

const leftSchema = z.object({ left: stateSchema });

/** Returns the target of an undo: the fields that the change altered get their earlier values, and all others stay. */
export function restored(
  now: State | null,
  { was, left }: Restoring,
  adjusts: readonly string[],
): State | null {
  if (was === null || left === null || now === null) return was;
  return { ...now, ...pick(was, [...Object.keys(left), ...adjusts]) };
}

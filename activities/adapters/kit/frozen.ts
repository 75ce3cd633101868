import { z } from 'zod';
import { utf8Length, MAX_RAW_DATA_BYTES, type BulkItem } from '../../../src/contract/items';
import { canonicalJson, digestOf } from '../../../src/core/shared/canonical';
import { undoOf } from '../shared/frozen-state';
import type { State } from './types';

const stateSchema = z.record(z.string(), z.unknown()).nullable();

const knownSchema = z.object({
  /** What the tool showed when the item was planned; null: there was none. */
  state: stateSchema.optional(),
  /** Instead of a state that is too large to be kept: its hash. The item can be compared, and not restored. */
  digest: z.string().optional(),
  /** The fields that the target changes; null: the item no longer exists then. */
  to: stateSchema,
  version: z.string().optional(),
  names: z.record(z.string(), z.string()).optional(),
  /** Why the change is not sent. */
  refused: z.string().optional(),
  restores: z.enum(['yes', 'partly', 'no']).optional(),
});

/** What the plan keeps of an item: what it is, and what it is to become. */
export type Known = z.infer<typeof knownSchema>;
const missingSchema = z.object({ missing: z.string() });

export function knownOf(raw: unknown): Known | undefined {
  const { data } = knownSchema.safeParse(raw);
  return data && (data.state !== undefined || data.digest !== undefined) ? data : undefined;
}
export function missingOf({ raw_data }: Pick<BulkItem, 'raw_data'>): string | undefined {
  return missingSchema.safeParse(raw_data).data?.missing;
}

/** Of an undo, too: it keeps as much again. */
const fits = (known: Known): boolean => utf8Length(JSON.stringify(known)) <= MAX_RAW_DATA_BYTES;

/** The data of an item in a form that fits into a plan. */
export function fitting({ names, ...known }: Known): Record<string, unknown> {
  const { state, ...rest } = known;
  const forms: Known[] = [{ ...known, names }, known, { ...rest, digest: digestOf(state), restores: 'no' }];
  return JSON.parse(JSON.stringify(forms.find(fits) ?? forms.at(-1))) as Record<string, unknown>;
}

const isSame = (one: unknown, other: unknown): boolean => canonicalJson(one) === canonicalJson(other);

/** The members that are different in the target; null for an item that no longer exists then. */
export function changeBetween(state: State | null, target: State | null): State | null {
  if (state === null || target === null) return target;
  return Object.fromEntries(Object.entries(target).filter(([name, value]) => !isSame(state[name], value)));
}

/** A state with its changes. */
export const changed = (state: State | null, to: State | null): State | null =>
  to === null ? null : { ...state, ...to };

export const pick = (state: State, names: readonly string[]): State =>
  Object.fromEntries(names.filter((name) => name in state).map((name) => [name, state[name]]));

/** Comparisons that leave out the fields that the tool may adjust. */
export function comparing(adjusts: readonly string[]) {
  const isCompared = (name: string) => !adjusts.includes(name);
  const compared = (state: State | null): State | null =>
    state && pick(state, Object.keys(state).filter(isCompared));
  const compare = {
    /** Whether the item is as it was planned. */
    isAsPlanned: ({ state, digest }: Known, now: State | null): boolean =>
      state === undefined ? digestOf(now) === digest : isSame(compared(state), compared(now)),
    /** Whether a state has all values of a part; null is the state of an item that does not exist. */
    shows: (state: State | null, part: State | null): boolean =>
      state === null || part === null
        ? state === part
        : Object.entries(part).every(([name, value]) => !isCompared(name) || isSame(state[name], value)),
    /** Whether there was nothing left to do when the item was planned. */
    isAlready: ({ state, to }: Known): boolean =>
      state === null || to === null ? state === to : !Object.keys(to).some(isCompared),
    /** Whether the item is what the change makes of it. */
    isReached: (known: Known, now: State | null): boolean =>
      compare.isAlready(known) ? compare.isAsPlanned(known, now) : compare.shows(now, known.to),
  };
  return compare;
}
export type Comparing = ReturnType<typeof comparing>;

/** What an undo restores and what it expects to find: from what the plan of the change kept. */
interface Restoring {
  /** As the change found it. */
  readonly was: State | null;
  /** As the change left it: the fields that it altered. */
  readonly left: State | null;
}

/** Undefined if the plan of the change kept no state. */
export function restoringOf(item: BulkItem): Restoring | undefined {
  const known = knownOf(undoOf(item, { undo: true })?.to);
  return known?.state === undefined ? undefined : { was: known.state, left: known.to };
}

/** The target of an undo: what the change altered is as it was, and everything else stays as it is. */
export function restored(
  now: State | null,
  { was, left }: Restoring,
  adjusts: readonly string[],
): State | null {
  if (was === null || left === null || now === null) return was;
  return { ...now, ...pick(was, [...Object.keys(left), ...adjusts]) };
}

import type { BulkItem } from '../../../src/contract/items';
import type { ItemPreview, ItemState } from '../../../src/contract/preview';
import { difference, NOT_RECORDED } from '../shared/frozen-state';
import { changed, knownOf, missingOf, pick, restoringOf, type Comparing, type Known } from './frozen';
import type { Kit } from './kit';
import type { Prepared, State } from './types';

/** The states of one item for display. */
export interface Words {
  /** Further fields, of other objects. */
  beside(state: State | null, target: State | null): readonly [ItemState, ItemState];
  /** Returns the fields that the action can alter. */
  altered(state: State | null): ItemState;
  /** Returns every field, to describe changes by others. */
  whole(state: State | null): ItemState;
}

const GONE: ItemState = { deleted: 'yes' };
const THERE: ItemState = { deleted: 'no' };
const NOTHING = [{}, {}] as const;

/** `names`: the names of ids that come with the item, in addition to those of the query and the change. */
export function wordsFor(
  {
    show,
    adjusts,
    actions,
    gone = GONE,
    beside,
  }: Pick<Kit, 'show' | 'adjusts' | 'actions' | 'gone' | 'beside'>,
  prepared: Prepared,
  names: Readonly<Record<string, string>> = {},
): Words {
  const sets = actions[prepared.action]?.sets;
  const allNames = { ...namesIn([prepared.query, prepared.change]), ...names };
  const name = (id: string | null | undefined) => (id == null ? null : (allNames[id] ?? id));
  const whole = (state: State | null): ItemState => {
    if (state === null) return gone;
    const compared = Object.keys(state).filter((field) => !adjusts.includes(field));
    return Object.fromEntries(
      Object.entries(show(pick(state, compared), name, prepared)).flatMap(([field, value]) =>
        value === undefined ? [] : [[field, value]],
      ),
    );
  };
  return {
    whole,
    beside: (state, target) => beside?.(state, target, prepared) ?? NOTHING,
    altered: (state) => (state === null || sets === undefined ? whole(state) : whole(pick(state, sets))),
  };
}

/** Returns every `{ id, name }` in a value. */
function namesIn(value: unknown): Record<string, string> {
  if (typeof value !== 'object' || value === null) return {};
  const { id, name } = value as Record<string, unknown>;
  const entry = typeof id === 'string' && typeof name === 'string' ? { [id]: name } : {};
  return Object.assign(entry, ...Object.values(value).map(namesIn)) as Record<string, string>;
}

/** Returns both sides of a change. By default, an item that is created or deleted has no fields to compare. */
function sides(words: Words, state: State | null, target: State | null): [ItemState, ItemState] {
  if (state !== null && target !== null) return [words.altered(state), words.altered(target)];
  if (words.whole(null) !== GONE) return [words.whole(state), words.whole(target)];
  return [state ? THERE : GONE, target ? THERE : GONE];
}

/** Returns the preview of one item, from its frozen data. */
export function previewOf(kit: Kit, prepared: Prepared, item: BulkItem): ItemPreview {
  const { undo } = prepared;
  const missing = missingOf(item);
  if (missing !== undefined) {
    const isDeleted = undo && missing === kit.results.notFound;
    return isDeleted ? { conflict: `the ${kit.noun.one} was deleted` } : { expected_error: missing };
  }
  const known = knownOf(item.raw_data);
  if (known === undefined) return {};
  const { state = null, to, open, refused, restores = 'yes', expected, unkept, named } = known;
  const words = wordsFor(kit, prepared, known.names);
  const target = changed(state, to);
  const [before, after] = sides(words, state, target);
  const more = { ...(expected !== undefined && { expected_error: expected }), ...(named && { named }) };
  if (refused !== undefined) {
    const fields = unkept === undefined && { before };
    return { ...more, ...fields, expected_error: refused, ...(undo && { reversible: 'no' as const }) };
  }
  const reason = undo ? conflictOf(item, known, words, kit.compare) : undefined;
  const conflict = reason !== undefined && { conflict: reason };
  const [others, othersAfter] = words.beside(state, target);
  if (unkept !== undefined) {
    const fields = Object.keys(others).length > 0 && { before: others, after: othersAfter };
    // An item that did not exist before has no values to store.
    const reversible = known.state === null && !undo ? restores : 'no';
    return { ...more, ...fields, reversible, not_shown: unkept, ...conflict };
  }
  if (open) return { ...more, before, reversible: restores };
  if (kit.compare.isAlready(known)) return { ...more, before, after: before, already: true };
  const both = { before: { ...before, ...others }, after: { ...after, ...othersAfter } };
  return { ...more, ...both, reversible: restores, ...conflict };
}

/** Describes changes by others since the change that is to be undone. */
function conflictOf(
  item: BulkItem,
  { state: now }: Known,
  words: Words,
  { shows }: Comparing,
): string | undefined {
  const restoring = restoringOf(item);
  if (restoring === undefined) return NOT_RECORDED;
  if (now === undefined) return 'it is too large by now to be compared';
  const { was, left } = restoring;
  if (shows(now, left)) return undefined;
  const [expected, current] = sides(words, was === null ? left : left && { ...was, ...left }, now);
  return difference(expected, current) ?? 'it is no longer as the change left it';
}

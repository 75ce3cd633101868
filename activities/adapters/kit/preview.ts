import type { BulkItem } from '../../../src/contract/items';
import type { ItemPreview, ItemState } from '../../../src/contract/preview';
import { difference, NOT_RECORDED } from '../shared/frozen-state';
import { changed, knownOf, missingOf, pick, restoringOf, type Comparing, type Known } from './frozen';
import type { Kit } from './kit';
import type { Prepared, State } from './types';

/** The states of one item as people read them. */
export interface Words {
  /** The fields that the action can alter. */
  altered(state: State | null): ItemState;
  /** Every field, to tell what somebody else changed. */
  whole(state: State | null): ItemState;
}

const GONE: ItemState = { deleted: 'yes' };
const THERE: ItemState = { deleted: 'no' };

/** `names`: those of ids that the item brings, beside those of the query and the change. */
export function wordsFor(
  { show, adjusts, actions }: Pick<Kit, 'show' | 'adjusts' | 'actions'>,
  prepared: Prepared,
  names: Readonly<Record<string, string>> = {},
): Words {
  const sets = actions[prepared.action]?.sets;
  const known = { ...namesIn([prepared.query, prepared.change]), ...names };
  const name = (id: string | null | undefined) => (id == null ? null : (known[id] ?? id));
  const whole = (state: State | null): ItemState => {
    if (state === null) return GONE;
    const compared = Object.keys(state).filter((field) => !adjusts.includes(field));
    return Object.fromEntries(
      Object.entries(show(pick(state, compared), name, prepared)).flatMap(([field, value]) =>
        value === undefined ? [] : [[field, value]],
      ),
    );
  };
  return {
    whole,
    altered: (state) => (state === null || sets === undefined ? whole(state) : whole(pick(state, sets))),
  };
}

/** Every `{ id, name }` in a value. */
function namesIn(value: unknown): Record<string, string> {
  if (typeof value !== 'object' || value === null) return {};
  const { id, name } = value as Record<string, unknown>;
  const own = typeof id === 'string' && typeof name === 'string' ? { [id]: name } : {};
  return Object.assign(own, ...Object.values(value).map(namesIn)) as Record<string, string>;
}

/** Both sides of a change. An item that is created or deleted has no fields to compare. */
function sides(words: Words, state: State | null, target: State | null): [ItemState, ItemState] {
  if (state === null || target === null) return [state ? THERE : GONE, target ? THERE : GONE];
  return [words.altered(state), words.altered(target)];
}

/** The preview of one item, from its frozen data. */
export function previewOf(
  item: BulkItem,
  undo: boolean,
  words: (known: Known) => Words,
  { isAlready, shows }: Comparing,
): ItemPreview {
  const missing = missingOf(item);
  if (missing !== undefined) return { expected_error: missing };
  const known = knownOf(item.raw_data);
  if (known === undefined) return {};
  const { state, to, open, refused, restores = 'yes' } = known;
  if (state === undefined) return { reversible: 'no', not_shown: NOT_KEPT };
  const own = words(known);
  const [before, after] = sides(own, state, changed(state, to));
  if (refused !== undefined)
    return { before, expected_error: refused, ...(undo && { reversible: 'no' as const }) };
  if (open) return { before, reversible: restores };
  if (isAlready(known)) return { before, after: before, already: true };
  const conflict = undo ? conflictOf(item, state, own, shows) : undefined;
  return { before, after, reversible: restores, ...(conflict !== undefined && { conflict }) };
}

const NOT_KEPT = 'its values, which are too large to be kept';

/** Changes by others after the change that is undone. */
function conflictOf(
  item: BulkItem,
  now: State | null,
  words: Words,
  shows: Comparing['shows'],
): string | undefined {
  const restoring = restoringOf(item);
  if (restoring === undefined) return NOT_RECORDED;
  const { was, left } = restoring;
  if (shows(now, left)) return undefined;
  const [expected, found] = sides(words, was === null ? left : left && { ...was, ...left }, now);
  return difference(expected, found) ?? 'it is no longer as the change left it';
}

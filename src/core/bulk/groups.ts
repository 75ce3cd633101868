import type { Foreseen } from '../../contract/prepared';
import type { FrozenItem } from '../../contract/items';
import type { BulkStatus } from '../../contract/operation';
import type { ItemGroup, ItemPreview, ItemState, PreviewedItem } from '../../contract/preview';
import { fitting } from '../shared/bounds';
import { groupedBy } from '../shared/grouped';
import { itemInLine, nameText, oneLine } from '../shared/plain-text';
import { changedFields, differences, previewText, type Reader } from './preview-text';

/** Up to this many different values of the same fields, or sets of different fields, form a group each. */
const MAX_VALUES = 6;
const MAX_FIELDS = 12;
/** Beyond these limits, values of fewer items than this share form one group, in which the values differ. */
const FEW = 0.1;

type Grouped = Omit<PreviewedItem, 'batch'>;
type Effect = Omit<ItemPreview, 'named'> & Pick<PreviewedItem, 'skipped'>;

/** An item with its place in the list, from 0. */
interface Member<T> {
  item: T;
  at: number;
}

/** Items on which the change has the same effect. */
export interface Group<T extends Grouped = Grouped> {
  kind: ItemGroup['kind'];
  members: readonly Member<T>[];
  /** The effect on each of them. */
  shared: Effect;
  /** The fields whose values differ from item to item. */
  varied: readonly string[];
}

/**
 * Groups items by the effect of the change: fields with their values, a predicted failure, a conflict, no change, and
 * whether it can be undone. Outliers come first: predicted failures, conflicts, changes that cannot be undone, small
 * groups. Every item is in exactly one group.
 */
export function groupsOf<T extends Grouped>(items: readonly T[]): Group<T>[] {
  const members = items.map((item, at) => ({ item, at }));
  const alike = grouped(members, ({ item }) => keyOf(item));
  const ofFirst = (of: (effect: Effect) => string) => (group: Member<T>[]) =>
    group[0] ? of(group[0].item) : '';
  return grouped(
    grouped(alike, ofFirst(shapeOf)).flatMap((group) => withFewTogether(group, MAX_VALUES)),
    ofFirst(kindKeyOf),
  )
    .flatMap((group) => withFewTogether(group, MAX_FIELDS))
    .map(groupOf)
    .sort(outliersFirst);
}

const grouped = <T>(all: readonly T[], key: (row: T) => string): T[][] => [...groupedBy(all, key).values()];

function kindOf({ already, expected_error, conflict }: Effect): ItemGroup['kind'] {
  if (expected_error !== undefined) return 'fails';
  if (conflict !== undefined) return 'conflict';
  return already ? 'already' : 'changes';
}

/** Whether items with this effect are grouped by values: not failures, conflicts and unchanged items. */
const valuesCount = (effect: Effect): boolean => kindOf(effect) === 'changes';

const kindKeyOf = (effect: Effect): string =>
  JSON.stringify([kindOf(effect), effect.already, effect.reversible, effect.skipped]);

/** A key of the effect without its values: items with the same shape differ only in values. */
function shapeOf(effect: Effect): string {
  const { before, after } = effect;
  const fields = valuesCount(effect)
    ? [before !== undefined, after !== undefined, changedFields(effect)]
    : [];
  return JSON.stringify([kindKeyOf(effect), ...fields]);
}

function keyOf(effect: Effect): string {
  const { expected_error, conflict, not_shown } = effect;
  const values = valuesCount(effect) ? changedFields(effect).map((name) => valuesOf(effect, name)) : [];
  return JSON.stringify([shapeOf(effect), expected_error, conflict, not_shown, ...values]);
}

const valuesOf = ({ before, after }: Effect, name: string): string =>
  JSON.stringify([before, after].map((state) => (state ? [state[name] ?? null] : 'unknown')));

/** Combines small groups if there are too many: their list would be as long as that of the items. */
function withFewTogether<T>(alike: Member<T>[][], most: number): Member<T>[][] {
  if (alike.length <= most) return alike;
  const total = alike.reduce((sum, members) => sum + members.length, 0);
  const isLarge = (members: Member<T>[]) => members.length >= Math.max(2, total * FEW);
  const few = alike.filter((members) => !isLarge(members)).flat();
  return [...alike.filter(isLarge), ...(few.length === 0 ? [] : [few.sort((a, b) => a.at - b.at)])];
}

function groupOf<T extends Grouped>(members: Member<T>[]): Group<T> {
  const items = members.map(({ item }): Effect => item);
  const [first = {}] = items;
  const kind = kindOf(first);
  const names = kind === 'already' ? [] : [...new Set(items.flatMap(changedFields))];
  const isShared = (name: string) => items.every((item) => valuesOf(item, name) === valuesOf(first, name));
  const common = names.filter(isShared);
  const { before, after } = first;
  const flags = (['already', 'expected_error', 'conflict', 'not_shown', 'reversible', 'skipped'] as const)
    .filter((flag) => first[flag] !== undefined && items.every((item) => item[flag] === first[flag]))
    .map((flag) => [flag, first[flag]]);
  return {
    kind,
    members,
    shared: {
      ...(before && { before: only(before, common) }),
      ...(after && { after: only(after, common) }),
      ...(Object.fromEntries(flags) as Effect),
    },
    varied: names.filter((name) => !isShared(name)),
  };
}

const only = (state: ItemState, names: readonly string[]): ItemState =>
  Object.fromEntries(Object.entries(state).filter(([name]) => names.includes(name)));

const RANK: Record<ItemGroup['kind'], number> = { fails: 0, conflict: 1, already: 4, changes: 4 };
const UNDO_RANK: Partial<Record<NonNullable<ItemPreview['reversible']>, number>> = { no: 2, partly: 3 };

const rankOf = ({ kind, reversible }: Pick<ItemGroup, 'kind' | 'reversible'>): number =>
  (kind === 'changes' && reversible ? UNDO_RANK[reversible] : undefined) ?? RANK[kind];

const outliersFirst = (a: Group, b: Group): number =>
  rankOf({ ...a.shared, kind: a.kind }) - rankOf({ ...b.shared, kind: b.kind }) ||
  a.members.length - b.members.length ||
  (a.members[0]?.at ?? 0) - (b.members[0]?.at ?? 0);

/** The part of an item's effect that its group does not state: all of it if the values of its items differ. */
export function ownEffect({ members, shared, varied }: Group, item: Grouped): ItemPreview {
  if (members.length === 1 || varied.length > 0) return item;
  const rest = (['named', 'expected_error', 'conflict', 'not_shown'] as const)
    .filter((name) => item[name] !== undefined && (name === 'named' || shared[name] === undefined))
    .map((name) => [name, item[name]]);
  return Object.fromEntries(rest) as ItemPreview;
}

/** The notes about a group besides its shared effect. */
export const besides = ({ kind, shared, varied }: Group): string[] => [
  ...(shared.skipped ? ['stays as it is'] : []),
  ...(varied.length > 0 ? [`${varied.map(nameText).join(', ')}: each its own`] : []),
  ...(kind === 'fails' && shared.expected_error === undefined ? ['will probably fail'] : []),
  ...(kind === 'conflict' && shared.conflict === undefined ? ['changed after the operation'] : []),
];

/** The effect on the items of a group: `labels: none → “Later”; cannot be undone`. */
const groupText = (group: Group, reader?: Reader): string =>
  joined([...besides(group), previewText(group.shared, reader)]);

const joined = (texts: readonly string[]): string => texts.filter((text) => text !== '').join('; ');

/** Whether the items have no common effect that a line above them could state. */
export const isPlain = (groups: readonly Group[]): boolean =>
  groups.length === 1 &&
  groups.every(
    ({ kind, shared, varied }) => kind === 'changes' && (varied.length > 0 || previewText(shared) === ''),
  );

/** The groups in one line, the largest first: `180: labels: none → “Later” · 15 are already so`. */
export const groupsSummary = (groups: readonly Group[], reader?: Reader): string =>
  summaryOf(
    groups.map((group) => ({
      kind: group.kind,
      count: group.members.length,
      text: groupText(group, reader),
      expected_error: group.shared.expected_error,
    })),
  );

type Summed = Pick<ItemGroup, 'kind' | 'count' | 'text' | 'expected_error'>;

const summaryOf = (groups: readonly Summed[]): string =>
  groups
    .toSorted((a, b) => b.count - a.count)
    .map((group) => shortText(group))
    .join(' · ');

function shortText({ kind, count, text, expected_error }: Summed): string {
  const reason = expected_error === undefined ? '' : `: ${oneLine(expected_error)}`;
  if (kind === 'fails') return `${count} will probably fail${reason}`;
  if (kind === 'already') return `${count} ${count === 1 ? 'is' : 'are'} already so`;
  return text === '' ? `${count} of unknown state` : `${count}: ${text}`;
}

/** The items in lines, each with its number in the list. Items with the same effect follow a line that states it. */
export function groupLines(
  items: readonly Grouped[],
  reader?: Reader,
  groups: readonly Group[] = groupsOf(items),
): string[] {
  return groups.flatMap((group) => {
    const { members } = group;
    const isAlone = members.length === 1;
    const lines = members.map(({ item, at }) => {
      const text = joined([...(isAlone ? besides(group) : []), previewText(ownEffect(group, item), reader)]);
      return `${at + 1}. ${itemInLine(item)}${text === '' ? '' : `: ${text}`}`;
    });
    return isAlone || isPlain(groups) ? lines : [headText(group, reader), ...lines];
  });
}

/** A group of several items in one line: `7 items: labels: none → “Later”`. */
function headText(group: Group, reader?: Reader): string {
  const count = group.members.length;
  const text = groupText(group, reader);
  if (text === 'already so') return `${count} items are already so`;
  return text === '' ? `${count} items` : `${count} items: ${text}`;
}

/** The groups as data for programs, with the ids of the items before the place `upTo`. */
export function itemGroups(items: readonly Grouped[], upTo = items.length): ItemGroup[] {
  return groupsOf(items).map((group) => {
    const { kind, members, shared, varied } = group;
    const { before, after, expected_error, conflict, reversible } = shared;
    return {
      kind,
      count: members.length,
      text: groupText(group),
      fields:
        kind === 'already'
          ? []
          : [...differences(before, after), ...varied.map((name) => ({ name: nameText(name) }))],
      ...(expected_error !== undefined && { expected_error }),
      ...(conflict !== undefined && { conflict }),
      ...(reversible !== undefined && { reversible }),
      items: members.filter(({ at }) => at < upTo).map(({ item }) => item.id),
    };
  });
}

type PlanGroups = Pick<BulkStatus, 'groups' | 'groups_truncated'>;
type MixedStatus = PlanGroups & Pick<BulkStatus, 'next_batch' | 'last_batch' | 'batches_total'>;

/** Whether a first question covers only a part of a plan that has different effects on its items. */
export const isMixed = ({ groups = [], ...status }: MixedStatus): boolean =>
  status.next_batch !== undefined &&
  status.last_batch === undefined &&
  status.batches_total > 1 &&
  (groups.length > 1 || status.groups_truncated === true);

/** The groups of a whole plan in one line, with a note if there are others. */
export const planSummary = ({ groups = [], groups_truncated }: PlanGroups): string =>
  `${summaryOf(groups)}${groups_truncated ? ' · and others' : ''}`;

/** The maximum bytes of a plan's groups. */
const MAX_PLAN_BYTES = 8_000;

/** The predictions in the previews of a plan. */
export function foreseenIn(items: readonly FrozenItem[]): Foreseen {
  const count = (matches: (preview: ItemPreview) => unknown) =>
    items.filter(({ preview }) => preview && matches(preview)).length;
  const groups = itemGroups(items.map(({ id, display_name, preview }) => ({ id, display_name, ...preview })));
  return {
    already: count(({ already }) => already),
    expected_errors: count(({ expected_error }) => expected_error),
    ...cut(groups.map(({ items: _, ...group }) => group)),
  };
}

/** Combines the predictions of two parts of a plan. */
export function foreseenTogether(a: Foreseen, b: Foreseen): Foreseen {
  const groups = grouped([...(a.groups ?? []), ...(b.groups ?? [])], ({ count: _, ...same }) =>
    JSON.stringify(same),
  ).flatMap(([first, ...others]) =>
    first ? [others.reduce((sum, { count }) => ({ ...sum, count: sum.count + count }), first)] : [],
  );
  return {
    already: a.already + b.already,
    expected_errors: a.expected_errors + b.expected_errors,
    ...cut(
      groups.sort((one, other) => rankOf(one) - rankOf(other) || one.count - other.count),
      a.groups_truncated ?? b.groups_truncated,
    ),
  };
}

type ForeseenGroups = Pick<Foreseen, 'groups' | 'groups_truncated'>;

/** The groups that fit, and whether there are others. */
function cut(groups: readonly ItemGroup[], before?: true): ForeseenGroups {
  const list = fitting(groups, MAX_PLAN_BYTES);
  return {
    groups: list,
    ...((before ?? list.length < groups.length) && { groups_truncated: true as const }),
  };
}

/** The groups of a plan in a status. */
export const groupsIn = ({ groups, groups_truncated }: Partial<Foreseen> = {}): ForeseenGroups => ({
  ...(groups && { groups }),
  ...(groups_truncated && { groups_truncated }),
});

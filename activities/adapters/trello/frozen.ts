import { z } from 'zod';
import type { BulkItem, PreparedBulkContext } from '../../../src/contract/items';
import type { ItemPreview, ItemState } from '../../../src/contract/preview';
import { shortened } from '../../../src/contract/text';
import { difference, NOT_RECORDED, undoOf } from '../shared/frozen-state';
import { displayName } from '../shared/names';
import { changeOf, isApplied, matches, searchIn, targetSchema, type Card, type CardChange } from './cards';

const MAX_SHOWN = 200;

/** What the plan stores of a card: whether it is archived, and what the change can alter. */
const frozenSchema = z.object({
  closed: z.boolean(),
  idList: z.string(),
  due: z.string().nullable(),
  /** The name of the list. */
  list: z.string().optional(),
  /** Whether the card has the label or the member of the change. */
  has: z.boolean().optional(),
});
type Frozen = z.infer<typeof frozenSchema>;
const missingSchema = z.object({ missing: z.string() });

const frozenOf = (raw: unknown): Frozen | undefined => frozenSchema.safeParse(raw).data;

/** `lists`: names by id. */
export function frozenItem(
  card: Card,
  context: PreparedBulkContext,
  lists: ReadonlyMap<string, string> = new Map(),
): BulkItem {
  const raw_data = freeze(card, context, lists.get(card.idList));
  return { id: card.id, display_name: displayName(card.name, '(no name)'), raw_data: { ...raw_data } };
}

function freeze(
  card: Card,
  context: PreparedBulkContext,
  list: string | undefined,
): Omit<Frozen, 'has'> & { has?: boolean } {
  const { closed, idList, due } = card;
  return {
    ...{ closed, idList, due },
    ...(list !== undefined && { list: shortened(list, MAX_SHOWN) }),
    ...holding(card, changeOf(context)),
  };
}

function holding({ idLabels, idMembers }: Card, change: CardChange): { has?: boolean } {
  if ('addLabel' in change) return { has: idLabels.includes(change.addLabel) };
  if ('removeLabel' in change) return { has: idLabels.includes(change.removeLabel) };
  if ('addMember' in change) return { has: idMembers.includes(change.addMember) };
  if ('removeMember' in change) return { has: idMembers.includes(change.removeMember) };
  return {};
}

/** The change of a card; undefined if an undo does not know its previous state. */
export function changeFor(item: BulkItem, context: PreparedBulkContext): CardChange | undefined {
  const change = changeOf(context);
  const undo = undoOf(item, context);
  if (undo === undefined) return change;
  const to = frozenOf(undo.to);
  if (to === undefined) return undefined;
  if ('closed' in change) return { closed: to.closed };
  if ('list' in change) return { list: to.idList };
  if ('due' in change) return { due: to.due };
  if (to.has === undefined) return undefined;
  if ('addMember' in change || 'removeMember' in change) {
    const member = 'addMember' in change ? change.addMember : change.removeMember;
    return to.has ? { addMember: member } : { removeMember: member };
  }
  const label = 'addLabel' in change ? change.addLabel : change.removeLabel;
  return to.has ? { addLabel: label } : { removeLabel: label };
}

/** The card after a change. `list`: the name of the list that it moves to. */
function changed(frozen: Frozen, change: CardChange, list: string | undefined): Frozen {
  if ('closed' in change) return { ...frozen, closed: change.closed };
  if ('list' in change) return { ...frozen, idList: change.list, list };
  if ('due' in change) return { ...frozen, due: change.due };
  return { ...frozen, has: 'addLabel' in change || 'addMember' in change };
}

/** What the change can alter on a card, in words. */
function stateOf(frozen: Frozen, context: PreparedBulkContext): ItemState {
  const change = changeOf(context);
  const name = shortened(targetSchema.safeParse(context.action_params).data?.name ?? '', MAX_SHOWN);
  if ('closed' in change) return { archived: frozen.closed ? 'yes' : 'no' };
  if ('list' in change) return { list: frozen.list ?? frozen.idList };
  if ('due' in change) return { due: frozen.due === null ? null : { time: frozen.due } };
  if ('addMember' in change || 'removeMember' in change) return { member: frozen.has ? name : null };
  return { label: frozen.has ? name : null };
}

const isSo = (frozen: Frozen, change: CardChange): boolean =>
  frozen.has === undefined
    ? isApplied(frozen, change)
    : frozen.has === ('addLabel' in change || 'addMember' in change);

export function previewCard(item: BulkItem, context: PreparedBulkContext): ItemPreview {
  const missing = missingSchema.safeParse(item.raw_data).data?.missing;
  if (missing !== undefined) return { expected_error: missing };
  const now = frozenOf(item.raw_data);
  if (now === undefined) return {};
  const before = stateOf(now, context);
  const change = changeFor(item, context);
  if (change === undefined) return { before, reversible: 'no', expected_error: NOT_RECORDED };
  const undo = undoOf(item, context);
  const to = frozenOf(undo?.to);
  const target = to ? to.list : targetSchema.safeParse(context.action_params).data?.name;
  if (isSo(now, change)) return { before, after: before, already: true };
  const after = stateOf(changed(now, change, target), context);
  const left = to && (frozenOf(undo?.left) ?? leftBy(to, context));
  const conflict =
    left && !isSo(now, asItIs(left, context)) ? difference(stateOf(left, context), before) : undefined;
  return { before, after, reversible: 'yes', ...(conflict !== undefined && { conflict }) };
}

/** The card as the change left it. */
const leftBy = (to: Frozen, context: PreparedBulkContext): Frozen =>
  changed(to, changeOf(context), targetSchema.safeParse(context.action_params).data?.name);

/** The change that would restore a card to `frozen`. */
function asItIs(frozen: Frozen, context: PreparedBulkContext): CardChange {
  const item = { id: '', display_name: '', raw_data: { undo: { to: { ...frozen } } } };
  return changeFor(item, { ...context, undo: true }) ?? changeOf(context);
}

/**
 * How a card differs from the one that was confirmed: it was archived or restored, it left the list or lost the label
 * or text of the search, somebody else changed the value that this change sets, or it was not there.
 */
export function changedSince(item: BulkItem, card: Card, context: PreparedBulkContext): string | undefined {
  if (missingSchema.safeParse(item.raw_data).success) return 'it could not be read before';
  const frozen = frozenOf(item.raw_data);
  if (frozen === undefined) return undefined;
  const { list_id, label_id, text } = context.undo ? {} : searchIn(context);
  const now = freeze(card, context, card.idList === frozen.idList ? frozen.list : 'another list');
  const seen = (one: Frozen): ItemState => ({
    ...(list_id !== undefined && { list: one.idList === frozen.idList ? 'the same list' : 'another list' }),
    ...stateOf(one, context),
    archived: one.closed ? 'yes' : 'no',
  });
  const told = difference(seen(frozen), seen(now));
  if (told !== undefined) return told;
  if (label_id !== undefined && !card.idLabels.includes(label_id)) return 'its label was taken off';
  return text !== undefined && !matches(card, { text }) ? 'its text was changed' : undefined;
}

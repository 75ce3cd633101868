import { z } from 'zod';
import type { Reconciliation } from '../../../src/contract/adapter';
import type { PreparedBulkContext } from '../../../src/contract/items';
import { notPrepared } from '../shared/actions';
import { reconciliation } from '../shared/results';

/** The fields of a card that are read; Trello sends the id whatever fields are requested. */
export const cardSchema = z.object({
  id: z.string().min(1),
  name: z.string(),
  closed: z.boolean(),
  idList: z.string(),
  idLabels: z.array(z.string()),
  idMembers: z.array(z.string()),
  due: z.string().nullable(),
  /** Only if its list must be named. */
  idBoard: z.string().optional(),
  /** Only if the search looks for text in it. */
  desc: z.string().optional(),
});
export type Card = z.infer<typeof cardSchema>;

/** Which cards, names resolved to ids. */
const searchSchema = z.object({
  board_id: z.string().min(1),
  board_name: z.string().optional(),
  list_id: z.string().min(1).optional(),
  list_name: z.string().optional(),
  label_id: z.string().min(1).optional(),
  label_name: z.string().optional(),
  text: z.string().min(1).optional(),
});
export type CardSearch = z.infer<typeof searchSchema>;

/** @throws BatchgateError `INVALID_INPUT` when the context has no search. */
export function searchOf(context: PreparedBulkContext): CardSearch {
  const search = searchSchema.safeParse(context.query_params);
  if (search.success) return search.data;
  throw notPrepared('trello', 'its board is missing');
}

/** The parts of the search that a prepared context has. */
export function searchIn({ query_params }: PreparedBulkContext): Partial<CardSearch> {
  return searchSchema.partial().safeParse(query_params).data ?? {};
}

/** Trello's own search is fuzzy and ignores archived cards, so text is matched here. */
export function matches(card: Card, { list_id, label_id, text }: Partial<CardSearch>): boolean {
  if (list_id !== undefined && card.idList !== list_id) return false;
  if (label_id !== undefined && !card.idLabels.includes(label_id)) return false;
  if (text === undefined) return true;
  const wanted = text.toLowerCase();
  return [card.name, card.desc ?? ''].some((part) => part.toLowerCase().includes(wanted));
}

/** What an action does to any card. */
export type CardChange =
  | { readonly closed: boolean }
  | { readonly list: string }
  | { readonly due: string | null }
  | { readonly addLabel: string }
  | { readonly removeLabel: string }
  | { readonly addMember: string }
  | { readonly removeMember: string };

export const targetSchema = z.object({ id: z.string().min(1), name: z.string().min(1) });
const dueSchema = z.object({ due: z.iso.datetime().nullable() });

/** The change of a prepared context. @throws BatchgateError `INVALID_INPUT` when this adapter did not prepare it. */
export function changeOf({ action, action_params }: PreparedBulkContext): CardChange {
  if (action === 'archive' || action === 'unarchive') return { closed: action === 'archive' };
  if (action === 'set_due') {
    const params = dueSchema.safeParse(action_params);
    if (params.success) return params.data;
    throw notPrepared('trello', 'its due date is missing');
  }
  const target = targetSchema.safeParse(action_params);
  if (!target.success) throw notPrepared('trello', 'the id of its target is missing');
  const { id } = target.data;
  switch (action) {
    case 'move':
      return { list: id };
    case 'add_label':
      return { addLabel: id };
    case 'remove_label':
      return { removeLabel: id };
    case 'assign':
      return { addMember: id };
    default:
      throw notPrepared('trello', `it names the action ${action}`);
  }
}

/** Whether the known fields of a card show the change. */
export const shows = (card: Partial<Card>, change: CardChange): Reconciliation =>
  reconciliation(isApplied(card, change));

export function isApplied(card: Partial<Card>, change: CardChange): boolean {
  if ('closed' in change) return card.closed === change.closed;
  if ('list' in change) return card.idList === change.list;
  if ('addLabel' in change) return card.idLabels?.includes(change.addLabel) === true;
  if ('removeLabel' in change) return card.idLabels?.includes(change.removeLabel) === false;
  if ('addMember' in change) return card.idMembers?.includes(change.addMember) === true;
  if ('removeMember' in change) return card.idMembers?.includes(change.removeMember) === false;
  return card.due !== undefined && sameTime(card.due, change.due);
}

const sameTime = (one: string | null, other: string | null): boolean =>
  one === other || (one !== null && other !== null && Date.parse(one) === Date.parse(other));

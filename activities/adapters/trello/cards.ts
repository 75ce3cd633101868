import { z } from 'zod';
import type { Prepared } from '../kit/types';

/** The fields of a card that are read. Trello always sends the id. */
export const cardSchema = z.object({
  id: z.string().min(1),
  name: z.string(),
  closed: z.boolean(),
  idBoard: z.string(),
  idList: z.string(),
  idLabels: z.array(z.string()),
  idMembers: z.array(z.string()),
  pos: z.number(),
  due: z.string().nullable(),
  dueComplete: z.boolean().optional(),
  /** Minutes before the due date; -1 for no reminder. */
  dueReminder: z.number().nullish(),
  isTemplate: z.boolean().nullish(),
  /** Present only if the search has a text. */
  desc: z.string().optional(),
});
export type Card = z.infer<typeof cardSchema>;

const namedSchema = z.object({ id: z.string().min(1), name: z.string() });
export type Named = z.infer<typeof namedSchema>;
const placedSchema = namedSchema.extend({ board: namedSchema.optional() });
/** An object with its board, if the board is known. */
export type Placed = z.infer<typeof placedSchema>;

/** A search for cards, with names resolved to ids. */
export const searchSchema = z.object({
  board: namedSchema,
  list: namedSchema.optional(),
  label: namedSchema.optional(),
  text: z.string().min(1).optional(),
});
export type CardSearch = z.infer<typeof searchSchema>;

/** The value to set: the list, label or member with this id, or the due date. */
export const changeSchema = placedSchema
  .partial()
  .extend({ due: z.iso.datetime().nullable().optional(), elsewhere: z.literal(true).optional() });
export type CardChange = z.infer<typeof changeSchema>;
export type PreparedCards = Prepared<CardSearch, CardChange>;

/** The state of a card, as far as a change concerns it. Other fields are absent. */
export const cardState = z.strictObject({
  closed: z.boolean(),
  list: z.string().optional(),
  pos: z.number().optional(),
  due: z.string().nullable().optional(),
  dueComplete: z.boolean().optional(),
  dueReminder: z.number().nullish(),
  /** Whether the card has the label, or the member, of the change. */
  label: z.boolean().optional(),
  member: z.boolean().optional(),
  /** Whether the card has the label and the text of the search. */
  found: z.boolean().optional(),
});
export type CardState = z.infer<typeof cardState>;

const LABELS = ['add_label', 'remove_label'];

export function stateOf(card: Card, { action, query, change: { id = '' }, undo }: PreparedCards): CardState {
  const search = undo ? undefined : query;
  const { closed, idList, pos, due, dueComplete = false, dueReminder = null, idLabels, idMembers } = card;
  const isPlaced = action === 'move' || action === 'unarchive' || search?.list !== undefined;
  return {
    closed,
    ...(isPlaced && { list: idList }),
    ...(action === 'move' && { pos }),
    ...(action === 'set_due' && { due: instant(due), dueComplete, dueReminder }),
    ...(LABELS.includes(action) && { label: idLabels.includes(id) }),
    ...(action === 'assign' && { member: idMembers.includes(id) }),
    ...(search && (search.label ?? search.text) !== undefined && { found: isFound(card, search) }),
  };
}

/** Returns a time in the format of Trello. */
export const instant = (time: string | null): string | null => time && new Date(time).toISOString();

export function matches(card: Card, search: CardSearch): boolean {
  return (search.list === undefined || card.idList === search.list.id) && isFound(card, search);
}

/** Trello's own search is fuzzy and ignores archived cards, so text is matched here. */
function isFound(card: Card, { label, text }: CardSearch): boolean {
  if (label !== undefined && !card.idLabels.includes(label.id)) return false;
  if (text === undefined) return true;
  const lowerText = text.toLowerCase();
  return [card.name, card.desc ?? ''].some((part) => part.toLowerCase().includes(lowerText));
}

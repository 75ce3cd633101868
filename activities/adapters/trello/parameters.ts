import { z } from 'zod';
import type { AdapterAction } from '../../../src/contract/adapter';

/** Trello's ids (the schema TrelloID of its OpenAPI document). */
const TRELLO_ID = /^[0-9a-f]{24}$/i;

/** Names and ids share parameters: text in the format of an id is an id. */
export const isId = (text: string): boolean => TRELLO_ID.test(text);

const name = z.string().trim().min(1).max(500);

const query = z.strictObject({
  board: name.describe('The board: its name or id'),
  list: name.optional().describe('Only cards in this list: its name or id'),
  label: name
    .optional()
    .describe('Only cards with this label: its name, the colour of a label without one, or its id'),
  text: name.optional().describe('Only cards with this text in their name or description, in any case'),
});

const noChange = z.strictObject({});
const board = name.optional().describe('The board on which names are looked up; not needed with ids');

/** A change with a name that is looked up on a board. With an id no board is needed. */
const onBoard = (named: 'target_list' | 'label_name' | 'member', description: string) =>
  z
    .strictObject({ board, [named]: name.describe(description) })
    .refine((change) => change.board !== undefined || isId(change[named] ?? ''), {
      params: { missing: 'board' },
    });

const action = (
  description: string,
  change: z.ZodObject,
  words: Pick<AdapterAction, 'phrase' | 'shortName'> = {},
): AdapterAction => ({ description, ...words, undo: true, query, change });

export const TRELLO_ACTIONS = {
  archive: action('Archive cards', noChange),
  unarchive: action('Bring back archived cards', noChange, { phrase: 'bring back {items}' }),
  move: action('Move cards to another list', onBoard('target_list', 'The list to move to: its name or id')),
  add_label: action(
    'Add a label to cards',
    onBoard('label_name', 'The label to add: its name, the colour of a label without one, or its id'),
    { phrase: 'add a label to {items}' },
  ),
  remove_label: action(
    'Remove a label from cards',
    onBoard('label_name', 'The label to remove: its name, the colour of a label without one, or its id'),
    { phrase: 'remove a label from {items}' },
  ),
  set_due: action(
    'Set or clear the due date of cards',
    z.strictObject({
      due: z.iso
        .datetime({ offset: true, error: 'an RFC 3339 date and time, as 2026-12-24T18:00:00Z, or null' })
        .nullable()
        .describe('The due date and time (RFC 3339), or null to clear it'),
    }),
    { phrase: 'set the due date of {items}', shortName: 'set due date' },
  ),
  assign: action(
    'Add a member to cards',
    onBoard('member', 'The member of the board to add: username, full name or id'),
    { phrase: 'add a member to {items}', shortName: 'add member' },
  ),
} as const satisfies Record<string, AdapterAction>;

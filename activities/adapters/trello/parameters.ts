import { z } from 'zod';
import { quoted } from '../../../src/core/shared/plain-text';
import type { ActionDefinition } from '../kit/types';
import type { CardChange, CardSearch, CardState, PreparedCards } from './cards';

/** The format of Trello's ids (the schema TrelloID of its OpenAPI document). */
const TRELLO_ID = /^[0-9a-f]{24}$/i;

/** Returns true if a text is an id. Names and ids share parameters, so a text in the format of an id is an id. */
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

/** Defines the parameters of a change with a name that is looked up on a board. An id needs no board. */
const onBoard = (parameter: 'target_list' | 'label_name' | 'member', description: string) =>
  z
    .strictObject({ board, [parameter]: name.describe(description) })
    .refine((change) => change.board !== undefined || isId(change[parameter] ?? ''), {
      params: { missing: 'board' },
    });

type Action = ActionDefinition<CardState, CardSearch, CardChange>;

/** `sentence`: describes the change, given the cards as `each card in the list “Doing”`. */
const action = (
  definition: Omit<Action, 'query' | 'summary'>,
  sentence: (cards: string, change: CardChange) => string,
): Action => ({
  ...definition,
  query,
  summary: (prepared) => `${sentence(`each card${which(prepared)}`, prepared.change)}.`,
});

const value =
  (field: string): Action['values'] =>
  ({ change }) => [{ name: field, to: change.name ?? '' }];

const labelChange = (which: string) =>
  onBoard('label_name', `The label to ${which}: its name, the colour of a label without one, or its id`);

/** Trello refuses a label of another board. */
const ofThisBoard: Action['foresee'] = (_state, { name: label = '', board: homeBoard }, { facts }) =>
  homeBoard === undefined || homeBoard.id === facts?.board
    ? undefined
    : `The label ${quoted(label)} belongs to the board ${quoted(homeBoard.name)}`;

export const TRELLO_ACTIONS = {
  archive: action(
    {
      description: 'Archive cards',
      change: noChange,
      sets: ['closed'],
      to: (state) => ({ ...state, closed: true }),
      values: () => [{ name: 'archived', to: 'yes' }],
    },
    (cards) => `Archive ${cards}`,
  ),
  unarchive: action(
    {
      description: 'Bring back archived cards',
      phrase: 'bring back {items}',
      change: noChange,
      sets: ['closed', 'list'],
      to: (state) => ({ ...state, closed: false }),
      values: () => [{ name: 'archived', to: 'no' }],
    },
    (cards) => `Bring back ${cards} from the archive`,
  ),
  move: action(
    {
      description: 'Move cards to another list',
      change: onBoard('target_list', 'The list to move to: its name or id'),
      sets: ['list'],
      to: (state, { id }) => ({ ...state, list: id }),
      // Trello removes the labels of a board when a card leaves the board.
      restores: (_state, { board: homeBoard }, { facts }) =>
        homeBoard === undefined || homeBoard.id === facts?.board ? 'yes' : 'partly',
      reversible: ({ change }) => ({ reversible: change.elsewhere ? 'partly' : 'yes' }),
      values: value('list'),
    },
    (cards, { name: list = '', board: homeBoard, elsewhere }) =>
      `Move ${cards} to the list ${quoted(list)}${elsewhere && homeBoard ? ` on the board ${quoted(homeBoard.name)}` : ''}`,
  ),
  add_label: action(
    {
      description: 'Add a label to cards',
      phrase: 'add a label to {items}',
      change: labelChange('add'),
      sets: ['label'],
      to: (state) => ({ ...state, label: true }),
      foresee: ofThisBoard,
      values: value('label'),
    },
    (cards, { name: label = '' }) => `Add the label ${quoted(label)} to ${cards}`,
  ),
  remove_label: action(
    {
      description: 'Remove a label from cards',
      phrase: 'remove a label from {items}',
      change: labelChange('remove'),
      sets: ['label'],
      to: (state) => ({ ...state, label: false }),
      values: value('label'),
    },
    (cards, { name: label = '' }) => `Remove the label ${quoted(label)} from ${cards}`,
  ),
  set_due: action(
    {
      description: 'Set or clear the due date of cards',
      phrase: 'set the due date of {items}',
      shortName: 'set due date',
      change: z.strictObject({
        due: z.iso
          .datetime({ offset: true, error: 'an RFC 3339 date and time, as 2026-12-24T18:00:00Z, or null' })
          .nullable()
          .describe('The due date and time (RFC 3339), or null to clear it'),
      }),
      sets: ['due'],
      to: (state, { due = null }) => ({ ...state, due }),
      values: ({ change }) => [{ name: 'due', to: change.due ?? 'none' }],
    },
    (cards, { due }) =>
      due == null
        ? `Clear the due date of ${cards}`
        : `Set the due date of ${cards} to ${due.slice(0, 16).replace('T', ' ')} UTC`,
  ),
  assign: action(
    {
      description: 'Add a member to cards',
      phrase: 'add a member to {items}',
      shortName: 'add member',
      change: onBoard('member', 'The member of the board to add: username, full name or id'),
      sets: ['member'],
      to: (state) => ({ ...state, member: true }),
      values: value('member'),
    },
    (cards, { name: member = '' }) => `Add the member ${quoted(member)} to ${cards}`,
  ),
} as const satisfies Record<string, Action>;

/** Returns the search in words; empty for named items. */
function which({ query: search }: PreparedCards): string {
  if (search === undefined) return '';
  const { text, label, list, board: searchBoard } = search;
  return [
    ...(text === undefined ? [] : [` that mentions ${quoted(text)}`]),
    ...(label === undefined ? [] : [` with the label ${quoted(label.name)}`]),
    ...(list === undefined ? [] : [` in the list ${quoted(list.name)}`]),
    ` on the board ${quoted(searchBoard.name)}`,
  ].join('');
}

/** Returns the state as words for display. */
export function showCard(
  { closed, list, due, label, member, found }: Partial<CardState>,
  name: (id: string | null | undefined) => string | null,
  { change }: PreparedCards,
) {
  const shortly = (isSo: boolean) => (isSo ? 'yes' : 'no');
  const ifSo = (isSo: boolean) => (isSo ? (change.name ?? '') : null);
  return {
    ...(list !== undefined && { list: name(list) }),
    ...(due !== undefined && { due: due === null ? null : { time: due } }),
    ...(label !== undefined && { label: ifSo(label) }),
    ...(member !== undefined && { member: ifSo(member) }),
    ...(closed !== undefined && { archived: shortly(closed) }),
    ...(found !== undefined && { 'fits the search': shortly(found) }),
  };
}

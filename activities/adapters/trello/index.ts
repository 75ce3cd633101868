import type { BulkAdapter, CallLimits } from '../../../src/contract/adapter';
import { defineAdapter } from '../kit/define';
import type { Asked, Tool, ToolItem, WrittenItem } from '../kit/types';
import { createAllowance, type Allowance } from '../shared/allowance';
import {
  cardState,
  changeSchema,
  instant,
  matches,
  searchSchema,
  stateOf,
  type Card,
  type CardChange,
  type CardSearch,
  type CardState,
  type PreparedCards,
} from './cards';
import { PAGE_SIZE, trelloClient, type TrelloClient } from './client';
import { TRELLO_HINTS } from './errors';
import { namesIn, namesOf, resolveBoard, suggestedNames } from './names';
import { isId, showCard, TRELLO_ACTIONS } from './parameters';
import type { TrelloCredentials } from './protocol';

interface TrelloOptions {
  /** Trello, or another server with its API. */
  readonly baseUrl: string;
  /** Called at the start of every call. @throws BatchgateError if there are no credentials. */
  readonly credentials: () => Promise<TrelloCredentials>;
  /** Default: the limit that Trello publishes for a token, for this adapter alone. */
  readonly allowance?: Allowance;
  /** The number of cards that are changed concurrently. */
  readonly concurrency?: number;
}

/**
 * Trello allows 100 requests per 10 seconds and token. The rest is for other programs that use the token
 * (https://developer.atlassian.com/cloud/trello/guides/rest-api/rate-limits/).
 */
export const TRELLO_LIMIT = { perInterval: 40, intervalMs: 10_000, burst: 60 };

/**
 * Creates a bulk adapter for Trello: archive, unarchive, move, add_label, remove_label, set_due, assign. Trello has no
 * If-Match, so a change by others between our read and our write is overwritten.
 */
export function createTrelloAdapter(options: TrelloOptions): BulkAdapter {
  const { baseUrl, allowance = createAllowance(TRELLO_LIMIT), concurrency } = options;
  return defineAdapter<CardState, CardSearch, CardChange, TrelloTool>({
    name: 'trello',
    provider: 'Trello',
    noun: { one: 'card', many: 'cards' },
    hints: TRELLO_HINTS,
    state: cardState,
    adjusts: ['pos', 'dueComplete', 'dueReminder'],
    actions: TRELLO_ACTIONS,
    prepared: { query: searchSchema, change: changeSchema },
    resolve: (request, { client }) => resolve(client, request),
    async connect(limits: CallLimits, prepared) {
      return toolOf(
        trelloClient({ baseUrl, allowance, credentials: await options.credentials() }, limits),
        prepared,
      );
    },
    show: showCard,
    resolvedParams: (prepared, { client }) => namesIn(prepared, client),
    suggest: ({ parameter, params }, { client }) => suggestedNames(client, parameter, params['board']),
    place: () => baseUrl,
    pageSize: PAGE_SIZE,
    ...(concurrency !== undefined && { concurrency }),
  });
}

interface TrelloTool extends Tool<CardState, CardSearch> {
  readonly client: TrelloClient;
}

const NOTHING: PreparedCards = { action: '', change: {}, undo: false };

function toolOf(client: TrelloClient, prepared: PreparedCards = NOTHING): TrelloTool {
  const itemOf = (card: Card): ToolItem<CardState> => ({
    id: card.id,
    name: card.isTemplate ? `${card.name} (template)` : card.name,
    state: stateOf(card, prepared),
    facts: { board: card.idBoard },
  });
  const { action } = prepared;
  return {
    client,
    /** Newest first: archived cards for `unarchive`, open ones for every other action. */
    async list(search, limit) {
      const matching: Card[] = [];
      const filter = action === 'unarchive' ? 'closed' : 'open';
      for await (const page of client.cards(search.board.id, filter, search.text !== undefined)) {
        matching.push(...page.filter((card) => matches(card, search)));
        if (matching.length >= limit) break;
      }
      return matching.slice(0, limit).map(itemOf);
    },
    read: async (id) => itemOf(await client.card(id, prepared.query?.text !== undefined)),
    /** Returns the names of lists, if the change concerns lists other than that of the search. */
    async names(items) {
      const searchedList = action === 'unarchive' ? undefined : prepared.query?.list?.id;
      if (items.every(({ state }) => state?.list === undefined || state.list === searchedList)) return {};
      const boards = [...new Set(items.map(({ facts }) => String(facts?.board)))];
      const lists = await Promise.all(boards.map((board) => client.lists(board)));
      return Object.fromEntries(
        lists.flat().map(({ id, name, closed }) => [id, closed ? `${name} (archived)` : name]),
      );
    },
    write: async (item, target) => target && (await change(client, item, target, prepared)),
  };
}

/** Changes a card. Returns its state in Trello's answer. */
async function change(
  client: TrelloClient,
  { id, state }: WrittenItem<CardState>,
  target: CardState,
  prepared: PreparedCards,
): Promise<Partial<CardState>> {
  const { closed, list, pos, due, dueComplete, dueReminder, label, member } = target;
  const {
    action,
    change: { id: targetId = '' },
  } = prepared;
  const update = async (fields: object) => {
    const card = await client.update(id, fields);
    return card ? stateOf(card, prepared) : {};
  };
  switch (action) {
    case 'add_label':
    case 'remove_label':
      return { label: await client.setLabel(id, targetId, label === true) };
    case 'assign':
      return { member: await client.setMember(id, targetId, member === true) };
    case 'move':
      // Without a position, Trello puts each card at the end, in the order in which requests arrive.
      return update({ idList: list, pos });
    case 'set_due':
      // A first due date gets Trello's default reminder. A later one keeps the reminder and whether the card is done.
      return update(
        due === null || (state?.due === null && !prepared.undo)
          ? { due }
          : { due, dueComplete, dueReminder: dueReminder ?? -1 },
      );
    default:
      return update({ closed });
  }
}

/** The parameters that contain names, as parsed. */
type NamedParams = Partial<
  Record<'board' | 'list' | 'label' | 'text' | 'target_list' | 'label_name' | 'member', string>
> & { due?: string | null };

async function resolve(
  client: TrelloClient,
  { explicit_items, ...request }: Asked,
): Promise<{ query?: CardSearch; change: CardChange }> {
  const { list, label, text, ...query } = request.query as NamedParams;
  const { target_list, label_name, member, due, ...change } = request.change as NamedParams;
  const target = target_list ?? label_name ?? member;
  const boardName = query.board ?? change.board;
  const boardMatters = !explicit_items || (target !== undefined && !isId(target));
  const board = boardName !== undefined && boardMatters ? await resolveBoard(client, boardName) : undefined;
  const names = namesOf(client, board);
  const search = board && {
    board,
    ...(list !== undefined && { list: await names.anyList(list) }),
    ...(label !== undefined && { label: (({ id, name }) => ({ id, name }))(await names.label(label)) }),
    ...(text !== undefined && { text }),
  };
  return {
    ...(search && { query: search }),
    change: {
      ...(target_list !== undefined && (await targetList(names, target_list, board))),
      ...(label_name !== undefined && (await names.label(label_name))),
      ...(member !== undefined && (await names.member(member))),
      ...(due !== undefined && { due: instant(due) }),
    },
  };
}

/** `elsewhere`: the cards can be on another board than the list. */
async function targetList(
  names: ReturnType<typeof namesOf>,
  list: string,
  board: { id: string } | undefined,
): Promise<CardChange> {
  const target = await names.openList(list);
  return { ...target, ...(target.board?.id !== board?.id && { elsewhere: true }) };
}

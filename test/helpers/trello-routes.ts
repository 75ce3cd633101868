import type { Card, TrelloWorld } from './trello-world';

/** A refusal in Trello's usual form: plain text. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly content: unknown,
  ) {
    super(String(content));
  }
}
export const notFound = () => new Refusal(404, 'The requested resource was not found.');

interface Asked {
  world: TrelloWorld;
  /** The member who sends the request. */
  idMember: string;
  ids: string[];
  /** Query and JSON body merged, as Trello accepts them. */
  params: Record<string, unknown>;
}

interface Route {
  method: string;
  path: RegExp;
  handle: (request: Asked) => unknown;
}

const route = (method: string, path: string, handle: Route['handle']): Route => ({
  method,
  path: new RegExp(`^/1/${path.replaceAll('*', '([^/]+)')}/?$`),
  handle,
});

export const routes: Route[] = [
  route('GET', 'members/me', ({ world, idMember, params }) =>
    only(
      params,
      world.members.find(({ id }) => id === idMember)!,
    ),
  ),
  route('GET', 'members/me/boards', ({ world, idMember, params }) =>
    world.boards
      .filter(
        ({ closed, idMembers }) => idMembers.includes(idMember) && (params.filter !== 'open' || !closed),
      )
      .map((board) => only(params, board)),
  ),
  route('GET', 'members/*', ({ world, ids, params }) => only(params, withId(world.members, ids[0]))),
  route('GET', 'boards/*', (request) => only(request.params, boardOf(request))),
  route('GET', 'lists/*', ({ world, ids, params }) => only(params, withId(world.lists, ids[0]))),
  route('GET', 'labels/*', ({ world, ids, params }) => only(params, withId(world.labels, ids[0]))),
  route('GET', 'boards/*/lists', (request) => {
    const idBoard = boardOf(request).id;
    return request.world.lists
      .filter((list) => list.idBoard === idBoard && (request.params.filter === 'all' || !list.closed))
      .map((list) => only(request.params, list));
  }),
  route('GET', 'boards/*/labels', (request) => {
    const idBoard = boardOf(request).id;
    return request.world.labels
      .filter((label) => label.idBoard === idBoard)
      .slice(0, Number(request.params.limit ?? 50))
      .map((label) => only(request.params, label));
  }),
  route('GET', 'boards/*/members', (request) => {
    const { idMembers } = boardOf(request);
    return request.world.members
      .filter(({ id }) => idMembers.includes(id))
      .map((member) => only(request.params, member));
  }),
  route('GET', 'boards/*/cards/*', cardsOfBoard),
  route('GET', 'cards/*', (request) => only(request.params, cardOf(request))),
  route('PUT', 'cards/*', (request) => updateCard(request, cardOf(request))),
  route('POST', 'cards/*/idLabels', (request) => {
    const card = cardOf(request);
    const label = request.world.labels.find(({ id }) => id === request.params.value);
    if (label?.idBoard !== card.idBoard) throw new Refusal(400, 'invalid value for value');
    if (card.idLabels.includes(label.id)) throw new Refusal(400, 'that label is already on the card');
    card.idLabels.push(label.id);
    return card.idLabels;
  }),
  route('DELETE', 'cards/*/idLabels/*', (request) => {
    const card = cardOf(request);
    if (!card.idLabels.includes(request.ids[1]!)) throw new Refusal(400, 'that label is not on the card');
    card.idLabels = card.idLabels.filter((id) => id !== request.ids[1]);
    return { limits: {} };
  }),
  route('POST', 'cards/*/idMembers', (request) => {
    const card = cardOf(request);
    const { members, boards } = request.world;
    const member = members.find(({ id }) => id === request.params.value);
    const board = boards.find(({ id }) => id === card.idBoard);
    if (!member || !board?.idMembers.includes(member.id)) throw new Refusal(400, 'invalid value for value');
    if (card.idMembers.includes(member.id)) throw new Refusal(400, 'member is already on the card');
    card.idMembers.push(member.id);
    return members.filter(({ id }) => card.idMembers.includes(id));
  }),
  route('DELETE', 'cards/*/idMembers/*', (request) => {
    const card = cardOf(request);
    if (!card.idMembers.includes(request.ids[1]!)) throw new Refusal(400, 'member is not on the card');
    card.idMembers = card.idMembers.filter((id) => id !== request.ids[1]);
    return request.world.members.filter(({ id }) => card.idMembers.includes(id));
  }),
  route('DELETE', 'tokens/*', ({ world, ids }) => {
    if (!world.tokens.delete(ids[0]!)) throw notFound();
    return {};
  }),
];

/** The requested fields, and always the id. */
function only(params: Asked['params'], thing: object & { id: string }): object {
  const { fields = 'all' } = params;
  if (typeof fields !== 'string' || fields === 'all') return thing;
  const names = ['id', ...fields.split(',')];
  return Object.fromEntries(Object.entries(thing).filter(([name]) => names.includes(name)));
}

const checkedId = (id = ''): string => {
  if (/^[0-9a-f]{24}$/.test(id)) return id;
  throw new Refusal(400, 'invalid id');
};

function withId<T extends { id: string }>(all: T[], id: string | undefined): T {
  const member = all.find((one) => one.id === checkedId(id));
  if (member) return member;
  throw notFound();
}

function boardOf({ world, ids, idMember }: Asked) {
  const board = world.boards.find(({ id }) => id === checkedId(ids[0]));
  if (!board) throw notFound();
  if (!board.idMembers.includes(idMember)) throw new Refusal(401, 'unauthorized permission requested');
  return board;
}

/** The short link of a card: a part of its address in a browser. */
export const shortLink = (id: string): string => id.slice(0, 8);

function cardOf({ world, ids, idMember }: Asked): Card {
  const card = world.cards.find(({ id }) => shortLink(id) === ids[0] || id === checkedId(ids[0]));
  if (!card) throw notFound();
  const board = world.boards.find(({ id }) => id === card.idBoard);
  if (!board?.idMembers.includes(idMember)) throw new Refusal(401, 'unauthorized card permission requested');
  return card;
}

/** The newest `limit` cards older than `before`, in the order of the board. */
function cardsOfBoard(request: Asked): object[] {
  const { world, ids, params } = request;
  const limit = Number(params.limit ?? 1_000);
  if (!Number.isInteger(limit) || limit < 1 || limit > 1_000)
    throw new Refusal(400, 'invalid value for limit');
  if (!['open', 'closed', 'all'].includes(ids[1]!)) throw new Refusal(400, 'invalid value for filter');
  const idBoard = boardOf(request).id;
  const place = new Map(world.lists.map(({ id, pos }) => [id, pos]));
  return world.cards
    .filter((card) => card.idBoard === idBoard && (ids[1] === 'all' || card.closed === (ids[1] === 'closed')))
    .filter(({ id }) => typeof params.before !== 'string' || id < params.before)
    .sort((one, other) => (one.id < other.id ? 1 : -1))
    .slice(0, limit)
    .sort((one, other) => place.get(one.idList)! - place.get(other.idList)! || one.pos - other.pos)
    .map((card) => only(params, card));
}

function updateCard({ world, params }: Asked, card: Card): Card {
  const changes: Partial<Card> = {};
  if ('closed' in params) {
    if (!['true', 'false'].includes(String(params.closed)))
      throw new Refusal(400, 'invalid value for closed');
    changes.closed = String(params.closed) === 'true';
  }
  if ('idList' in params) {
    const list = world.lists.find(({ id }) => id === params.idList);
    if (!list) throw new Refusal(400, 'invalid value for idList');
    // Without `pos` the card goes to the end of the list.
    const last = Math.max(0, ...world.cards.filter(({ idList }) => idList === list.id).map(({ pos }) => pos));
    Object.assign(changes, { idList: list.id, idBoard: list.idBoard, pos: last + 1 });
    // Labels belong to a board.
    const labels = world.labels.filter(({ idBoard }) => idBoard === list.idBoard).map(({ id }) => id);
    changes.idLabels = card.idLabels.filter((id) => labels.includes(id));
  }
  if ('pos' in params) changes.pos = Number(params.pos);
  if ('due' in params) {
    const due = params.due as string | null;
    if (due !== null && Number.isNaN(Date.parse(due))) throw new Refusal(400, 'invalid value for due');
    changes.due = due === null ? null : new Date(due).toISOString();
    // A new date is not met yet, and has the usual reminder; without a date there is none.
    Object.assign(changes, { dueComplete: false, dueReminder: due === null ? null : 1_440 });
  }
  if ('dueComplete' in params) changes.dueComplete = String(params.dueComplete) === 'true';
  if ('dueReminder' in params)
    changes.dueReminder = Number(params.dueReminder) < 0 ? null : Number(params.dueReminder);
  return Object.assign(card, changes);
}

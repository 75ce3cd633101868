/** The data of our Trello server; tests read and change it directly, without the API. */
export interface TrelloWorld {
  boards: Board[];
  lists: List[];
  labels: Label[];
  members: Member[];
  cards: Card[];
  /** Valid tokens, each with the member who granted it. */
  tokens: Map<string, string>;
}

export interface Board {
  id: string;
  name: string;
  closed: boolean;
  idMembers: string[];
}
export interface List {
  id: string;
  name: string;
  closed: boolean;
  idBoard: string;
  pos: number;
}
export interface Label {
  id: string;
  idBoard: string;
  name: string;
  color: string | null;
}
export interface Member {
  id: string;
  username: string;
  fullName: string;
}
export interface Card {
  id: string;
  name: string;
  desc: string;
  closed: boolean;
  idBoard: string;
  idList: string;
  idLabels: string[];
  idMembers: string[];
  due: string | null;
  dueComplete: boolean;
  /** Minutes before the due date. */
  dueReminder: number | null;
  isTemplate: boolean;
  pos: number;
  dateLastActivity: string;
}

export const KEY = 'a1b2c3d4e5f60718293a4b5c6d7e8f90';
export const TOKEN = 'ATTA0123456789abcdef-secret-of-sam';
export const BOARD = 'Product';

/**
 * A board with four lists (one archived), labels, two members and 30 cards; also two boards with the same name, and one
 * that Sam may not see.
 */
export function seededTrello() {
  let last = 0x65000000;
  const nextId = () => `${(last += 1).toString(16)}0000000000000000`;
  const [sam, ana] = [member('sam', 'Sam Okafor'), member('ana_d', 'Ana Duarte')];
  const world: TrelloWorld = {
    boards: [],
    lists: [],
    labels: [],
    members: [sam, ana],
    cards: [],
    tokens: new Map([[TOKEN, sam.id]]),
  };
  function member(username: string, fullName: string): Member {
    return { id: nextId(), username, fullName };
  }
  function board(name: string, members: Member[]): Board {
    const created = { id: nextId(), name, closed: false, idMembers: members.map(({ id }) => id) };
    world.boards.push(created);
    return created;
  }
  function list(idBoard: string, name: string, closed = false): List {
    const created = { id: nextId(), name, closed, idBoard, pos: world.lists.length };
    world.lists.push(created);
    return created;
  }
  function label(idBoard: string, name: string, color: string | null): Label {
    const created = { id: nextId(), idBoard, name, color };
    world.labels.push(created);
    return created;
  }
  function card(from: List, name: string, more: Partial<Card> = {}): Card {
    const created: Card = {
      id: nextId(),
      name,
      desc: '',
      closed: false,
      idBoard: from.idBoard,
      idList: from.id,
      idLabels: [],
      idMembers: [],
      due: null,
      dueComplete: false,
      dueReminder: null,
      isTemplate: false,
      pos: -world.cards.length,
      dateLastActivity: '2026-11-02T09:00:00.000Z',
      ...more,
    };
    world.cards.push(created);
    return created;
  }
  const product = board(BOARD, [sam, ana]);
  const [twin, otherTwin] = [board('Twin', [sam]), board('twin', [sam])];
  const secret = board('Secret', [ana]);
  const [todo, doing, done] = ['To do', 'Doing', 'Done'].map((name) => list(product.id, name)) as [
    List,
    List,
    List,
  ];
  const old = list(product.id, 'Old', true);
  const doneBefore = list(product.id, 'Done', true);
  const twinList = list(twin.id, 'Inbox');
  const [bug, feature] = [label(product.id, 'Bug', 'red'), label(product.id, 'Feature', 'green')];
  const [blue, ...same] = [
    label(product.id, '', 'blue'),
    label(product.id, 'Same', 'sky'),
    label(product.id, 'same', 'pink'),
  ];
  for (let at = 1; at <= 12; at += 1)
    card(todo, `Task ${at}`, { desc: at % 4 === 0 ? 'Ask LEGAL first' : '' });
  for (let at = 1; at <= 8; at += 1) card(doing, `Fix ${at}`, { idLabels: at % 2 === 0 ? [bug.id] : [] });
  for (let at = 1; at <= 6; at += 1) card(done, `Shipped ${at}`);
  for (let at = 1; at <= 4; at += 1) card(done, `Archived ${at}`, { closed: true });
  const hidden = card(list(secret.id, 'Plans'), 'Not for Sam');
  return {
    ...{ world, nextId, list, label, card },
    ...{ sam, ana, product, twin, otherTwin, secret, hidden },
    ...{ todo, doing, done, old, doneBefore, twinList, bug, feature, blue, same },
  };
}

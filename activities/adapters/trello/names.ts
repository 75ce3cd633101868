import { mistake, ProviderFailure } from '../shared/failure';
import { byName, withName } from '../shared/names';
import { once } from '../shared/once';
import type { Named, Placed, PreparedCards } from './cards';
import type { Label, Member, TrelloClient } from './client';
import { isId } from './parameters';

/** Looks up objects by name on one board, or by id on any board. Each list of names is read once. */
export function namesOf(client: TrelloClient, board: Named | undefined) {
  const readOnce = <T>(list: (id: string) => Promise<T>) => once(() => onBoard(board, list));
  const lists = readOnce((id) => client.lists(id));
  const labels = readOnce((id) => client.labels(id));
  const members = readOnce((id) => client.members(id));
  const here = (object: Named): Placed => ({ ...object, ...(board && { board }) });
  /** Adds the board, with its name if it is another board. */
  const placed = async ({ id, name }: Named, idBoard: string): Promise<Placed> =>
    idBoard === board?.id
      ? here({ id, name })
      : { id, name, board: await byId('Board', idBoard, (other) => client.board(other)) };
  return {
    /** Returns a list as the target of a move. */
    async openList(list: string): Promise<Placed> {
      if (!isId(list)) return here(byName('List', (await lists()).filter(isOpen), list));
      const match = await byId('List', list, (id) => client.list(id));
      if (isOpen(match)) return placed(match, match.idBoard);
      throw mistake(
        `The list '${match.name}' is archived`,
        'Bring it back in Trello first, or name another list.',
      );
    },
    /** Returns a list to search in. An archived list is used only if no open list has the name. */
    async anyList(list: string): Promise<Named> {
      if (isId(list)) return named(await byId('List', list, (id) => client.list(id)));
      const all = await lists();
      const open = all.filter(isOpen);
      return byName('List', withThisName(open, list).length > 0 ? open : all, list);
    },
    async label(label: string): Promise<Placed> {
      if (!isId(label)) return here(byName('Label', (await labels()).map(labelled), label));
      const match = await byId('Label', label, (id) => client.label(id));
      return placed(labelled(match), match.idBoard);
    },
    async member(member: string): Promise<Named> {
      if (isId(member)) return memberNamed(await byId('Member', member, (id) => client.member(id)));
      const all = await members();
      const byUsername = all.map(({ id, username }) => ({ id, name: username }));
      const bareName = member.replace(/^@/, '');
      return byName(
        'Member',
        withThisName(byUsername, bareName).length > 0 ? byUsername : all.map(memberNamed),
        bareName,
      );
    },
  };
}

/** Returns the board with this name or id. */
export async function resolveBoard(client: TrelloClient, board: string): Promise<Named> {
  return isId(board)
    ? named(await byId('Board', board, (id) => client.board(id)))
    : byName('Board', await client.boards(), board);
}

const isOpen = ({ closed }: { closed: boolean }): boolean => !closed;
const named = ({ id, name }: Named): Named => ({ id, name });
const labelled = ({ id, name, color }: Label): Named => ({ id, name: name || color || '' });
const memberNamed = ({ id, username, fullName }: Member): Named => ({ id, name: fullName || username });

/** @throws BatchgateError `INVALID_INPUT` if no object has this id. */
async function byId<T>(kind: string, id: string, get: (id: string) => Promise<T>): Promise<T> {
  try {
    return await get(id);
  } catch (error) {
    if (!(error instanceof ProviderFailure && error.status === 404)) throw error;
    throw mistake(`${kind} '${id}' not found`, 'Check the id.');
  }
}

/** The parameter of the object that each action sets. */
const TARGETS = new Map([
  ['move', 'target_list'],
  ['add_label', 'label_name'],
  ['remove_label', 'label_name'],
]);

/** Returns the names of a prepared request. A member has the username, which no other member has. */
export async function namesIn(
  { action, query, change: { id, name, board: home } }: PreparedCards,
  client: Pick<TrelloClient, 'member'>,
): Promise<Record<string, string>> {
  const board = query?.board ?? home;
  const target = TARGETS.get(action);
  return {
    ...(board && { board: board.name }),
    ...(query?.list && { list: query.list.name }),
    ...(query?.label && { label: query.label.name }),
    ...(target !== undefined && name !== undefined && { [target]: name }),
    ...(action === 'assign' && id !== undefined && { member: (await client.member(id)).username }),
  };
}

/** Returns the names that a parameter can have: boards, and the objects on the named board. */
export async function suggestedNames(
  client: TrelloClient,
  parameter: string,
  board: string | undefined,
): Promise<string[]> {
  if (parameter === 'board') return (await client.boards()).map(({ name }) => name);
  const namesOn = NAMES_ON.get(parameter);
  if (namesOn === undefined || board === undefined) return [];
  const { id } = await resolveBoard(client, board);
  return namesOn(client, id);
}

const labelNames = async (client: TrelloClient, board: string) =>
  (await client.labels(board)).map((label) => labelled(label).name);
const listNames = async (client: TrelloClient, board: string) =>
  (await client.lists(board)).filter(isOpen).map(({ name }) => name);

const NAMES_ON = new Map([
  ['label', labelNames],
  ['label_name', labelNames],
  ['list', listNames],
  ['target_list', listNames],
]);

async function onBoard<T>(board: Named | undefined, list: (id: string) => Promise<T>): Promise<T> {
  // The schemas require a board wherever a name is looked up.
  if (board === undefined) throw new Error('a name was looked up without a board');
  return list(board.id);
}

const withThisName = (candidates: readonly Named[], text: string): Named[] =>
  withName(candidates, text, ({ name }) => name);

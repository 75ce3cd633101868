import { BatchgateError } from '../../../src/contract/errors';
import { nearestNames, withName } from '../shared/names';
import { ProviderFailure } from '../shared/failure';
import type { TrelloClient } from './client';
import { isId } from './parameters';

export interface Named {
  readonly id: string;
  readonly name: string;
}

/** The board with this name or id. */
export async function resolveBoard(client: TrelloClient, board: string): Promise<Named> {
  return isId(board) ? asItIs(board) : pick('Board', await client.boards(), board);
}

/** Looks up names on one board; ids are taken as they are. Each kind is read once. */
export function namesOf(client: TrelloClient, board: Named | undefined) {
  const readOnce = <T>(list: (id: string) => Promise<T>) => {
    let answer: Promise<T> | undefined;
    return () => (answer ??= onBoard(board, list));
  };
  const lists = readOnce((id) => client.lists(id));
  const labels = readOnce((id) => client.labels(id));
  const members = readOnce((id) => client.members(id));
  return {
    /** A list as the target of a move. */
    async openList(list: string): Promise<Named> {
      if (isId(list)) return asItIs(list);
      const open = (await lists()).filter(({ closed }) => !closed);
      return pick('List', open, list);
    },
    /** A list that contains cards: an archived one only if no open list has the name. */
    async anyList(list: string): Promise<Named> {
      if (isId(list)) return asItIs(list);
      const all = await lists();
      const open = all.filter(({ closed }) => !closed);
      return pick('List', named(open, list).length > 0 ? open : all, list);
    },
    async label(label: string): Promise<Named> {
      if (isId(label)) return asItIs(label);
      const all = await labels();
      return pick(
        'Label',
        all.map(({ id, name, color }) => ({ id, name: name || color || '' })),
        label,
      );
    },
    async member(member: string): Promise<Named> {
      if (isId(member)) return asItIs(member);
      const all = await members();
      const byUsername = all.map(({ id, username }) => ({ id, name: username }));
      const wanted = member.replace(/^@/, '');
      const known = all.map(({ id, username, fullName }) => ({ id, name: fullName || username }));
      return pick('Member', named(byUsername, wanted).length > 0 ? byUsername : known, wanted);
    },
  };
}

/** The names that a parameter can have: boards, and the objects on the named board. */
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
  (await client.labels(board)).map(({ name, color }) => name || color || '');
const listNames = async (client: TrelloClient, board: string) =>
  (await client.lists(board)).filter(({ closed }) => !closed).map(({ name }) => name);

const NAMES_ON = new Map([
  ['label', labelNames],
  ['label_name', labelNames],
  ['list', listNames],
  ['target_list', listNames],
]);

const asItIs = (id: string): Named => ({ id, name: id });

async function onBoard<T>(board: Named | undefined, list: (id: string) => Promise<T>): Promise<T> {
  // The schemas require a board wherever a name is looked up.
  if (board === undefined) throw new Error('a name was looked up without a board');
  try {
    return await list(board.id);
  } catch (error) {
    if (!(error instanceof ProviderFailure && error.status === 404)) throw error;
    throw new BatchgateError(
      'INVALID_INPUT',
      `Board '${board.name}' not found`,
      'Check the id of the board.',
    );
  }
}

const named = (candidates: readonly Named[], wanted: string): Named[] =>
  withName(candidates, wanted, ({ name }) => name);

/** @throws BatchgateError `INVALID_INPUT` if none or several have this name. */
function pick(kind: string, candidates: readonly Named[], wanted: string): Named {
  const found = named(candidates, wanted);
  const [first, ...others] = found;
  if (first === undefined) {
    const near = nearestNames(
      candidates.map(({ name }) => name),
      wanted,
    );
    throw new BatchgateError(
      'INVALID_INPUT',
      `${kind} '${wanted}' not found`,
      near.length > 0
        ? `The nearest names: ${near.join(', ')}. You can also give the id.`
        : 'Check the name in Trello, or give the id.',
    );
  }
  if (others.length === 0) return { id: first.id, name: first.name };
  throw new BatchgateError(
    'INVALID_INPUT',
    `${kind} '${wanted}' is ambiguous: ${found.length} have this name`,
    `Give the id of the right one: ${found.map(({ id, name }) => `${name} (${id})`).join(', ')}.`,
  );
}

import { BatchgateError } from '../../../src/contract/errors';
import { folded, nearestNames } from '../../../src/provider/names';
import { ProviderFailure } from '../../../src/provider/failure';
import type { TrelloClient } from './client';
import { isId } from './parameters';

export interface Named {
  readonly id: string;
  readonly name: string;
}

/** The board of this name or id. */
export async function resolveBoard(client: TrelloClient, board: string): Promise<Named> {
  return isId(board) ? asItIs(board) : pick('Board', await client.boards(), board);
}

/** Looks up names on one board; what is given as an id is taken as it is. Each kind is read once. */
export function namesOf(client: TrelloClient, board: Named | undefined) {
  const readOnce = <T>(list: (id: string) => Promise<T>) => {
    let answer: Promise<T> | undefined;
    return () => (answer ??= onBoard(board, list));
  };
  const lists = readOnce((id) => client.lists(id));
  const labels = readOnce((id) => client.labels(id));
  const members = readOnce((id) => client.members(id));
  return {
    /** A list that cards are moved to. */
    async openList(list: string): Promise<Named> {
      if (isId(list)) return asItIs(list);
      const open = (await lists()).filter(({ closed }) => !closed);
      return pick('List', open, list);
    },
    /** A list that cards are in: an archived one where no other has the name. */
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

const asItIs = (id: string): Named => ({ id, name: id });

async function onBoard<T>(board: Named | undefined, list: (id: string) => Promise<T>): Promise<T> {
  // The schemas ask for a board wherever a name is to be looked up.
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

/** Those of this very name, else those of this name in any case. */
function named(candidates: readonly Named[], wanted: string): Named[] {
  const exact = candidates.filter(({ name }) => name === wanted);
  return exact.length > 0 ? exact : candidates.filter(({ name }) => folded(name) === folded(wanted));
}

/** @throws BatchgateError `INVALID_INPUT` when none has this name, or several have it. */
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
        ? `The nearest names: ${near.join(', ')}. An id does too.`
        : 'Check the name in Trello, or give the id.',
    );
  }
  if (others.length === 0) return { id: first.id, name: first.name };
  throw new BatchgateError(
    'INVALID_INPUT',
    `${kind} '${wanted}' is ambiguous: ${found.length} have this name`,
    `Give the id of the one that is meant: ${found.map(({ id, name }) => `${name} (${id})`).join(', ')}.`,
  );
}

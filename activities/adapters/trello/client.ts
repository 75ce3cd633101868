import { z } from 'zod';
import type { CallLimits } from '../../../src/contract/adapter';
import { withoutTrailing } from '../../../src/contract/text';
import { trelloAuthorization, type TrelloCredentials } from './protocol';
import type { Allowance } from '../shared/allowance';
import { malformed, ProviderFailure } from '../shared/failure';
import { sendRequest } from '../shared/send';
import { cardSchema, type Card, type CardChange } from './cards';
import { trelloFailure } from './errors';

/** Trello's requests, one function each. Each obeys the limits and throws `ProviderFailure`. */
export type TrelloClient = ReturnType<typeof trelloClient>;

interface TrelloAccount {
  readonly baseUrl: string;
  readonly credentials: TrelloCredentials;
  readonly allowance: Allowance;
}

interface Request {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
}

/** Sends a request and returns the body of the answer, parsed if it is JSON. */
type Ask = (method: string, path: string, request?: Request) => Promise<unknown>;

/** The maximum of one list of cards. */
export const PAGE_SIZE = 1_000;
/** Smaller with descriptions, of up to 16,384 characters each: a page must fit the limit of an answer's size. */
const DESCRIBED_PAGE_SIZE = 200;
const CARD_FIELDS = 'name,closed,idList,idLabels,idMembers,due';
const fieldsOf = (described: boolean) => (described ? `${CARD_FIELDS},desc` : CARD_FIELDS);

const named = z.object({ id: z.string().min(1), name: z.string() });
const listSchema = named.extend({ closed: z.boolean() });
const labelSchema = z.object({
  id: z.string().min(1),
  name: z.string().nullish(),
  color: z.string().nullish(),
});
const memberSchema = z.object({
  id: z.string().min(1),
  username: z.string(),
  fullName: z.string().nullish(),
});

export function trelloClient(account: TrelloAccount, limits: CallLimits) {
  const ask = transport(account, limits);
  return { ...nameRequests(ask), ...cardRequests(ask) };
}

function transport({ baseUrl, credentials, allowance }: TrelloAccount, limits: CallLimits): Ask {
  const secrets = [credentials.key, credentials.token];
  return async (method, path, { query = {}, body } = {}) => {
    const url = new URL(`${withoutTrailing(baseUrl, '/')}/1/${path}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const headers = {
      accept: 'application/json',
      authorization: trelloAuthorization(credentials),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    const request = { method, url, headers, body: body && JSON.stringify(body) };
    const { status, text } = await sendRequest('Trello', request, allowance, limits);
    if (status < 200 || status > 299) throw trelloFailure(status, text, secrets);
    try {
      return JSON.parse(text) as unknown;
    } catch {
      return undefined;
    }
  };
}

/** A part of a path. Trello's ids are letters and digits; other characters could change the path. */
function part(id: string): string {
  if (/^[0-9a-z]+$/i.test(id)) return id;
  throw new ProviderFailure('refused', 'This is not a Trello id', { status: 404 });
}

function read<S extends z.ZodType>(schema: S, answer: unknown): z.output<S> {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw malformed('Trello');
}

function nameRequests(ask: Ask) {
  return {
    async boards() {
      const query = { filter: 'open', fields: 'name' };
      return read(z.array(named), await ask('GET', 'members/me/boards', { query }));
    },
    /** Includes archived lists. */
    async lists(board: string) {
      const query = { filter: 'all', fields: 'name,closed' };
      return read(z.array(listSchema), await ask('GET', `boards/${part(board)}/lists`, { query }));
    },
    async labels(board: string) {
      const query = { fields: 'name,color', limit: '1000' };
      return read(z.array(labelSchema), await ask('GET', `boards/${part(board)}/labels`, { query }));
    },
    async members(board: string) {
      const query = { fields: 'username,fullName' };
      return read(z.array(memberSchema), await ask('GET', `boards/${part(board)}/members`, { query }));
    },
  };
}

function cardRequests(ask: Ask) {
  return {
    /**
     * The cards of a board in pages, newest first. Trello's pages hold the newest cards, in any order; the next page
     * holds cards older than the id `before`.
     */
    async *cards(board: string, filter: 'open' | 'closed', described: boolean): AsyncGenerator<Card[]> {
      const limit = described ? DESCRIBED_PAGE_SIZE : PAGE_SIZE;
      const fields = fieldsOf(described);
      for (let before: string | undefined; ;) {
        const query = { fields, limit: String(limit), ...(before !== undefined && { before }) };
        const answer = await ask('GET', `boards/${part(board)}/cards/${filter}`, { query });
        const page = read(z.array(cardSchema), answer).sort((one, other) => (one.id < other.id ? 1 : -1));
        const oldest = page.at(-1)?.id;
        if (oldest === undefined || (before !== undefined && oldest >= before)) return;
        yield page;
        if (page.length < limit) return;
        before = oldest;
      }
    },
    async card(id: string, described = false): Promise<Card> {
      const query = { fields: `${fieldsOf(described)},idBoard` };
      return read(cardSchema, await ask('GET', `cards/${part(id)}`, { query }));
    },
    /** Changes a card, and returns the fields that Trello's answer shows. */
    async change(id: string, change: CardChange): Promise<Partial<Card>> {
      const card = `cards/${part(id)}`;
      if ('addLabel' in change) {
        const labels = await ask('POST', `${card}/idLabels`, { query: { value: change.addLabel } });
        return { idLabels: z.array(z.string()).safeParse(labels).data };
      }
      if ('addMember' in change) {
        const members = await ask('POST', `${card}/idMembers`, { query: { value: change.addMember } });
        return {
          idMembers: z
            .array(memberSchema)
            .safeParse(members)
            .data?.map((member) => member.id),
        };
      }
      if ('removeLabel' in change) {
        // The answer to this request is not documented.
        await ask('DELETE', `${card}/idLabels/${part(change.removeLabel)}`);
        return {};
      }
      if ('removeMember' in change) {
        await ask('DELETE', `${card}/idMembers/${part(change.removeMember)}`);
        return {};
      }
      const body = 'list' in change ? { idList: change.list } : change;
      return cardSchema.partial().safeParse(await ask('PUT', card, { body })).data ?? {};
    },
  };
}

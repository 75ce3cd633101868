import { z } from 'zod';
import type { CallLimits } from '../../../src/contract/adapter';
import { withoutTrailing } from '../../../src/contract/text';
import { trelloAuthorization, type TrelloCredentials } from './protocol';
import type { Allowance } from '../shared/allowance';
import { malformed, ProviderFailure } from '../shared/failure';
import { sendRequest } from '../shared/send';
import { cardSchema, type Card } from './cards';
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
const CARD_FIELDS = Object.keys(cardSchema.omit({ id: true, desc: true }).shape).join();
const fieldsOf = (described: boolean) => (described ? `${CARD_FIELDS},desc` : CARD_FIELDS);

const named = z.object({ id: z.string().min(1), name: z.string() });
const listSchema = named.extend({ closed: z.boolean() });
const labelSchema = z.object({
  id: z.string().min(1),
  name: z.string().nullish(),
  color: z.string().nullish(),
});
export type Label = z.infer<typeof labelSchema>;
const onBoard = { idBoard: z.string().min(1) };
const memberSchema = z.object({
  id: z.string().min(1),
  username: z.string(),
  fullName: z.string().nullish(),
});
export type Member = z.infer<typeof memberSchema>;

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
    const answer = await sendRequest('Trello', request, allowance, limits);
    if (answer.status < 200 || answer.status > 299) throw trelloFailure(answer, secrets);
    try {
      return JSON.parse(answer.text) as unknown;
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
    async board(id: string) {
      return read(named, await ask('GET', `boards/${part(id)}`, { query: { fields: 'name' } }));
    },
    async list(id: string) {
      const query = { fields: 'name,closed,idBoard' };
      return read(listSchema.extend(onBoard), await ask('GET', `lists/${part(id)}`, { query }));
    },
    async label(id: string) {
      const query = { fields: 'name,color,idBoard' };
      return read(labelSchema.extend(onBoard), await ask('GET', `labels/${part(id)}`, { query }));
    },
    async member(id: string) {
      const query = { fields: 'username,fullName' };
      return read(memberSchema, await ask('GET', `members/${part(id)}`, { query }));
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
      const query = { fields: fieldsOf(described) };
      return read(cardSchema, await ask('GET', `cards/${part(id)}`, { query }));
    },
    /** Sets fields of a card, and returns the card if Trello's answer shows it. */
    async update(id: string, fields: object): Promise<Card | undefined> {
      return cardSchema.safeParse(await ask('PUT', `cards/${part(id)}`, { body: fields })).data;
    },
    /** Returns whether the card has the label; undefined if Trello's answer does not show it. */
    async setLabel(id: string, label: string, has: boolean): Promise<boolean | undefined> {
      const answer = await setPart(`cards/${part(id)}/idLabels`, label, has);
      return has ? z.array(z.string()).safeParse(answer).data?.includes(label) : undefined;
    },
    async setMember(id: string, member: string, has: boolean): Promise<boolean | undefined> {
      const answer = await setPart(`cards/${part(id)}/idMembers`, member, has);
      const members = has ? z.array(memberSchema).safeParse(answer).data : undefined;
      return members?.some((one) => one.id === member);
    },
  };
  /** The answer to a removal is not documented. */
  function setPart(path: string, value: string, has: boolean): Promise<unknown> {
    return has ? ask('POST', path, { query: { value } }) : ask('DELETE', `${path}/${part(value)}`);
  }
}

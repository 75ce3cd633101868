import { z } from 'zod';
import type { CallLimits } from '../../../src/contract/adapter';
import { withoutTrailing } from '../../../src/contract/text';
import { trelloAuthorization, type TrelloCredentials } from './protocol';
import type { Allowance } from '../shared/allowance';
import { jsonRequests } from '../kit/json-client';
import { ProviderFailure } from '../shared/failure';
import type { WebAnswer } from '../shared/send';
import { cardSchema, type Card } from './cards';
import { trelloFailure } from './errors';

/** Trello's requests, one function each. Each obeys the limits and throws `ProviderFailure`. */
export type TrelloClient = ReturnType<typeof trelloClient>;

interface TrelloAccount {
  readonly baseUrl: string;
  readonly credentials: TrelloCredentials;
  readonly allowance: Allowance;
}

/** Sends a request, and parses the answer with a schema. */
type Ask = <S extends z.ZodType>(
  schema: S,
  path: string,
  query?: Readonly<Record<string, string>>,
  request?: { readonly method: string; readonly body?: object },
) => Promise<z.output<S>>;

/** The largest page of cards. */
export const PAGE_SIZE = 1_000;
/** Smaller for cards with descriptions, of up to 16,384 characters each, so that an answer is within its size limit. */
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
  const api = {
    name: 'Trello',
    url: `${withoutTrailing(baseUrl, '/')}/1`,
    headers: { authorization: trelloAuthorization(credentials) },
    allowance,
    failure: (answer: WebAnswer) => trelloFailure(answer, [credentials.key, credentials.token]),
  };
  const send = jsonRequests(api, limits);
  return (schema, path, query, request) =>
    send(schema, `/${path}${query ? `?${new URLSearchParams(query).toString()}` : ''}`, request);
}

/** Returns an id as a part of a path. Trello's ids are letters and digits; other characters could change the path. */
function part(id: string): string {
  if (/^[0-9a-z]+$/i.test(id)) return id;
  throw new ProviderFailure('refused', 'This is not a Trello id', { status: 404 });
}

function nameRequests(ask: Ask) {
  const ofList = listSchema.extend(onBoard);
  const ofLabel = labelSchema.extend(onBoard);
  return {
    boards: () => ask(z.array(named), 'members/me/boards', { filter: 'open', fields: 'name' }),
    /** Includes archived lists. */
    lists: async (board: string) =>
      ask(z.array(listSchema), `boards/${part(board)}/lists`, { filter: 'all', fields: 'name,closed' }),
    labels: async (board: string) =>
      ask(z.array(labelSchema), `boards/${part(board)}/labels`, { fields: 'name,color', limit: '1000' }),
    members: async (board: string) =>
      ask(z.array(memberSchema), `boards/${part(board)}/members`, { fields: 'username,fullName' }),
    board: async (id: string) => ask(named, `boards/${part(id)}`, { fields: 'name' }),
    list: async (id: string) => ask(ofList, `lists/${part(id)}`, { fields: 'name,closed,idBoard' }),
    label: async (id: string) => ask(ofLabel, `labels/${part(id)}`, { fields: 'name,color,idBoard' }),
    member: async (id: string) => ask(memberSchema, `members/${part(id)}`, { fields: 'username,fullName' }),
  };
}

function cardRequests(ask: Ask) {
  return {
    /**
     * The cards of a board in pages, newest first. A page of Trello contains the newest cards, in any order. The next
     * page contains the cards older than the id `before`.
     */
    async *cards(board: string, filter: 'open' | 'closed', described: boolean): AsyncGenerator<Card[]> {
      const limit = described ? DESCRIBED_PAGE_SIZE : PAGE_SIZE;
      const fields = fieldsOf(described);
      for (let before: string | undefined; ;) {
        const query = { fields, limit: String(limit), ...(before !== undefined && { before }) };
        const answer = await ask(z.array(cardSchema), `boards/${part(board)}/cards/${filter}`, query);
        const page = answer.sort((left, right) => (left.id < right.id ? 1 : -1));
        const oldest = page.at(-1)?.id;
        if (oldest === undefined || (before !== undefined && oldest >= before)) return;
        yield page;
        if (page.length < limit) return;
        before = oldest;
      }
    },
    card: async (id: string, described = false): Promise<Card> =>
      ask(cardSchema, `cards/${part(id)}`, { fields: fieldsOf(described) }),
    /** Sets fields of a card. Returns the card if Trello's answer contains it. */
    update: async (id: string, body: object): Promise<Card | undefined> =>
      ask(ifShown(cardSchema), `cards/${part(id)}`, undefined, { method: 'PUT', body }),
    /** Returns whether the card has the label; undefined if Trello's answer does not contain the labels. */
    async setLabel(id: string, label: string, has: boolean): Promise<boolean | undefined> {
      const labels = await setPart(z.array(z.string()), `cards/${part(id)}/idLabels`, label, has);
      return labels?.includes(label);
    },
    async setMember(id: string, member: string, has: boolean): Promise<boolean | undefined> {
      const members = await setPart(z.array(memberSchema), `cards/${part(id)}/idMembers`, member, has);
      return members?.some((entry) => entry.id === member);
    },
  };
  /** Adds or removes a label or a member. Returns nothing after a removal, whose answer is not documented. */
  async function setPart<S extends z.ZodType>(schema: S, path: string, value: string, has: boolean) {
    if (has) return ask(ifShown(schema), path, { value }, { method: 'POST' });
    return void (await ask(z.unknown(), `${path}/${part(value)}`, undefined, { method: 'DELETE' }));
  }
}

/** Returns a schema that returns undefined for an answer that it cannot parse. */
const ifShown = <S extends z.ZodType>(schema: S) => schema.optional().catch(undefined);

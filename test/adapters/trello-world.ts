import { createTrelloAdapter } from '../../activities/adapters/trello';
import { unlimited } from '../../activities/adapters/shared/allowance';
import {
  httpCalls,
  type HttpRefusals,
  type ConformanceRequest,
  type ConformanceWorld,
  type ProviderCall,
} from '../../src/testing/conformance';
import { startHttpTap, type SeenRequest, type TapAnswer } from '../../src/testing/http-tap';
import { startTrello, type Trello } from '../helpers/trello-server';
import { BOARD, KEY, TOKEN, type Card } from '../helpers/trello-world';

const LIST = 'Backlog';
const DUE = '2026-12-24T18:00:00.000Z';
const QUERY = { board: BOARD, list: LIST };
const requests: ConformanceRequest[] = [
  { action: 'archive', params: QUERY },
  { action: 'unarchive', params: QUERY },
  { action: 'move', params: { ...QUERY, target_list: 'doing' } },
  { action: 'add_label', params: { ...QUERY, label_name: 'feature' } },
  { action: 'remove_label', params: { ...QUERY, label: 'bug', label_name: 'bug' } },
  { action: 'set_due', params: { ...QUERY, due: DUE } },
  { action: 'assign', params: { ...QUERY, member: 'Ana Duarte' } },
];

/** A refusal in plain text, the format of most of Trello's refusals. */
export const plainText = (status: number, body: string): TapAnswer => ({
  status,
  body,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
});
export const limited = (error = 'API_TOKEN_LIMIT_EXCEEDED'): TapAnswer => ({
  status: 429,
  body: JSON.stringify({ error, message: 'Rate limit exceeded' }),
});
export const NOT_FOUND = 'The requested resource was not found.';

const refusals: HttpRefusals = {
  limited: () => limited(),
  broken: () => plainText(503, 'Service Unavailable'),
  missing: () => plainText(404, NOT_FOUND),
  refused: ({ authorization }) => plainText(401, `invalid token: ${authorization}`),
};

function classify({ method, path }: SeenRequest): ProviderCall | undefined {
  const [, , collection, id, part] = path.split('/');
  if (collection === 'cards') return { kind: method === 'GET' ? 'read' : 'write', item_id: id };
  return { kind: part === 'cards' ? 'list' : 'lookup' };
}

/** Our Trello server behind a tap, with a separate list for the kit. */
export async function openTrelloWorld(): Promise<ConformanceWorld> {
  const trello = await startTrello();
  const backlog = trello.list(trello.product.id, LIST);
  const chore = (closed: boolean) => trello.card(backlog, 'Chore', { closed, idLabels: [trello.bug.id] });
  for (let at = 0; at < 48; at += 1) chore(false);
  for (let at = 0; at < 16; at += 1) chore(true);
  const tap = await startHttpTap(trello.url);
  const changed: Record<string, (card: Card) => boolean> = {
    archive: ({ closed }) => closed,
    unarchive: ({ closed }) => !closed,
    move: ({ idList }) => idList === trello.doing.id,
    add_label: ({ idLabels }) => idLabels.includes(trello.feature.id),
    remove_label: ({ idLabels }) => !idLabels.includes(trello.bug.id),
    set_due: ({ due }) => due === DUE,
    assign: ({ idMembers }) => idMembers.includes(trello.ana.id),
  };
  return {
    ...httpCalls(tap, classify, refusals),
    adapter: () =>
      createTrelloAdapter({
        baseUrl: tap.url,
        credentials: () => Promise.resolve({ key: KEY, token: TOKEN }),
        allowance: unlimited,
      }),
    requests,
    matching: ({ action }) => {
      const closed = action === 'unarchive';
      const cards = trello.world.cards.filter((card) => card.idList === backlog.id && card.closed === closed);
      return Promise.resolve(cards.map(({ id }) => id));
    },
    isChanged: (id, { action }) => Promise.resolve(changed[action]?.(trello.cardOf(id)) ?? false),
    state: () => Promise.resolve(structuredClone(trello.world)),
    remove: (id) => {
      trello.world.cards = trello.world.cards.filter((card) => card.id !== id);
      return Promise.resolve();
    },
    add: () => {
      chore(false);
      return Promise.resolve();
    },
    missing: { id: 'ffffffffffffffffffffffff', display_name: 'Gone' },
    names: namesOf(trello),
    disturb: (id, { action }) => {
      const card = trello.cardOf(id);
      if (['archive', 'unarchive', 'move'].includes(action)) card.idList = trello.done.id;
      else if (action === 'set_due') card.due = '2027-01-01T00:00:00.000Z';
      else card.closed = true;
      return Promise.resolve();
    },
    overwrite: (id, { action }) => {
      const card = trello.cardOf(id);
      if (action === 'move') card.idList = trello.done.id;
      if (action === 'set_due') card.due = '2027-01-01T00:00:00.000Z';
      return Promise.resolve(action === 'move' || action === 'set_due');
    },
    secrets: [KEY, TOKEN],
    async close() {
      await tap.close();
      await trello.close();
    },
  };
}

function namesOf(trello: Trello): ConformanceWorld['names'] {
  const ofAction = (name: string) => requests.find(({ action }) => action === name)!;
  return {
    unknown: [
      { action: 'archive', params: { board: 'Produkt' } },
      { action: 'archive', params: { board: BOARD, list: 'Blacklog' } },
      { action: 'archive', params: { board: BOARD, label: 'Bugs' } },
      { action: 'move', params: { ...QUERY, target_list: 'Donne' } },
      { action: 'add_label', params: { ...QUERY, label_name: 'Featured' } },
      { action: 'assign', params: { ...QUERY, member: 'anna' } },
    ],
    resolved: [
      { request: ofAction('archive'), id: trello.product.id },
      { request: ofAction('move'), id: trello.doing.id },
      { request: ofAction('remove_label'), id: trello.bug.id },
      { request: ofAction('assign'), id: trello.ana.id },
    ],
  };
}

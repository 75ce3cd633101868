// The library for the conformance kit: a new one for each case, behind a tap, with direct access to its true state.
import { httpCalls, startHttpTap } from 'batchgate/testing';
import { createShelfAdapter } from './shelf.mjs';
import { API_KEY, startShelfServer } from './shelf-library.mjs';

const refuse = (status, message) => ({ status, body: JSON.stringify({ message }) });

export async function openShelf() {
  const server = await startShelfServer();
  const tap = await startHttpTap(server.url);
  const onShelf = (id) => [...server.books.values()].filter((book) => book.shelf === id && !book.withdrawn);
  return {
    ...httpCalls(tap, classify, {
      limited: () => refuse(429, 'Not so fast'),
      broken: () => refuse(503, 'The lights are out'),
      missing: () => refuse(404, 'No such book'),
      refused: ({ authorization }) => refuse(401, `${authorization} may not do this`),
    }),
    adapter: () => createShelfAdapter({ url: tap.url, key: API_KEY }),
    requests: [
      { action: 'move', params: { shelf: 'Travel', target_shelf: 'Cellar' } },
      { action: 'withdraw', params: { shelf: 'Travel' } },
    ],
    matching: async () => onShelf('s1').map(({ id }) => id),
    isChanged: async (id, { action }) => {
      const book = server.books.get(id);
      return action === 'move' ? book.shelf === 's2' : book.withdrawn;
    },
    state: async () => [...server.books.values()].map(({ version: _, ...book }) => book),
    remove: async (id) => void server.books.delete(id),
    add: async () => void server.add(),
    disturb: async (id) => void (server.books.get(id).version += 1),
    overwrite: async (id, { action }) => {
      Object.assign(server.books.get(id), { shelf: 's3', version: server.books.get(id).version + 1 });
      return action === 'move';
    },
    missing: { id: 'b999', display_name: 'A book that is not there' },
    names: {
      unknown: [{ action: 'withdraw', params: { shelf: 'Attic' } }],
      resolved: [{ request: { action: 'withdraw', params: { shelf: 'travel' } }, id: 's1' }],
    },
    secrets: [API_KEY],
    async close() {
      await tap.close();
      await server.close();
    },
  };
}

function classify({ method, path }) {
  if (path === '/shelves') return { kind: 'lookup' };
  if (path === '/books') return { kind: 'list' };
  return { kind: method === 'GET' ? 'read' : 'write', item_id: path.slice('/books/'.length) };
}

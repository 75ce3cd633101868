// An adapter for a library's API (shelf-library.mjs): moves books to another shelf, or withdraws them.
import { byName, defineAdapter, jsonClient, quoted } from 'batchgate';
import { z } from 'zod';

const state = z.strictObject({ shelf: z.string(), withdrawn: z.boolean() });
const book = state.extend({ id: z.string(), title: z.string(), version: z.number() });
const page = z.object({ books: z.array(book), more: z.boolean() });
const shelves = z.array(z.object({ id: z.string(), name: z.string() }));
const query = z.strictObject({ shelf: z.string().min(1).describe('The shelf whose books it is about') });

const itemOf = ({ id, title, version, ...state }) => ({ id, name: title, version: String(version), state });
const pathOf = (id) => `/books/${encodeURIComponent(id)}`;
const toolOf = (ask) => ({
  shelf: async (name) => name && byName('Shelf', await ask(shelves, '/shelves'), name),
  async list({ shelf }, wanted) {
    const found = [];
    for (let more = true; more && found.length < wanted;) {
      const answer = await ask(page, `/books?shelf=${shelf.id}&after=${found.at(-1)?.id ?? ''}`);
      found.push(...answer.books.map(itemOf));
      more = answer.more;
    }
    return found.slice(0, wanted);
  },
  read: async (id) => itemOf(await ask(book, pathOf(id))),
  async write({ id, version }, body) {
    const request = { method: 'PATCH', headers: { 'if-match': version }, body };
    return itemOf(await ask(book, pathOf(id), request)).state;
  },
});

export function createShelfAdapter({ url, key }) {
  const library = jsonClient({ name: 'The library', url, headers: { authorization: `Bearer ${key}` } });
  return defineAdapter({
    name: 'shelf',
    noun: { one: 'book', many: 'books' },
    provider: 'The library',
    state,
    actions: {
      move: {
        description: 'Move books to another shelf',
        query,
        change: z.strictObject({ target_shelf: z.string().min(1).describe('The shelf to move them to') }),
        to: (book, { shelf }) => ({ ...book, shelf: shelf.id }),
        summary: ({ query, change }) =>
          `Move each book${query ? ` of ${quoted(query.shelf.name)}` : ''} to ${quoted(change.shelf.name)}.`,
      },
      withdraw: {
        ...{ description: 'Take books out of the catalogue', phrase: 'take {items} out of the catalogue' },
        ...{ query, change: z.strictObject({}), to: (book) => ({ ...book, withdrawn: true }), undo: false },
      },
    },
    resolve: async ({ query, change }, { shelf }) => ({
      query: { shelf: await shelf(query.shelf) },
      change: { shelf: await shelf(change.target_shelf) },
    }),
    connect: (call) => toolOf(library(call)),
  });
}

// A small library with an HTTP API, the tool of the example adapter. Its data is in memory.
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

export const API_KEY = 'shelf-key-4711';

export async function startShelfServer(port = 0) {
  const shelves = [
    { id: 's1', name: 'Travel' },
    { id: 's2', name: 'Cellar' },
  ];
  const books = new Map();
  let added = 0;
  const add = (shelf = 's1') => {
    added += 1;
    const id = `b${String(added).padStart(3, '0')}`;
    books.set(id, { id, title: `Volume ${added}`, shelf, withdrawn: false, version: 1 });
    return id;
  };
  for (let at = 0; at < 24; at++) add();
  for (let at = 0; at < 3; at++) add('s2');

  const server = createServer(async (request, response) => {
    const body = await text(request);
    const { status, answer } = handle(request, body);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });

  function handle({ method, url, headers }, body) {
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    if (headers.authorization !== `Bearer ${API_KEY}`)
      return { status: 401, answer: { message: 'Who are you?' } };
    if (pathname === '/shelves') return { status: 200, answer: shelves };
    if (pathname === '/books') return { status: 200, answer: page(searchParams) };
    const book = books.get(pathname.slice('/books/'.length));
    if (!book) return { status: 404, answer: { message: 'No such book' } };
    if (method === 'GET') return { status: 200, answer: book };
    if (headers['if-match'] !== String(book.version)) return { status: 412, answer: { message: 'Changed' } };
    const { shelf = book.shelf, withdrawn = book.withdrawn } = JSON.parse(body);
    Object.assign(book, { shelf, withdrawn, version: book.version + 1 });
    return { status: 200, answer: book };
  }

  function page(params) {
    const after = params.get('after') ?? '';
    const found = [...books.values()].filter(
      (book) => book.shelf === params.get('shelf') && !book.withdrawn && book.id > after,
    );
    const limit = Math.min(50, Number(params.get('limit') ?? 50));
    return { books: found.slice(0, limit), more: found.length > limit };
  }

  await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    books,
    add,
    close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
  };
}

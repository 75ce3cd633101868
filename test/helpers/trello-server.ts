import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { notFound, Refusal, routes } from './trello-routes';
import { KEY, seededTrello, type TrelloWorld } from './trello-world';

/**
 * Our own Trello server, with the part of its REST API that batchgate uses. Requests and answers are checked against
 * Trello's OpenAPI document (test/adapters/trello-openapi.json). The rest (the paging of lists of cards, the answers to
 * errors, and to labels and members of a card) follows Trello's guides and its users' reports.
 */
export async function startTrello() {
  const seeded = seededTrello();
  const trello = {
    ...seeded,
    url: '',
    /** The number of requests that it answers before the token's limit is reached. */
    allowed: Infinity,
    cardOf(id: string) {
      const card = seeded.world.cards.find((it) => it.id === id);
      if (!card) throw new Error(`there is no card ${id}`);
      return card;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  const server = createServer((request, response) => {
    void (async () => {
      const body = await text(request);
      const { status, content } =
        trello.allowed-- > 0
          ? answer(seeded.world, request, body)
          : {
              status: 429,
              content: { error: 'API_TOKEN_LIMIT_EXCEEDED', message: 'Rate limit exceeded' },
            };
      const plain = typeof content === 'string';
      response
        .writeHead(status, { 'content-type': plain ? 'text/plain; charset=utf-8' : 'application/json' })
        .end(plain ? content : JSON.stringify(content));
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  trello.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return trello;
}
export type Trello = Awaited<ReturnType<typeof startTrello>>;

interface Answer {
  status: number;
  content: unknown;
}

function answer(world: TrelloWorld, request: IncomingMessage, body: string): Answer {
  try {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const idMember = memberOf(world, request.headers.authorization);
    const params = {
      ...Object.fromEntries(url.searchParams),
      ...(body === '' ? {} : (JSON.parse(body) as object)),
    };
    for (const { method, path, handle } of routes) {
      const match = method === request.method ? path.exec(url.pathname) : null;
      if (match) return { status: 200, content: handle({ world, idMember, ids: match.slice(1), params }) };
    }
    throw notFound();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

function memberOf(world: TrelloWorld, authorization = ''): string {
  const [, key = '', token = ''] =
    /^OAuth oauth_consumer_key="([^"]*)", oauth_token="([^"]*)"$/.exec(authorization) ?? [];
  if (key === '' || token === '') throw new Refusal(401, { message: 'missing scopes' });
  if (key !== KEY) throw new Refusal(401, 'invalid key');
  const member = world.tokens.get(token);
  if (member === undefined) throw new Refusal(401, 'invalid token');
  return member;
}

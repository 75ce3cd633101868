import type { BulkItem } from '../../src/contract/items';
import { startServer, type Received } from './http-setup';

/** How the service treats a write; `apply` makes the change. */
type OnWrite = (id: string, apply: () => void) => { status: number; body?: string };

const applied: OnWrite = (_id, apply) => {
  apply();
  return { status: 204 };
};

/** A service of three things with a status, which misbehaves as a test tells it to. */
export async function startThings() {
  const server = await startServer();
  const things = new Map<string, Record<string, unknown>>();
  const url = `${server.url}/things/{{id}}`;
  const read = { url, select: 'body.status' };
  const world = {
    ...{ server, things, url, onWrite: applied },
    reset() {
      server.reset();
      world.onWrite = applied;
      things.clear();
      for (const id of ['1', '2', '3']) things.set(id, { id, status: 'new', note: `of ${id}` });
      server.answer = ({ method, path, body }: Received, response) => {
        const [, , id = '', action] = path.split('?')[0]!.split('/').map(decodeURIComponent);
        const thing = things.get(id);
        if (method === 'GET') {
          if (thing) return void response.end(JSON.stringify({ thing, status: thing['status'] }));
          return void response.writeHead(404).end('no such thing');
        }
        const { status, body: text } = world.onWrite(id, () => {
          if (method === 'DELETE') things.delete(id);
          else if (method === 'POST') things.set(id, { ...thing, status: action });
          else things.set(id, { ...thing, ...(JSON.parse(body) as object) });
        });
        response.writeHead(status).end(text);
      };
    },
    patch: (more: object = {}) => ({ method: 'PATCH', url, body: { status: '{{.to}}' }, read, ...more }),
    post: (more: object = {}) => ({ method: 'POST', url: `${url}/{{.to}}`, read, ...more }),
    statuses: () => [...things.values()].map(({ status }) => status),
    writes: () => server.received.filter(({ method }) => method !== 'GET'),
    close: () => server.close(),
  };
  return world;
}

export const item = (id: string, to = 'done', more: object = {}): BulkItem => ({
  ...{ id, display_name: `Thing ${id}`, raw_data: { to, ...more } },
});

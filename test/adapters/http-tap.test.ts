import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startHttpTap } from '../../src/testing/http-tap';

it('shows all headers of a request, forwards them, and so lets a refusal repeat a key of any header', async () => {
  const server = createServer(({ headers }, response) => response.end(String(headers['x-desk-token'])));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const tap = await startHttpTap(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  try {
    const ask = async () => (await fetch(tap.url, { headers: { 'X-Desk-Token': 'desk-secret' } })).text();
    expect(await ask()).toBe('desk-secret');
    tap.rule = ({ headers }) => ({ status: 401, body: `who is ${headers['x-desk-token']}?` });
    expect(await ask()).toBe('who is desk-secret?');
    expect(tap.requests.map(({ headers }) => headers['x-desk-token'])).toEqual([
      'desk-secret',
      'desk-secret',
    ]);
  } finally {
    await tap.close();
    server.close();
  }
});

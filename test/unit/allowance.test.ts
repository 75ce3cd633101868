import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAllowance } from '../../activities/adapters/shared/allowance';
import { ProviderFailure } from '../../activities/adapters/shared/failure';
import { sendRequest } from '../../activities/adapters/shared/send';

const call = (ms = 30_000, signal = new AbortController().signal) => ({ deadline: Date.now() + ms, signal });

test('serves callers in order, also when a later one asks for less', async () => {
  const allowance = createAllowance({ perInterval: 1_000, intervalMs: 1_000, burst: 10 });
  const order: string[] = [];
  const take = (name: string, cost: number) => allowance.take(cost, call()).then(() => order.push(name));
  await Promise.all([take('first', 10), take('second', 10), take('third', 1), take('fourth', 1)]);
  expect(order).toEqual(['first', 'second', 'third', 'fourth']);
});

test('serves a batch before the reads that wait', async () => {
  const allowance = createAllowance({ perInterval: 100, intervalMs: 1_000, burst: 5 });
  await allowance.take(5, call());
  const order: string[] = [];
  const batch = { ...call(), operation_id: 'bulk-1', run_id: 'run-1' };
  const take = (name: string, limits: object) =>
    allowance.take(5, { ...call(), ...limits }).then(() => order.push(name));
  await Promise.all([
    take('a read', {}),
    take('another', {}),
    take('a batch', batch),
    take('its next', batch),
  ]);
  expect(order).toEqual(['a batch', 'its next', 'a read', 'another']);
});

test('refuses a call whose time has run out, and reports that nothing was sent', async () => {
  const allowance = createAllowance({ perInterval: 1, intervalMs: 3_600_000, burst: 1 });
  await allowance.take(1, call());
  const controller = new AbortController();
  const waiting = allowance.take(1, call(30_000, controller.signal));
  controller.abort();
  const behind = new AbortController();
  const first = new AbortController();
  const blocking = allowance.take(1, call(30_000, first.signal)).catch(() => undefined);
  const blocked = allowance.take(1, call(30_000, behind.signal));
  behind.abort();
  await expect(blocked).rejects.toBeInstanceOf(ProviderFailure);
  first.abort();
  await blocking;
  for (const attempt of [
    waiting,
    allowance.take(1, call(-1)),
    allowance.take(1, call(1, AbortSignal.abort())),
  ]) {
    const failure = await attempt.catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ProviderFailure);
    expect(failure).toMatchObject({ kind: 'not_sent', retryable: true });
  }
});

test('keeps two busy operations of one account under a limit that the provider enforces', async () => {
  const WINDOW_MS = 1_000;
  const seen: number[] = [];
  const server = createServer((_request, response) => {
    const now = performance.now();
    const recent = seen.filter((at) => now - at < WINDOW_MS).length;
    seen.push(now);
    response.writeHead(recent < 50 ? 200 : 429).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const operation = async (allowance: ReturnType<typeof createAllowance>) => {
    const statuses: number[] = [];
    for (let batch = 0; batch < 6; batch++) {
      const answers = Array.from({ length: 5 }, () =>
        sendRequest('The provider', { method: 'POST', url, headers: {} }, allowance, call()),
      );
      for (const { status } of await Promise.all(answers)) statuses.push(status);
    }
    return statuses;
  };
  const shared = createAllowance({ perInterval: 15, intervalMs: WINDOW_MS, burst: 20 });
  const both = (await Promise.all([operation(shared), operation(shared)])).flat();
  server.close().closeAllConnections();
  expect(both).toEqual(Array<number>(60).fill(200));
});

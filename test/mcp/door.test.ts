import { setImmediate as later } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { createDoor } from '../../src/cli/mcp';
import { loadConfig } from '../../src/host/config';

/** Opens clients of which the first is ready last. */
function opening() {
  const closed: string[] = [];
  const opened: string[] = [];
  const open = async (): Promise<Client> => {
    const name = `client ${opened.length + 1}`;
    opened.push(name);
    if (opened.length === 1) await later();
    return { name, connection: { close: () => Promise.resolve(closed.push(name)) } } as unknown as Client;
  };
  return { open, opened, closed };
}

it('opens one connection for requests that come at once, and closes it at the end', async () => {
  const { open, opened, closed } = opening();
  const door = createDoor(loadConfig({ TEMPORAL_ADDRESS: '127.0.0.1:1' }), open);
  const [one, other] = await Promise.all([door.connect(), door.connect()]);
  expect(one).toBe(other);
  expect([opened, closed]).toEqual([['client 1'], []]);
  await door.close();
  expect(closed).toEqual(['client 1']);
});

it('opens another one after a failure', async () => {
  const { open } = opening();
  let fails = true;
  const door = createDoor(loadConfig({ TEMPORAL_ADDRESS: '127.0.0.1:1' }), () => {
    if (!fails) return open();
    fails = false;
    return Promise.reject(new Error('away'));
  });
  await expect(door.connect()).rejects.toThrow('away');
  await expect(door.connect()).resolves.toMatchObject({ name: 'client 1' });
  await door.close();
});

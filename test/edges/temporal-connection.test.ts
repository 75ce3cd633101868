import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttp2Server } from 'node:http2';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectClient, connectionOptions, reachServer } from '../../src/host/temporal/connection';
import { connectWorker } from '../../src/host/temporal/worker-connection';
import { freePort } from '../../src/host/temporal/ports';

const connects = [
  ['client', connectClient],
  ['client for a few calls', reachServer],
  ['worker', connectWorker],
] as const;

describe("Temporal's standard configuration", () => {
  let directory: string;
  let profiles: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'batchgate-profile-'));
    profiles = join(directory, 'temporal.toml');
    await writeFile(
      profiles,
      '[profile.default]\naddress = "file:1"\nnamespace = "of-the-file"\n[profile.other]\naddress = "other:2"\n',
    );
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  test('leaves the address open if nothing is configured', () => {
    expect(connectionOptions({ TEMPORAL_CONFIG_FILE: join(directory, 'absent.toml') })).toEqual({
      namespace: 'default',
      options: {},
    });
  });

  test('comes from the variables, with TLS if there is an API key', () => {
    expect(
      connectionOptions({
        TEMPORAL_CONFIG_FILE: join(directory, 'absent.toml'),
        TEMPORAL_ADDRESS: 'variable:3',
        TEMPORAL_NAMESPACE: 'of-the-variable',
        TEMPORAL_API_KEY: 'not-a-real-key',
      }),
    ).toEqual({
      address: 'variable:3',
      namespace: 'of-the-variable',
      options: { apiKey: 'not-a-real-key', tls: true },
    });
  });

  test('comes from the profile file, and a variable overrides it', () => {
    expect(connectionOptions({ TEMPORAL_CONFIG_FILE: profiles })).toMatchObject({
      address: 'file:1',
      namespace: 'of-the-file',
    });
    expect(
      connectionOptions({ TEMPORAL_CONFIG_FILE: profiles, TEMPORAL_ADDRESS: 'variable:3' }),
    ).toMatchObject({ address: 'variable:3', namespace: 'of-the-file' });
    expect(connectionOptions({ TEMPORAL_CONFIG_FILE: profiles, TEMPORAL_PROFILE: 'other' })).toMatchObject({
      address: 'other:2',
    });
  });

  test('names a profile that is not in the file', () => {
    expect(() => connectionOptions({ TEMPORAL_CONFIG_FILE: profiles, TEMPORAL_PROFILE: 'third' })).toThrow(
      "Profile 'third' not found",
    );
  });
});

describe.each(connects)('connecting as a %s', (_role, connect) => {
  test('reaches a running server', async () => {
    const connection = await connect({ address: process.env['BATCHGATE_TEST_TEMPORAL'] ?? '' });

    await connection.workflowService.getSystemInfo({});

    await connection.close();
  });

  test('reports with a hint that nothing listens there', async () => {
    const address = `127.0.0.1:${await freePort(0)}`;

    await expect(connect({ address }, 500)).rejects.toMatchObject({
      code: 'TEMPORAL_UNAVAILABLE',
      message: expect.stringContaining(address),
      hint: expect.stringContaining('TEMPORAL_ADDRESS'),
    });
  });

  test('gives up on a server that accepts the connection and never answers', async () => {
    const sockets = new Set<Socket>();
    const silent = createServer((socket) => sockets.add(socket)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const address = `127.0.0.1:${(silent.address() as AddressInfo).port}`;

    await expect(connect({ address }, 500)).rejects.toMatchObject({ code: 'TEMPORAL_UNAVAILABLE' });

    for (const socket of sockets) socket.destroy();
    silent.close();
  });
});

test('a call with retries fails when its connection is closed', async () => {
  const refusing = createHttp2Server();
  const unavailable = { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '14' };
  refusing.on('stream', (stream) => stream.respond(unavailable, { endStream: true }));
  refusing.listen(0, '127.0.0.1');
  await once(refusing, 'listening');
  const address = `127.0.0.1:${(refusing.address() as AddressInfo).port}`;
  const connection = await reachServer({ address });

  const failed = expect(connection.workflowService.getSystemInfo({})).rejects.toMatchObject({ code: 14 });
  await once(refusing, 'stream');
  await connection.close();

  await failed;
  refusing.close();
});

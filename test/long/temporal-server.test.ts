import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import { pino } from 'pino';
import { SEARCH_ATTRIBUTES } from '../../src/contract/messages';
import { connectClient } from '../../src/host/temporal/connection';
import { loadConfig } from '../../src/host/config';
import { ensureNamespace } from '../../src/host/temporal/dev-server';
import { ensureSearchAttributes } from '../../src/host/temporal/search-attributes';
import { ensureServer, type TemporalServer } from '../../src/host/temporal/start-server';
import { RUN_TYPESCRIPT } from '../helpers/run-typescript';

const repository = join(__dirname, '../..');
const cacheDir = loadConfig().cacheDir;
const log = pino({ level: 'silent' });
/** temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_TEXT */
const TEXT = 1;

async function withClient<T>(
  { address }: { address: string },
  action: (client: Client) => Promise<T>,
): Promise<T> {
  const connection = await connectClient({ address });
  try {
    return await action(new Client({ connection }));
  } finally {
    await connection.close();
  }
}

/** Starts a workflow on a queue without a worker, so that it does not change. */
const startWaiting = (server: TemporalServer, workflowId: string) =>
  withClient(server, (client) => client.workflow.start('waits', { taskQueue: 'nobody', workflowId }));

const statusOf = (server: TemporalServer, workflowId: string) =>
  withClient(server, async (client) => (await client.workflow.getHandle(workflowId).describe()).status.name);

describe('the embedded Temporal server', () => {
  let dataDir: string;
  const ensure = () => ensureServer({ dataDir, cacheDir, namespace: 'default', log });

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'batchgate-server-'));
  });
  afterEach(async () => {
    await (await ensure()).stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  test('outlives the process that started it, killed without warning, and is reused', async () => {
    const starter = spawn(
      process.execPath,
      [
        ...[...RUN_TYPESCRIPT, '--eval'],
        `const { ensureServer } = require('./src/host/temporal/start-server.ts');
         const [dataDir, cacheDir] = process.argv.slice(1);
         setInterval(() => {}, 60_000);
         void ensureServer({ dataDir, cacheDir, namespace: 'default', log: { info() {} } })
           .then((server) => console.log(JSON.stringify(server)));`,
        ...[dataDir, cacheDir],
      ],
      { cwd: repository, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const [line] = (await once(starter.stdout, 'data')) as [Buffer];
    const started = JSON.parse(line.toString()) as TemporalServer;
    await startWaiting(started, 'of-the-dead');
    starter.kill('SIGKILL');
    await once(starter, 'exit');

    const server = await ensure();

    expect(server).toMatchObject({ reused: true, pid: started.pid, address: started.address });
    expect(await statusOf(server, 'of-the-dead')).toBe('RUNNING');
  });

  test('finds a started workflow again after the server was killed without warning', async () => {
    const first = await ensure();
    await startWaiting(first, 'survivor');
    process.kill(first.pid!, 'SIGKILL');

    const second = await ensure();

    expect(second.reused).toBe(false);
    expect(second.pid).not.toBe(first.pid);
    expect(await statusOf(second, 'survivor')).toBe('RUNNING');
  });

  test('is one server for two processes that start it at the same time', async () => {
    const servers = await Promise.all([ensure(), ensure()]);

    expect(servers[0].pid).toBe(servers[1].pid);
    expect(servers.map(({ reused }) => reused).sort()).toEqual([false, true]);
  });

  test('keeps closed workflows for 30 days, has our search attributes, and uses a write-ahead log', async () => {
    const server = await ensure();

    await withClient(server, async ({ connection }) => {
      const { config } = await connection.workflowService.describeNamespace({ namespace: 'default' });
      expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(30 * 24 * 60 * 60);
    });
    await withClient(server, (client) =>
      client.workflow.start('waits', {
        taskQueue: 'nobody',
        workflowId: 'attributed',
        searchAttributes: Object.fromEntries(Object.values(SEARCH_ATTRIBUTES).map((name) => [name, ['x']])),
      }),
    );
    expect(await readdir(dataDir)).toContain('temporal.db-wal');
  });

  test('stops on request and keeps its data', async () => {
    const first = await ensure();
    await startWaiting(first, 'kept');
    await first.stop();
    await expect(connectClient({ address: first.address }, 500)).rejects.toMatchObject({
      code: 'TEMPORAL_UNAVAILABLE',
    });

    const second = await ensure();

    expect(await statusOf(second, 'kept')).toBe('RUNNING');
  });

  test('creates a namespace that a running server does not have yet', async () => {
    await ensure();

    const server = await ensureServer({ dataDir, cacheDir, namespace: 'another', log });

    expect(server.reused).toBe(true);
    await withClient(server, async ({ connection }) => {
      const { namespaceInfo } = await connection.workflowService.describeNamespace({ namespace: 'another' });
      expect(namespaceInfo?.name).toBe('another');
    });
  });
});

describe('an embedded server whose usual ports are taken', () => {
  const inTheWay = process.env['BATCHGATE_TEST_TEMPORAL'] ?? '';
  const portOf = (address: string) => Number(address.split(':').at(-1));

  /** Starts a server that prefers these ports, and returns its addresses and log messages. */
  async function startAt(ports: { server: number }) {
    const dataDir = await mkdtemp(join(tmpdir(), 'batchgate-ports-'));
    const said: string[] = [];
    const listening = { info: (...parts: unknown[]) => said.push(String(parts.at(-1))) };
    const server = await ensureServer({ dataDir, cacheDir, namespace: 'default', log: listening, ports });
    try {
      await (await connectClient({ address: server.address })).close();
      return { address: server.address, said: said.join('\n') };
    } finally {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    }
  }

  test('reports another Temporal server on the port and how to use it, and takes another port', async () => {
    const { address, said } = await startAt({ server: portOf(inTheWay) });

    expect(address).not.toBe(inTheWay);
    expect(said).toMatch(
      new RegExp(
        `port ${portOf(inTheWay)} is taken by another Temporal server \\([\\d.]+\\); this one listens on ${portOf(address)}; set TEMPORAL_ADDRESS=${inTheWay} to use that one`,
      ),
    );
  });

  test('reports another program on the port, and takes another port', async () => {
    const stranger = createServer((_request, response) => response.end('hello')).listen(0, '127.0.0.1');
    await once(stranger, 'listening');
    const { port } = stranger.address() as AddressInfo;
    try {
      const { address, said } = await startAt({ server: port });

      expect(said).toContain(
        `port ${port} is taken by another program; Temporal listens on ${portOf(address)} here`,
      );
      expect(said).not.toContain('TEMPORAL_ADDRESS');
    } finally {
      stranger.closeAllConnections();
      stranger.close();
    }
  });
});

describe('a configured Temporal server', () => {
  const address = process.env['BATCHGATE_TEST_TEMPORAL'] ?? '';

  test('is used unchanged and is not stopped', async () => {
    const server = await ensureServer({ dataDir: 'unused', cacheDir, address, namespace: 'default', log });
    expect(server).toMatchObject({ address, source: 'configured', reused: true });

    await server.stop();

    await (await connectClient({ address })).close();
  });

  test('is refused with a hint if one of our search attributes has another type there', async () => {
    const connection = await connectClient({ address });
    const namespace = `mistyped-${randomUUID()}`;
    await ensureNamespace(connection, namespace);
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: { [SEARCH_ATTRIBUTES.domain]: TEXT },
    });

    await expect(ensureSearchAttributes(connection, namespace)).rejects.toMatchObject({
      code: 'NOT_CONFIGURED',
      message: expect.stringContaining(`${SEARCH_ATTRIBUTES.domain} is not a Keyword`),
      hint: expect.stringContaining('temporal operator search-attribute create'),
    });
    await connection.close();
  });
});

import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { defaultCacheDir } from '../../src/temporal/find-server';
import { ensureServer, type TemporalServer } from '../../src/temporal/start-server';
import { getBulkStatus } from '../../src/client';
import { startStage, touchesOf, type Stage } from '../helpers/fault-stage';
import { startProxyProcess, type ProxyProcess } from '../helpers/grpc-proxy';
import type { Moment } from '../helpers/touch-target';

let dataDir: string;
let server: TemporalServer;
let proxy: ProxyProcess;
let stage: Stage;

const startServer = () =>
  ensureServer({
    dataDir,
    cacheDir: defaultCacheDir(process.env),
    namespace: 'default',
    log: pino({ level: 'silent' }),
  });

/** The server is made to outlive its starter, but not this test, however it ends. */
function endWithTest(pid: number | undefined): void {
  const script = 'read -r _; kill -9 "$0"';
  spawn('sh', ['-c', script, String(pid)], { stdio: ['pipe', 'ignore', 'ignore'] }).unref();
}

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'batchgate-killed-'));
  server = await startServer();
  endWithTest(server.pid);
  // Its next port may be another one; the worker and the client keep the proxy's address.
  proxy = await startProxyProcess(server.address);
  stage = await startStage({ address: proxy.address });
  await stage.startWorker();
});
afterAll(async () => {
  await stage.close();
  await proxy.close();
  await server.stop();
  await rm(dataDir, { recursive: true, force: true });
});

/** Meanwhile the worker goes on with its batch. */
async function killServer(meanwhile: () => void): Promise<void> {
  process.kill(server.pid ?? 0, 'SIGKILL');
  meanwhile();
  server = await startServer();
  endWithTest(server.pid);
  proxy.pointAt(server.address);
}

it.each(['idempotent', 'blind'] as const)(
  'loses nothing acknowledged and does no item twice when the server is killed in mid-batch (%s)',
  async (kind) => {
    const operation = await stage.begin(kind);
    await stage.confirm(operation);
    for (const moment of ['held', 'recorded', 'applied'] satisfies Moment[]) {
      const acknowledged = await getBulkStatus(stage.client, operation);
      const trap = stage.target.trap(moment, 4);
      // Its answer may be lost with the server, but not what it decided.
      const turn = stage.confirm(operation).catch(() => undefined);
      await trap.sprung;
      await killServer(() => trap.release());
      await turn;
      const found = await getBulkStatus(stage.client, operation);
      expect(found.succeeded).toBeGreaterThanOrEqual(acknowledged.succeeded);
      expect(found.confirmations).toEqual(expect.arrayContaining(acknowledged.confirmations));
    }
    const status = await stage.finish(operation);
    expect(status).toMatchObject({ state: 'completed', failed: 0 });
    expect(status.succeeded + status.in_doubt).toBe(50);
    if (kind === 'idempotent') expect(status.in_doubt).toBe(0);
    expect(touchesOf(stage, operation)).toEqual(Array(50).fill({ asked: 1, applied: 1 }));
    expect(await stage.unreplayable()).toEqual([]);
  },
  600_000,
);

import { once } from 'node:events';
import { mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import type { Browser, Page } from 'playwright-core';
import { getBulkStatus, startBulkOperation } from '../../src/client';
import { DEMO_LABEL, mailboxRecord, NEWSLETTER_SENDER } from '../../src/host/local-google/record';
import { findRuntime, type Runtime } from '../../src/host/runtime-file';
import { connectClient } from '../../src/host/temporal/connection';
import { findEmbeddedServer } from '../../src/host/temporal/start-server';
import { launchChromium, newContext } from '../helpers/browser';
import { startBatchgate, type RunningVerb } from '../helpers/command-line';
import { seedStore } from '../helpers/embedded';

let dataDir: string;
let up: RunningVerb;
let runtime: Runtime;
let client: Client;
let browser: Browser;
let ports: number[];
/** A site that is not ours. */
let site: Server;
let operationId: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'batchgate-foreign-'));
  await seedStore(dataDir);
  up = startBatchgate(['up'], { dataDir, env: { BATCHGATE_HTTP_PORT: '0' } });
  // Every name leads here: a page's own host name can be made to point at this machine.
  browser = await launchChromium(undefined, ['--host-resolver-rules=MAP *.example 127.0.0.1']);
  site = createServer((_, response) => response.end('<!doctype html>')).listen(0, '127.0.0.1');
  await once(site, 'listening');
  await up.says('batchgate is up');
  runtime = (await findRuntime(dataDir)) as Runtime;
  const connection = await connectClient({ address: runtime.temporal_address });
  client = new Client({ connection, namespace: runtime.namespace });
  const params = { sender: NEWSLETTER_SENDER, label_name: DEMO_LABEL, create_label: true };
  ({ operation_id: operationId } = await startBulkOperation(client, {
    domain: 'gmail',
    action: 'label',
    params,
  }));
  const pids = [runtime, await findEmbeddedServer(dataDir), await mailboxRecord(dataDir).read()];
  ports = (await Promise.all(pids.map((one) => portsOf(one?.pid ?? 0)))).flat();
});
afterAll(async () => {
  await browser?.close();
  await client?.connection.close();
  site?.close();
  await up?.interrupt();
  await rm(dataDir, { recursive: true, force: true });
});

/** The TCP ports at which a process listens. */
async function portsOf(pid: number): Promise<number[]> {
  const folder = `/proc/${pid}/fd`;
  const files = await Promise.all(
    (await readdir(folder)).map((fd) => readlink(join(folder, fd)).catch(() => '')),
  );
  const sockets = new Set(files.flatMap((file) => /^socket:\[(\d+)\]$/.exec(file)?.[1] ?? []));
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/${pid}/net/${name}`, 'utf8')),
  );
  const rows = tables.flatMap((table) => table.trim().split('\n').slice(1));
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode = '']) => state === '0A' && sockets.has(inode))
    .map(([, local = '']) => parseInt(local.split(':')[1] ?? '', 16));
}

const READS = ['/', '/api/v1/namespaces', '/metrics', '/v1/operations', '/gmail/v1/users/me/messages'];
const signalAll = {
  namespace: 'default',
  visibilityQuery: "BatchgateState = 'awaiting_confirmation'",
  reason: 'a page',
  signalOperation: { signal: 'continue', identity: 'a page' },
};
const writes = () => [
  ['/api/v1/namespaces/default/batch-operations/from-a-page', signalAll] as const,
  [`/api/v1/namespaces/default/workflows/${operationId}/signal/continue`, {}] as const,
  [`/v1/operations/${operationId}/continue`, {}] as const,
];

interface Sending {
  method?: string;
  mode?: 'no-cors';
  credentials?: 'include';
  headers?: Record<string, string>;
  body?: string;
}

/** Sends a request from a page. Returns what the page can read, or only that it could not. */
async function sent(page: Page, url: string, options: Sending): Promise<string> {
  return page.evaluate(
    async ([to, init]) => {
      try {
        const answer = await fetch(to, { ...init, signal: AbortSignal.timeout(10_000) });
        return `${answer.type} ${answer.status}`;
      } catch {
        return 'failed';
      }
    },
    [url, options] as [string, Sending],
  );
}

const post = (body: object): Sending => ({
  method: 'POST',
  headers: { 'content-type': 'text/plain' },
  body: JSON.stringify(body),
});

it('opens no port at which a page of another site changes or reads anything', async () => {
  const page = await (await newContext(browser)).newPage();
  await page.goto(`http://attacker.example:${(site.address() as AddressInfo).port}/`);
  expect(ports.length).toBeGreaterThanOrEqual(6);
  for (const port of ports) {
    const url = `http://127.0.0.1:${port}`;
    for (const [path, body] of writes())
      await sent(page, `${url}${path}`, { ...post(body), mode: 'no-cors', credentials: 'include' });
    for (const path of READS)
      expect([port, path, await sent(page, url + path, {})]).toEqual([port, path, 'failed']);
  }
  await expectNothingDone();
});

it('answers nothing to a page whose own name was made to point here', async () => {
  for (const port of ports) {
    const page = await (await newContext(browser)).newPage();
    const url = `http://rebound.example:${port}`;
    const reached = await page.goto(url).then(
      (answer) => answer?.status(),
      () => undefined,
    );
    if (reached !== undefined) {
      expect([port, reached]).toEqual([port, 403]);
      for (const path of READS)
        expect([port, path, await sent(page, path, {})]).toEqual([port, path, 'basic 403']);
      for (const [path, body] of writes())
        expect([port, path, await sent(page, path, post(body))]).toEqual([port, path, 'basic 403']);
    }
    await page.context().close();
  }
  await expectNothingDone();
});

it('lets a person use the Temporal UI at the address that it prints', async () => {
  const page = await (await newContext(browser)).newPage();
  await page.goto(`${runtime.ui_url}/namespaces/default/workflows`);
  await page.getByText(operationId).first().waitFor();
  const path = `/api/v1/namespaces/default/workflows/${operationId}/signal/continue`;
  const token = (await page.context().cookies()).find(({ name }) => name === '_csrf')?.value ?? '';
  const headers = { 'content-type': 'application/json', 'x-csrf-token': token };
  expect(await sent(page, path, { method: 'POST', headers, body: '{}' })).toBe('basic 200');
});

/** Nothing ran, and nothing that runs later was accepted. */
async function expectNothingDone(): Promise<void> {
  const { namespace } = runtime;
  const { operationInfo } = await client.workflowService.listBatchOperations({ namespace });
  expect(operationInfo).toEqual([]);
  expect(await getBulkStatus(client, operationId)).toMatchObject({
    state: 'awaiting_confirmation',
    processed: 0,
    confirmations: [],
  });
}

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBulkOperation } from '../../../src/client';
import { createFakeAdapter } from '../../../src/testing/fake-adapter';
import { manyItems, startHarness } from '../../../test/helpers/harness';
import { startHttpApi } from '../../../test/helpers/http-api';
import { seeded } from '../../../test/helpers/seeded';
import { checkClients, traceOf } from './check';
import { connectRunner, doorsOf, type Stage } from './doors';
import { runSender } from './sender';

export interface ClientRunOptions {
  runs: number;
  seed: number;
  /** Concurrent runs. */
  concurrency: number;
  say?: (line: string) => void;
}

export interface ClientResult {
  runs: number;
  decisions: number;
  /** The number of requests; a decision is sent more than once on average. */
  requests: number;
  batches: number;
  /** Decisions by door. */
  doors: Record<string, number>;
  findings: string[];
  seconds: number;
}

const ITEMS = 15;
const BATCH = 5;

/** Fails some items, so that the outcomes of the batches differ. */
const fails = (id: string) => /(?:004|009|010)$/.test(id);

function outcomeOf(batch: number): { succeeded: number; failed: number } {
  const ids = manyItems(ITEMS).map(({ id }) => id);
  const failed = ids.slice((batch - 1) * BATCH, batch * BATCH).filter(fails).length;
  return { succeeded: BATCH - failed, failed };
}

/**
 * Runs clients that lose, repeat, delay and cross their own requests. In each run, two senders with doors of their own
 * confirm one operation to its end.
 */
export async function runClients({ runs, seed, concurrency, say }: ClientRunOptions): Promise<ClientResult> {
  const begun = Date.now();
  const touched = new Map<string, number>();
  const adapter = createFakeAdapter({
    items: () => [],
    apply: ({ id }) => {
      touched.set(id, (touched.get(id) ?? 0) + 1);
      return Promise.resolve(
        fails(id) ? { item_id: id, success: false, error: 'it is locked', retryable: false } : undefined,
      );
    },
  });
  const harness = await startHarness({ adapters: [adapter] });
  const http = await startHttpApi(harness);
  const folder = await mkdtemp(join(tmpdir(), 'batchgate-clients-'));
  const mcp = await connectRunner(harness);
  const result: ClientResult = {
    runs: 0,
    decisions: 0,
    requests: 0,
    batches: 0,
    doors: {},
    findings: [],
    seconds: 0,
  };
  try {
    let next = seed;
    const lane = async () => {
      for (let own = next++; own < seed + runs; own = next++) {
        // Report a failure and continue: a long run is worth more than its first failure.
        const findings = await runOne({ harness, http, folder, mcp }, own, touched, result).catch(
          (error: unknown) => [error instanceof Error ? (error.stack ?? error.message) : String(error)],
        );
        for (const finding of findings) {
          say?.(`seed ${own}: ${finding}`);
          result.findings.push(`seed ${own}: ${finding}`);
        }
        if (result.runs % 50 === 0) say?.(`${result.runs} runs, ${result.findings.length} findings`);
      }
    };
    await Promise.all(Array.from({ length: concurrency }, lane));
    return { ...result, seconds: Math.round((Date.now() - begun) / 1_000) };
  } finally {
    await mcp.close();
    await http.close();
    await harness.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function runOne(
  stage: Stage,
  seed: number,
  touched: ReadonlyMap<string, number>,
  result: ClientResult,
): Promise<string[]> {
  const { harness } = stage;
  const random = seeded(seed);
  const operation_id = `clients-${seed}-${Date.now()}`;
  const items = manyItems(ITEMS).map((item) => ({ ...item, id: `${operation_id} ${item.id}` }));
  const input = { domain: 'fake', action: 'mark', params: {}, items };
  await startBulkOperation(
    harness.client,
    { ...input, batch_size: BATCH, session_id: `mcp.runner.${operation_id}` },
    { operation_id, task_queue: harness.taskQueue },
  );
  const senders = await Promise.all(
    ['one', 'two'].map(async (name) => {
      const doors = await doorsOf(stage, operation_id);
      const door = doors[Math.floor(random() * doors.length)];
      if (!door) throw new Error('there is no door');
      return runSender(door, name, seeded(Math.floor(random() * 2 ** 31)));
    }),
  );
  const sent = senders.flat();
  const status = await harness.status(operation_id);
  const own = new Map([...touched].filter(([item]) => item.startsWith(`${operation_id} `)));
  const findings = checkClients({ status, touched: own, outcomeOf }, sent);
  if (own.size !== ITEMS) findings.push(`${own.size} of ${ITEMS} items were changed`);
  result.runs++;
  result.decisions += sent.length;
  result.requests += sent.reduce((sum, { copies }) => sum + copies, 0);
  result.batches += status.confirmations.filter(({ outcome }) => outcome === 'accepted').length;
  for (const { door } of sent) result.doors[door.name] = (result.doors[door.name] ?? 0) + 1;
  return findings.map((finding, at) => (at === 0 ? `${finding}\n${traceOf(status, sent)}` : finding));
}

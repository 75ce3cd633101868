import { setTimeout as pause } from 'node:timers/promises';
import { beginBatch, getBulkStatus } from '../../src/client';
import { SIGNALS } from '../../src/contract/messages';
import { BARE_AFTER_MS } from '../../src/core/bulk/gate';
import type { BulkStatus } from '../../src/contract/operation';
import { startStage, touchesOf, type Stage } from '../helpers/fault-stage';
import { startProxyProcess, type Fault, type ProxyProcess } from '../helpers/grpc-proxy';
import { codeOf, testServer } from '../helpers/harness';

/** Longer than the timeout of a workflow task and the heartbeat timeout of a batch (fault-stage.ts). */
const TOO_LONG_MS = 2_500;

const LOOK_INTERVAL_MS = 100;

/** Faults in the worker's calls, one per confirmed batch. `drop all` cuts every connection at once. */
const FAULTS: Fault[] = [
  { method: 'RespondWorkflowTaskCompleted', at: 'call', holdMs: TOO_LONG_MS, end: 'pass' },
  { method: 'RespondWorkflowTaskCompleted', at: 'call', end: 'cut' },
  { method: 'RespondWorkflowTaskCompleted', at: 'answer', end: 'cut' },
  { method: 'RespondWorkflowTaskCompleted', at: 'answer', holdMs: TOO_LONG_MS, end: 'drop all' },
  { method: 'RespondActivityTaskCompleted', at: 'call', holdMs: TOO_LONG_MS, end: 'pass' },
  { method: 'RespondActivityTaskCompleted', at: 'call', end: 'cut' },
  { method: 'RespondActivityTaskCompleted', at: 'answer', end: 'cut' },
  { method: 'PollWorkflowTaskQueue', at: 'answer', end: 'cut' },
  { method: 'PollWorkflowTaskQueue', at: 'answer', end: 'drop all' },
];

const stages: Stage[] = [];
const proxies: ProxyProcess[] = [];
afterAll(async () => {
  await Promise.all(stages.map((stage) => stage.close()));
  await Promise.all(proxies.map((proxy) => proxy.close()));
});

/** A worker behind its own proxy. */
async function startBehindProxy(): Promise<{ stage: Stage; proxy: ProxyProcess }> {
  const { address } = testServer();
  const proxy = await startProxyProcess(address);
  proxies.push(proxy);
  const stage = await startStage({ address: proxy.address }, address);
  stages.push(stage);
  await stage.startWorker();
  return { stage, proxy };
}

const gateOf = ({ next_batch: gate }: BulkStatus) => gate && `${gate.number}/${gate.attempt}`;

/** Waits until the operation has passed the gate that `before` showed. */
async function past(stage: Stage, before: BulkStatus): Promise<void> {
  for (; ; await pause(LOOK_INTERVAL_MS)) {
    const now = await getBulkStatus(stage.client, before.operation_id);
    if (now.needs_confirmation ? gateOf(now) !== gateOf(before) : now.state !== 'running_batch') return;
  }
}

type Confirm = (stage: Stage, before: BulkStatus) => Promise<void>;

/** A bare signal is accepted only once the question has been open for two seconds. */
const bySignal: Confirm = async (stage, before) => {
  await pause(BARE_AFTER_MS + 200);
  await stage.client.workflow.getHandle(before.operation_id).signal(SIGNALS.continue);
  await past(stage, before);
};

const byUpdate: Confirm = async (stage, { operation_id }) => {
  await stage.confirm(operation_id);
};

/** Confirms ten batches of five items, and injects the next fault during each confirmation. */
async function runThrough(confirm: Confirm): Promise<void> {
  const { stage, proxy } = await startBehindProxy();
  const operation = await stage.begin('idempotent', 50, 5);
  const faults = [...FAULTS];
  for (;;) {
    const before = await getBulkStatus(stage.client, operation);
    if (!before.needs_confirmation) break;
    const fault = faults.shift();
    await Promise.all([fault && proxy.arm(fault), confirm(stage, before)]);
    const { processed } = await getBulkStatus(stage.client, operation);
    expect(processed - before.processed).toBeLessThanOrEqual(5);
  }
  expect(faults).toEqual([]);
  expect(await getBulkStatus(stage.client, operation)).toMatchObject({ state: 'completed', succeeded: 50 });
  expect(touchesOf(stage, operation)).toEqual(Array(50).fill({ asked: 1, applied: 1 }));
  expect(await stage.unreplayable()).toEqual([]);
}

// In parallel, because both mostly wait for calls that the proxy holds.
it('runs one batch per confirmation, by updates and by bare signals, and leaves histories that replay, whatever the network loses', async () => {
  await Promise.all([runThrough(byUpdate), runThrough(bySignal)]);
});

it('says that a bare confirmation runs the batch only once it was judged, however long that takes', async () => {
  const { stage, proxy } = await startBehindProxy();
  const operation = await stage.begin('idempotent', 10, 5);
  await pause(BARE_AFTER_MS + 200);
  const late: Fault = {
    method: 'GetWorkflowExecutionHistory',
    ...{ at: 'call', holdMs: 1_000, end: 'pass' },
  };
  const held = proxy.arm(late, late);
  const codes = await Promise.all(
    ['ana', 'ben'].map((by) => codeOf(beginBatch(stage.client, operation, { by }))),
  );
  await held;
  expect(codes.filter((code) => code === 'no error')).toHaveLength(1);
});

import { setTimeout as pause } from 'node:timers/promises';
import { getBulkStatus } from '../../src/client';
import { SIGNALS } from '../../src/contract/messages';
import { BARE_AFTER_MS } from '../../src/core/gate';
import type { BulkStatus } from '../../src/contract/operation';
import { startStage, touchesOf, type Stage } from '../helpers/fault-stage';
import { startProxyProcess, type Fault, type ProxyProcess } from '../helpers/grpc-proxy';
import { testServer } from '../helpers/harness';

/** Longer than the server waits for a workflow task, or for a sign of life of a batch (fault-stage.ts). */
const TOO_LONG_MS = 2_500;

/** What befalls the worker's calls while one batch is confirmed; the last cuts every connection at once. */
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

let proxy: ProxyProcess;
let stage: Stage;
beforeAll(async () => {
  const { address } = testServer();
  proxy = await startProxyProcess(address);
  stage = await startStage({ address: proxy.address }, address);
  await stage.startWorker();
});
afterAll(async () => {
  await stage.close();
  await proxy.close();
});

const gateOf = ({ next_batch: gate }: BulkStatus) => gate && `${gate.number}/${gate.attempt}`;

/** Until the gate that `before` showed is behind the operation. */
async function past(before: BulkStatus): Promise<void> {
  for (;;) {
    const now = await getBulkStatus(stage.client, before.operation_id);
    if (now.needs_confirmation ? gateOf(now) !== gateOf(before) : now.state !== 'running_batch') return;
  }
}

/** A bare signal confirms a question that has been open for two seconds, and none before. */
async function confirmBySignal(before: BulkStatus): Promise<void> {
  await pause(BARE_AFTER_MS + 200);
  await stage.client.workflow.getHandle(before.operation_id).signal(SIGNALS.continue);
  await past(before);
}

async function confirmByUpdate({ operation_id }: BulkStatus): Promise<void> {
  await stage.confirm(operation_id);
}

it.each([
  { door: 'named updates', confirm: confirmByUpdate },
  { door: 'bare signals', confirm: confirmBySignal },
])(
  'runs one batch a confirmation, and leaves a history that replays, whatever the network loses ($door)',
  async ({ confirm }) => {
    const operation = await stage.begin('idempotent', 50, 5);
    const faults = [...FAULTS];
    for (;;) {
      const before = await getBulkStatus(stage.client, operation);
      if (!before.needs_confirmation) break;
      const fault = faults.shift();
      await Promise.all([fault && proxy.arm(fault), confirm(before)]);
      const { processed } = await getBulkStatus(stage.client, operation);
      expect(processed - before.processed).toBeLessThanOrEqual(5);
    }
    expect(faults).toEqual([]);
    expect(await getBulkStatus(stage.client, operation)).toMatchObject({ state: 'completed', succeeded: 50 });
    expect(touchesOf(stage, operation)).toEqual(Array(50).fill({ asked: 1, applied: 1 }));
    expect(await stage.unreplayable()).toEqual([]);
  },
  600_000,
);

import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import { connectClient } from '../../src/host/temporal/connection';
import { completeBulkOperation, getBulkItems, getBulkStatus } from '../../src/client';
import { UPDATES, WORKFLOW_TYPES } from '../../src/contract/messages';
import type { BulkStatus, BulkTurn } from '../../src/contract/operation';
import { seedStore } from './embedded';
import { testServer } from './harness';
import { unreplayableOf } from './replayed';
import { endWorkerProcesses, loadWorkerProcess, type WorkerProcess } from './spawn-worker';
import { startTouchTarget, type TouchTarget } from './touch-target';
import { itemId, type WorkerProcessOptions } from './worker-process';
import { confirmOpen } from './confirm';

/** Long enough that a held request is still running when its worker is killed, even on a busy machine. */
const CALL_TIMEOUT_MS = 4_000;
const HEARTBEAT_TIMEOUT_MS = 2_000;

export type Kind = 'idempotent' | 'blind' | 'marked';

/** A target, a client, a store folder, and worker processes for them on a separate queue. */
export interface Stage {
  target: TouchTarget;
  client: Client;
  taskQueue: string;
  /** The worker's data folder, which contains `store`. */
  dataDir: string;
  startWorker(): Promise<WorkerProcess>;
  /** Loads a worker in advance; the returned function starts it. */
  loadWorker(): () => Promise<WorkerProcess>;
  /** Starts an operation over this many items, and returns its id at the first question. */
  begin(kind: Kind, count?: number, batchSize?: number): Promise<string>;
  /** Confirms the open gate as one person. */
  confirm(id: string): Promise<BulkTurn>;
  /** Confirms until the operation has ended; items in doubt stay in doubt. */
  finish(id: string): Promise<BulkStatus>;
  /** The ids of the items in doubt, in the order of the plan. */
  doubts(id: string): Promise<string[]>;
  /** The replay errors of these operations and of further workflows; empty if all histories replay. */
  unreplayable(further?: string[]): Promise<Error[]>;
  close(): Promise<void>;
}

/**
 * @param options the differences from the run's own server, an embedded store and short timeouts.
 * @param clientAddress the server's address for the client, if it differs from the worker's.
 */
export async function startStage(
  options: Partial<WorkerProcessOptions> = {},
  clientAddress?: string,
): Promise<Stage> {
  const { address, bundlePath } = testServer();
  const dataDir = await mkdtemp(join(tmpdir(), 'batchgate-fault-'));
  if (options.databaseUrl === undefined) await seedStore(dataDir);
  const taskQueue = `fault-${randomUUID()}`;
  const target = await startTouchTarget();
  const connection = await connectClient({ address: clientAddress ?? options.address ?? address });
  const client = new Client({ connection });
  const begun: string[] = [];
  const confirm = (id: string) => confirmOpen(client, id, { by: 'ana' });
  const loadWorker = () =>
    loadWorkerProcess({
      address,
      taskQueue,
      bundlePath,
      dataDir,
      targetUrl: target.url,
      settings: { call_timeout_ms: CALL_TIMEOUT_MS, heartbeat_timeout_ms: HEARTBEAT_TIMEOUT_MS },
      ...options,
    });
  return {
    target,
    client,
    taskQueue,
    dataDir,
    loadWorker,
    startWorker: () => loadWorker()(),
    async begin(kind, count = 50, batch_size = 10) {
      const operation_id = `${kind}-${randomUUID()}`;
      begun.push(operation_id);
      const items = Array.from({ length: count }, (_, index) => ({
        id: itemId(operation_id, index),
        display_name: `Item ${index + 1}`,
      }));
      const handle = await client.workflow.start(WORKFLOW_TYPES.bulkOperation, {
        workflowId: operation_id,
        taskQueue,
        args: [{ domain: kind, action: 'mark', items, batch_size }],
        // A dead or suspended worker holds its tasks until they time out; the default is ten seconds for each.
        workflowTaskTimeout: '2 seconds',
      });
      await handle.executeUpdate(UPDATES.ready);
      return operation_id;
    },
    confirm,
    async finish(id) {
      for (;;) {
        const status = await getBulkStatus(client, id);
        if (!status.needs_confirmation) return status;
        if (status.state === 'awaiting_resolution') {
          const decision = { force: true, reason: 'the target cannot say' };
          await completeBulkOperation(client, id, decision);
          continue;
        }
        await confirm(id);
      }
    },
    async doubts(id) {
      const { items } = await getBulkItems(client, id, { outcome: 'in_doubt', limit: 100 });
      return items.map((item) => item.id);
    },
    unreplayable: (further = []) => unreplayableOf(client, [...begun, ...further]),
    async close() {
      await endWorkerProcesses();
      await connection.close();
      await target.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** The numbers of requests for and changes of each item of an operation, in the order of the plan. */
export function touchesOf(stage: Stage, id: string, count = 50): { asked: number; applied: number }[] {
  return Array.from({ length: count }, (_, index) => {
    const touches = stage.target.touches.get(itemId(id, index)) ?? [];
    return { asked: touches.length, applied: touches.filter(({ applied }) => applied).length };
  });
}

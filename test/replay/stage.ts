import { mkdtemp, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { WithStartWorkflowOperation, type Client, type WorkflowHandle } from '@temporalio/client';
import type { Workflow } from '@temporalio/common';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import type { WebhookTarget } from '../../activities/webhooks/targets';
import type { Reconciliation } from '../../src/contract/adapter';
import type { BulkItem, BulkResult } from '../../src/contract/items';
import type { BulkOperationInput, BulkStatus, BulkTurn } from '../../src/contract/operation';
import { loadConfig } from '../../src/host/config';
import { findTemporalCli } from '../../src/host/temporal/find-server';
import { ensureSearchAttributes } from '../../src/host/temporal/search-attributes';
import { historyToJson, type History } from '../../src/testing/replay';
import { createFakeAdapter, type FakeAdapterOptions } from '../../src/testing/fake-adapter';
import { createDatabases } from '../../src/postgres/databases';
import { createRowSource } from '../../src/worker/macros';
import { RECORDED_MODEL } from './assistant-paths';
import { MACRO_TOOLS } from './macro-tools';
import { manyItems, startHarness, type Harness, type HarnessOptions } from '../helpers/harness';

/** What the tool does in one path. By default its calls succeed. */
export interface Behaviour {
  items?: number;
  apply?: (item: BulkItem) => Promise<BulkResult | void>;
  onCall?: FakeAdapterOptions['onCall'];
  /** By default `unknown`. */
  readBack?: Reconciliation;
}

/** The workflow of one path, and the ways to drive it. */
export interface Scene {
  harness: Harness;
  id: string;
  handle: WorkflowHandle;
  /** Starts a workflow of any type, with anything as its input. */
  begin: (type: string, ...input: unknown[]) => Promise<unknown>;
  update: <T = BulkTurn>(name: string, request?: object) => Promise<T>;
  behave: (behaviour: Behaviour) => void;
  /** The marks on the items of the tool `marked`, which can preview and undo. */
  marks: Map<string, string>;
  /** Starts an operation, by default on five items in one batch, and waits for the first question. */
  start: (input?: Partial<BulkOperationInput>) => Promise<BulkStatus>;
  /** Starts an operation without the typed client, with anything as its input, and waits for `ready`. */
  startRaw: (input: unknown) => Promise<BulkTurn>;
  /** Queries the status until it is as wanted, because a signal returns nothing. */
  until: (wanted: (status: BulkStatus) => boolean) => Promise<BulkStatus>;
}

/** Throws once, when the tool is called for the n-th item. */
export function throwingOnce(error: Error, atCall: number): Behaviour {
  let calls = 0;
  return {
    onCall: (method) => {
      if (method === 'executeBatch' && ++calls === atCall) throw error;
    },
  };
}

/** Drives a workflow along one path, and returns when its history is ready to be recorded. */
export type Path = (scene: Scene) => Promise<unknown>;

/** Resolves if the work is refused. */
export const refused = (work: Promise<unknown>) =>
  work.then(
    () => Promise.reject(new Error('it was not refused')),
    () => undefined,
  );

export interface Stage {
  client: Client;
  scene(id: string): Scene;
  close(): Promise<void>;
}

export interface StageOptions {
  /** After how many batches an operation continues as new. */
  batchesPerRun?: number;
  /** After how many events the server suggests continue-as-new. If given, the stage starts its own server. */
  eventsPerRun?: number;
  /** Receivers of webhooks: `chat` accepts each delivery, `away` none. */
  webhooks?: true;
  policies?: HarnessOptions['policies'];
}

const RECEIVERS: WebhookTarget[] = [
  { name: 'chat', events: ['awaiting_confirmation', 'cancelled'], post: () => Promise.resolve() },
  { name: 'away', events: ['cancelled'], post: () => Promise.reject(new Error('it is away')) },
];

/** A worker whose tool behaves the way the current path wants. */
export async function openStage({
  batchesPerRun = 25,
  eventsPerRun,
  webhooks,
  policies,
}: StageOptions): Promise<Stage> {
  const server = eventsPerRun === undefined ? undefined : await startSuggestingServer(eventsPerRun);
  let behaviour: Behaviour = {};
  const adapter = createFakeAdapter({
    items: () => manyItems(behaviour.items ?? 5),
    apply: (item) => behaviour.apply?.(item) ?? Promise.resolve(),
    readBack: () => Promise.resolve(behaviour.readBack ?? 'unknown'),
    onCall: (method) => behaviour.onCall?.(method),
  });
  const marks = new Map<string, string>();
  const marked = createFakeAdapter({
    toolName: 'marked',
    items: () => manyItems(behaviour.items ?? 5),
    apply: () => Promise.resolve(),
    marks,
  });
  const folder = await mkdtemp(join(tmpdir(), 'batchgate-stage-'));
  const databases = createDatabases({ databases: { shop: { url: 'pglite:shop' } }, folder }, {});
  const harness = await startHarness({
    adapters: [adapter, marked],
    databases,
    chatModel: RECORDED_MODEL,
    macros: { ...MACRO_TOOLS, databases: createRowSource(databases, ['shop']) },
    ...(webhooks && { webhooks: { targets: RECEIVERS } }),
    policies,
    // Items of a failed batch are read back once its last call must have ended, so calls are short here.
    settings: { batches_per_run: batchesPerRun, call_timeout_ms: 500 },
    ...(server && { connect: { client: server.client, connection: server.nativeConnection } }),
  });
  return {
    client: harness.client,
    scene: (id) => {
      behaviour = {};
      marks.clear();
      return { ...scene(harness, id, (next) => (behaviour = next)), marks };
    },
    close: async () => {
      await harness.close();
      await server?.teardown();
      await databases.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A server that suggests continue-as-new after few events, so that a path over several runs stays short. */
export async function startSuggestingServer(events: number): Promise<TestWorkflowEnvironment> {
  const log = { info: () => undefined };
  const { path } = await findTemporalCli({ cacheDir: loadConfig().cacheDir, log });
  const server = await TestWorkflowEnvironment.createLocal({
    server: {
      executable: { type: 'existing-path', path },
      extraArgs: ['--dynamic-config-value', `limit.historyCount.suggestContinueAsNew=${events}`],
    },
  });
  await ensureSearchAttributes(server.connection, 'default');
  return server;
}

function scene(harness: Harness, id: string, behave: Scene['behave']): Omit<Scene, 'marks'> {
  const handle = harness.client.workflow.getHandle(id);
  return {
    harness,
    id,
    handle,
    behave,
    begin: (type, ...input) =>
      harness.client.workflow.start(type, { workflowId: id, taskQueue: harness.taskQueue, args: input }),
    start: (input = {}) => harness.start({ batch_size: 5, ...input }, id),
    startRaw: (input) => {
      const { taskQueue, client } = harness;
      const startWorkflowOperation = new WithStartWorkflowOperation('bulkOperation', {
        workflowId: id,
        taskQueue,
        args: [input],
        workflowIdConflictPolicy: 'FAIL',
      });
      const ready = { startWorkflowOperation };
      return client.workflow.executeUpdateWithStart<Workflow, BulkTurn, []>('ready', ready);
    },
    update: <T>(name: string, request: object = {}) =>
      handle.executeUpdate<T, [object]>(name, { args: [request] }),
    until: async (wanted) => {
      for (;;) {
        const found = await handle.query<BulkStatus>('status');
        if (wanted(found)) return found;
      }
    },
  };
}

/** The histories of all runs of a workflow, the first run first. */
export async function historiesOf(client: Client, id: string): Promise<History[]> {
  const histories: History[] = [];
  const { raw } = await client.workflow.getHandle(id).describe();
  let runId = raw.workflowExecutionInfo?.firstRunId ?? undefined;
  while (runId) {
    const history = await client.workflow.getHandle(id, runId).fetchHistory();
    histories.push(history);
    runId =
      history.events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ?? undefined;
  }
  return histories;
}

/** A history as JSON for the repository, complete except for the recorder's host name and paths. */
export function printed(history: History, root: string): string {
  const { events } = historyToJson(history) as { events: unknown[] };
  const text = (event: unknown) =>
    JSON.stringify(event, (key, value: unknown) =>
      // Payloads are base64, so a host name in them would be a coincidence.
      typeof value === 'string' && key !== 'data'
        ? value.replaceAll(`${root}/`, '').replaceAll(hostname(), 'recorder')
        : value,
    );
  return `{"events":[\n${events.map(text).join(',\n')}\n]}\n`;
}

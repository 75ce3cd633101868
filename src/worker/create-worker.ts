import { randomUUID } from 'node:crypto';
import { Client } from '@temporalio/client';
import { Worker, type NativeConnection, type WorkerOptions } from '@temporalio/worker';
import type { DataConverter } from '@temporalio/common';
import { createActivities } from '../../activities';
import type { ActivityDependencies, MacroDependencies } from '../../activities/shared/dependencies';
import { readProfile } from '../../activities/shared/profiles';
import { createGateway } from '../../activities/tools/gateway';
import type { ChatModel } from '../../activities/assistant/model';
import { createMarkerStore } from '../../activities/sentinel/markers';
import { createSessions } from '../../activities/macro/transactions/sessions';
import { readArrivals } from '../client/operation-records';
import { noteAnswer } from '../client/assistant-notes';
import { createOperationWatch } from '../client/operation-watch';
import { rememberQueue } from '../client/calls';
import { createSentinel } from '../client/sentinel';
import { TASK_QUEUE } from '../contract/messages';
import type { Scratchpad } from '../contract/scratchpad';
import type { ToolDefinition } from '../contract/tools';
import type { Databases } from '../postgres/databases';
import { readable } from '../client/readable';
import { packageVersion } from '../host/version';
import { workflowSource } from './bundling';
import { createTools } from './tools';
import { createWebhookActivities, type WebhookDependencies } from '../../activities/webhooks';
import { beginDelivery } from '../client/webhooks';
import { watchOperation } from '../client/operation-events';
import { getBulkStatus } from '../client/status';
import { webhookQueue } from '../contract/webhooks';

export interface CreateWorkerOptions {
  connection: NativeConnection;
  namespace: string;
  /** The sentinel, tools and the waits for operations use the same connection. */
  dependencies: Omit<
    ActivityDependencies,
    | 'sentinel'
    | 'operations'
    | 'arrivals'
    | 'tools'
    | 'gateway'
    | 'macros'
    | 'assistant'
    | 'markers'
    | 'webhooks'
  > & {
    scratchpad: Scratchpad;
    macros?: Partial<MacroDependencies>;
    /** If unset, assistants answer that no model is configured. */
    chatModel?: ChatModel;
  };
  /** The databases whose transactions may span the steps of a macro. */
  databases?: Databases;
  /** Tools in addition to the built-in ones. */
  tools?: readonly ToolDefinition[];
  /** The receivers of messages about operations. */
  webhooks?: WebhookOptions;
  /** Returns the secrets to remove from tool errors, results for agents and prompts. */
  secrets?: () => Promise<readonly string[]>;
  dataConverter?: DataConverter;
  taskQueue?: string;
  /** Workflow code: a prebuilt bundle, or none for the one beside this build. */
  workflowBundle?: WorkerOptions['workflowBundle'];
  shutdownGraceMs?: number;
  /**
   * The maximum delay of the worker's end by activities that ignore cancellation. Default: the timeout of one call.
   */
  shutdownForceMs?: number;
}

/** The time that a batch needs after its last call to record its results. Milliseconds. */
const RECORDING_MS = 10_000;

/**
 * The time limit for one step of a workflow, an option that the SDK's types omit. Exceeding it may abort the whole
 * process, because Node loses track of the hooks of an interrupted promise. A process that was suspended for longer
 * than the default of 5 s would exceed that, so the limit here is only the last resort.
 */
const RUN_LIMIT = { isolateExecutionTimeout: '1 minute' };

/**
 * The id of the code that answered, in five events of each batch's history. The SDK's own id is longer than 90
 * characters. This option does not enable the SDK's worker versioning, whose options are the alternative.
 */
const BUILD = { buildId: `batchgate@${packageVersion()}` };

/**
 * A lease occupies a slot for as long as its transaction is open. If leases took all slots, no call of these
 * transactions could run. The connections of the databases are the limit instead, and there are far fewer of them.
 */
const SLOTS_FOR_TRANSACTIONS = 10_000;

/** A cancellation reaches an activity with the answer to its heartbeat, so the throttle limits the delay. */
const HEARTBEATS = {
  maxHeartbeatThrottleInterval: '100ms',
  defaultHeartbeatThrottleInterval: '100ms',
} as const;

/** Creates a worker for bulk operations and macros from its dependencies. */
export async function createBatchgateWorker(options: CreateWorkerOptions): Promise<BatchgateWorker> {
  const { connection, namespace, dataConverter, databases, taskQueue = TASK_QUEUE } = options;
  // The memo of a foreign client must not fail the description of a holder.
  const client = new Client({ connection, namespace, dataConverter: readable(dataConverter) });
  rememberQueue(client, taskQueue);
  const { scratchpad, macros, chatModel, ...dependencies } = options.dependencies;
  const { settings } = dependencies;
  const tools = createTools(() => ({ client, taskQueue, scratchpad }), options.tools);
  const sentinel = createSentinel(client, taskQueue);
  const gateway = createGateway({
    registry: tools,
    scratchpad,
    profile: () => readProfile(dependencies),
    maxLimit: settings.max_total_items,
    secrets: options.secrets,
    onCall: () => sentinel.toolCalled(),
  });
  const ownQueue = `${taskQueue}-${randomUUID()}`;
  const sessions = databases && createSessions({ databases, settings, taskQueue: ownQueue });
  const webhooks = options.webhooks && webhookDependencies(client, taskQueue, options.webhooks);
  const activities = createActivities({
    ...dependencies,
    webhooks,
    ...(databases && { markers: createMarkerStore(databases, dependencies.log) }),
    scratchpad,
    tools,
    gateway,
    sentinel,
    operations: createOperationWatch(client),
    arrivals: (input) => readArrivals(client, input),
    assistant: {
      ...{ model: chatModel, secrets: options.secrets },
      onAnswer: (sessionId) => noteAnswer(client, sessionId, taskQueue),
    },
    macros: {
      gateway,
      tools: () => tools.listTools({ caller: 'macro' }),
      limits: (profile) => macroLimits(dependencies, profile),
      scratchpad,
      sessions,
      ...macros,
    },
  });
  const common: WorkerOptions = {
    connection,
    namespace,
    taskQueue,
    activities,
    dataConverter: readable(dataConverter),
    ...HEARTBEATS,
    ...endingOf(options),
  };
  const source = workflowSource(options.workflowBundle);
  const sticky = { stickyQueueScheduleToStartTimeout: '2s' };
  const worker = await Worker.create({ ...common, ...source, ...sticky, ...RUN_LIMIT, ...BUILD });
  const workers: [Worker, ...Worker[]] = [worker];
  if (webhooks) workers.push(await createWebhookWorker(common, taskQueue, webhooks));
  if (sessions === undefined) return combineWorkers(workers);
  workers.push(await createTransactionWorker(common, ownQueue));
  return combineWorkers(workers, () => sessions.close());
}

const endingOf = ({ shutdownGraceMs, shutdownForceMs, dependencies }: CreateWorkerOptions) => ({
  shutdownGraceTime: shutdownGraceMs ?? 0,
  shutdownForceTime: shutdownForceMs ?? dependencies.settings.call_timeout_ms + RECORDING_MS,
});

/** The work in a transaction is done on the worker that holds its connection. */
const createTransactionWorker = (common: WorkerOptions, taskQueue: string): Promise<Worker> =>
  Worker.create({ ...common, taskQueue, maxConcurrentActivityTaskExecutions: SLOTS_FOR_TRANSACTIONS });

/** `op_max_tool_calls_per_step` and `op_max_total_tool_calls` when a macro starts (specification P5). */
async function macroLimits(needed: Parameters<typeof readProfile>[0], profile?: string) {
  const { op_max_tool_calls_per_step: at_once, op_max_total_tool_calls: calls } = await readProfile(
    needed,
    profile,
  );
  return { at_once, calls };
}

export type WebhookOptions = Pick<WebhookDependencies, 'targets' | 'baseUrl'>;

/** A worker's own connection takes no signal: an abandoned long poll continues for this long. */
const HELD_MS = 10_000;
/** One activity for each live operation and target, besides the deliveries; all of them mostly wait. */
const AT_A_TIME = 10_000;

function webhookDependencies(
  client: Client,
  taskQueue: string,
  options: WebhookOptions,
): WebhookDependencies {
  return {
    ...options,
    watch: ({ operation_id, run_id }, after, signal) =>
      watchOperation(client, operation_id, signal, { run_id, held_ms: HELD_MS, ...(after && { after }) }),
    statusOf: (operationId) => getBulkStatus(client, operationId),
    begin: (input) => beginDelivery(client, input, taskQueue),
  };
}

/**
 * Creates the worker of webhooks. It has its own activity slots, so that a receiver that does not answer takes none
 * from a batch.
 */
function createWebhookWorker(
  common: WorkerOptions,
  taskQueue: string,
  webhooks: WebhookDependencies,
): Promise<Worker> {
  return Worker.create({
    ...common,
    taskQueue: webhookQueue(taskQueue),
    activities: createWebhookActivities(webhooks),
    maxConcurrentActivityTaskExecutions: AT_A_TIME,
    maxHeartbeatThrottleInterval: '3s',
    defaultHeartbeatThrottleInterval: '3s',
  });
}

/** The members of a worker that its runner uses. */
export type BatchgateWorker = Pick<Worker, 'run' | 'shutdown' | 'getState'>;

/** Combines workers: when one ends for any reason, the others are shut down. Then `close` is called. */
function combineWorkers(
  workers: readonly [Worker, ...Worker[]],
  close: () => Promise<void> = () => Promise.resolve(),
): BatchgateWorker {
  const shutdown = () => {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  return {
    getState: () => workers[0].getState(),
    shutdown,
    async run() {
      const running = workers.map((worker) => worker.run().finally(shutdown));
      await Promise.allSettled(running);
      await close();
      await Promise.all(running);
    },
  };
}

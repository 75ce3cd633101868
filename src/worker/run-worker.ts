import { Client } from '@temporalio/client';
import {
  DefaultLogger,
  IllegalStateError,
  Runtime as TemporalRuntime,
  type NativeConnection,
} from '@temporalio/worker';
import { pino, type Logger } from 'pino';
import type { Config } from '../host/config';
import { findRuntime } from '../host/runtime-file';
import { BatchgateError } from '../contract/errors';
import { CHECKPOINT_EVENT } from '../contract/webhooks';
import { tellCheckpoint } from '../client/webhooks';
import { loadDataConverter } from '../host/data-converter';
import { DEMO_MODEL, serveDemoModel } from '../host/demo-model';
import { knownSecrets } from '../host/secrets';
import { openStore, type Store } from '../postgres/store/open';
import { connectClient, type Target } from '../host/temporal/connection';
import { connectWorker } from '../host/temporal/worker-connection';
import { ensureSearchAttributes } from '../host/temporal/search-attributes';
import { createTargets } from '../../activities/webhooks/targets';
import { createChatModel, type ChatModel } from '../../activities/assistant/model';
import { createAdapters } from './adapters';
import { configurationOf, startAuditor } from './audit';
import { createMacros } from './macros';
import { createBatchgateWorker, type CreateWorkerOptions } from './create-worker';
import { watchQuarantine } from './quarantine-watch';
import { partsOf, scheduleHygiene } from './start-worker';
import { runRestarting } from './worker-restarts';
import { configuredTools } from './tools';

export interface RunningWorker {
  client: Client;
  ended: Promise<void>;
  stop(): Promise<void>;
}

/** Starts a worker alone, with its own store. `mailboxUrl`: the local mailbox and calendar that replace Google. */
export async function startConfiguredWorker(
  config: Config,
  target: Target,
  namespace: string,
  mailboxUrl?: string,
): Promise<RunningWorker> {
  const store = await openStore(config);
  try {
    const worker = await runWorker(config, createLog(config), store, target, namespace, mailboxUrl);
    return { ...worker, stop: () => worker.stop().finally(() => store.close()) };
  } catch (error) {
    await store.close();
    throw error;
  }
}

export async function runWorker(
  config: Config,
  log: Logger,
  store: Store,
  target: Target,
  namespace: string,
  mailboxUrl: string | undefined,
): Promise<RunningWorker> {
  installRuntime(config, log);
  const undo: Undo[] = [];
  const stop = () => undoAll(undo);
  try {
    const dataConverter = await loadDataConverter(config.payloadCodecPath);
    const connection = await connectClient(target);
    undo.push(() => connection.close());
    await ensureSearchAttributes(connection, namespace);
    const client = new Client({ connection, namespace, dataConverter });
    await scheduleHygiene(client, config.taskQueue, log);
    const native = await connectWorker(target);
    undo.push(() => closeUnlessHeld(native, log));
    const adapters = await createAdapters(config, mailboxUrl, store.buckets);
    undo.push(() => adapters.close());
    const webhooks = await webhooksOf(config);
    const audit = auditorOf(config, log, store, client, webhooks);
    undo.push(() => audit.stop());
    await store.audit.configured(configurationOf(config));
    const chatModel = await chatModelOf(config, undo);
    const options: CreateWorkerOptions = {
      connection: native,
      namespace,
      taskQueue: config.taskQueue,
      dataConverter,
      tools: await configuredTools(config, adapters.httpAllowance),
      ...(Object.keys(config.file.databases).length > 0 && { databases: adapters.databases }),
      ...webhooks,
      secrets: () => knownSecrets(config.file, config.env),
      dependencies: {
        ...(await partsOf(store)),
        ...{ adapters, audit, auditRetention: config.file.audit },
        settings: config.settings,
        deadlines: config.file.deadlines,
        windows: config.file.windows,
        policies: config.file.policies,
        identities: { groups: config.file.oidc !== undefined },
        macros: createMacros(config, adapters.databases),
        chatModel,
        log,
      },
    };
    const worker = await runRestarting(() => createBatchgateWorker(options), log);
    undo.push(() => worker.stop());
    const { metricMeter } = TemporalRuntime.instance();
    const watch = watchQuarantine(client, config.taskQueue, log, { metricMeter });
    undo.push(() => Promise.resolve(watch.stop()));
    return { client, ended: worker.ended, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Returns the model of assistants. The demo model is served for as long as the worker runs. */
async function chatModelOf({ model, demoModel }: Config, undo: Undo[]): Promise<ChatModel | undefined> {
  if (!demoModel) return model && createChatModel(model);
  const served = await serveDemoModel();
  undo.push(() => served.close());
  return createChatModel({ baseUrl: served.url, name: DEMO_MODEL });
}

async function webhooksOf({ file, env, dataDir }: Config): Promise<Pick<CreateWorkerOptions, 'webhooks'>> {
  if (file.webhooks.length === 0) return {};
  // An `up` serves HTTP only once its worker runs, possibly on another port than the configured one.
  const baseUrl = async () => file.http.base_url ?? (await findRuntime(dataDir))?.http_url;
  return { webhooks: { targets: await createTargets(file, env), baseUrl } };
}

/** Sends each checkpoint to the receivers that subscribe to it. */
function auditorOf(
  config: Config,
  log: Logger,
  store: Store,
  client: Client,
  { webhooks }: Pick<CreateWorkerOptions, 'webhooks'>,
) {
  return startAuditor(store.audit, config, log, async (checkpoint) => {
    for (const { name, events } of webhooks?.targets ?? [])
      if (events.includes(CHECKPOINT_EVENT)) await tellCheckpoint(client, name, checkpoint, config.taskQueue);
  });
}

/** The connection of a worker that was ended by force ends with the process. */
async function closeUnlessHeld(native: NativeConnection, log: Logger): Promise<void> {
  try {
    await native.close();
  } catch (error) {
    if (!(error instanceof IllegalStateError)) throw error;
    log.warn({ reason: error.message }, 'an activity did not end, and its worker was ended by force');
  }
}

function createLog(config: Config): Logger {
  return pino(
    { level: config.logLevel, serializers: { error: pino.stdSerializers.err } },
    pino.destination({ fd: 2, sync: true }),
  );
}

/** Directs the SDK's log to our log. This works once per process: a second installation is refused. */
function installRuntime(config: Config, log: Logger): void {
  const level =
    config.logLevel === 'silent' || config.logLevel === 'fatal' ? 'ERROR' : config.logLevel.toUpperCase();
  const write = (entry: { level: string; message: string; meta?: object }) =>
    log[entry.level.toLowerCase() as 'info'](entry.meta ?? {}, entry.message);
  try {
    // The verbs handle signals themselves: they query the worker before they stop it.
    const logger = new DefaultLogger(level as 'WARN', write);
    const bindAddress = config.metricsAddress;
    const telemetryOptions = bindAddress === undefined ? {} : { metrics: { prometheus: { bindAddress } } };
    TemporalRuntime.install({ logger, shutdownSignals: [], telemetryOptions });
  } catch (error) {
    // Installed before, by an earlier worker of this process or by the program that embeds us.
    if (error instanceof IllegalStateError) return;
    throw new BatchgateError(
      'NOT_CONFIGURED',
      `Metrics cannot be served at ${config.metricsAddress ?? 'no address'}: ${error instanceof Error ? error.message : String(error)}`,
      'Set BATCHGATE_METRICS_ADDRESS to a free HOST:PORT of this machine.',
    );
  }
}

/** Reverts one step of a start. */
export type Undo = () => Promise<unknown>;

/** Reverts the steps in reverse order. A second call does nothing. */
export async function undoAll(undo: Undo[]): Promise<void> {
  for (const step of undo.splice(0).reverse()) await step();
}

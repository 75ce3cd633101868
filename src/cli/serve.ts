import { createHash } from 'node:crypto';
import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import type { Client } from '@temporalio/client';
import type { Command } from 'commander';
import type { OpenIdOptions } from '../api/open-id/provider';
import type { ApiOptions, RunningApi } from '../api/server';
import type { AdapterDescription, BulkAdapter } from '../contract/adapter';
import { BatchgateError } from '../contract/errors';
import type { ToolQuery } from '../contract/tools';
import { describeAdapter, refusedParams, type ParamsRequest } from '../core/bulk/registry';
import { remembered } from '../core/shared/promises';
import type { Config } from '../host/config';
import type { OidcConfig } from '../host/config-file';
import { readSource } from '../host/secrets';
import { connectClient } from '../host/temporal/connection';
import type { Stack } from '../worker/stack';
import { findServer, openClient } from './connect';
import { readConfig } from './io';
import { PORT } from './origin';
import { note } from './output';
import { interruption, untilEnded } from './staying';
import { verb } from './verb';

export function addServeVerb(program: Command): void {
  verb(program, 'serve', 'only the HTTP API, for production; stays', async () => {
    const config = readConfig();
    const { refusePolicies } = await import('../host/policies.js');
    refusePolicies(config);
    const interrupt = interruption();
    const { openAccess } = await import('../worker/serve-store.js');
    const store = await openAccess(config);
    try {
      const client = await connect(config);
      try {
        const http = await serve(config, { client, taskQueue: config.taskQueue, access: store.access });
        note('The HTTP API is up. Ctrl-C stops it.');
        await untilEnded(interrupt, { ended: new Promise(() => undefined), stop: () => http.close() });
      } finally {
        await client.connection.close();
      }
    } finally {
      await store.close();
    }
  });
}

/** Serves HTTP for the `up` of this process; an `up` in another process does so itself. */
export async function serveStack(config: Config, stack: Stack): Promise<RunningApi | undefined> {
  const { client, taskQueue, access } = stack;
  if (!access) return undefined;
  try {
    const temporalUi = workflowsOf(stack.runtime);
    const http = await serve(config, {
      client,
      taskQueue,
      access,
      temporalUi,
    });
    await stack.publishHttp(`http://127.0.0.1:${http.port}`);
    return http;
  } catch (error) {
    await stack.stop();
    throw error;
  }
}

async function serve(
  config: Config,
  parts: Pick<ApiOptions, 'client' | 'taskQueue' | 'access' | 'temporalUi'>,
): Promise<RunningApi> {
  // Loaded only where it runs, so that the other verbs start fast.
  const { startApi } = await import('../api/server.js');
  const { oidc } = config.file;
  const adapters = remembered(() => adaptersOf(config));
  const options = {
    ...parts,
    host: config.httpHost,
    folder: createHash('sha256').update(resolve(config.dataDir)).digest('hex').slice(0, 8),
    baseUrl: config.file.http.base_url,
    describeAdapters: () => describeAdapters(config),
    refusedParams: async (request: ParamsRequest) => refusedParams(await adapters(), request),
    limits: config.settings,
    hasModel: hasModel(config),
    requestsPerMinute: config.file.http.caller_requests_per_minute,
    ...(oidc && { openId: openIdOptions(oidc, config) }),
    mcp: { confirm: config.mcpConfirm, describeAdapters: () => describeAdapters(config) },
    describeTools: async (query: ToolQuery) =>
      (await import('../worker/tools/index.js')).describeTools(config, query),
    onFailure: (error: unknown) =>
      note(`A request failed: ${error instanceof Error ? error.message : 'unknown error'}`),
  };
  const { httpPort } = config;
  const http = await startApi({ ...options, port: httpPort ?? PORT }).catch((error: unknown) => {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (CANNOT_LISTEN.has(code)) throw cannotListen(config, code);
    if (!isTaken(error)) throw error;
    if (httpPort !== undefined) throw portInUse(httpPort);
    note(`Another program uses port ${PORT}, so HTTP is served on another one.`);
    return startApi({ ...options, port: 0 });
  });
  const link = await http.signInLink({ name: userInfo().username, role: 'admin' });
  note(`HTTP: sign in once with ${link}`);
  note('The link is valid for an hour; `npx batchgate link` prints another one.');
  return http;
}

/** Whether assistants of a worker with this configuration have a model. */
export const hasModel = ({ model, demoModel }: Config): boolean => model !== undefined || demoModel === true;

/** The address of this namespace's workflows in the Temporal UI. */
const workflowsOf = ({ ui_url, namespace }: Stack['runtime']) =>
  ui_url === undefined ? undefined : `${ui_url}/namespaces/${encodeURIComponent(namespace)}`;

export async function describeAdapters(config: Config): Promise<AdapterDescription[]> {
  return (await adaptersOf(config)).map(describeAdapter);
}

async function adaptersOf(config: Config): Promise<BulkAdapter[]> {
  const { createAdapters } = await import('../worker/adapters.js');
  return (await createAdapters(config)).list();
}

function openIdOptions(oidc: OidcConfig, { file, env }: Config): OpenIdOptions {
  const { client_secret: source } = oidc;
  const clientSecret = async () =>
    source && (await readSource(source, 'The client secret of OpenID Connect', file.folder, env));
  return { ...oidc, clientSecret };
}

const isTaken = (error: unknown) => (error as NodeJS.ErrnoException).code === 'EADDRINUSE';

/** An address of another machine or none, and a port that needs rights. */
const CANNOT_LISTEN = new Set(['EADDRNOTAVAIL', 'EACCES', 'ENOTFOUND', 'EAI_AGAIN']);

const cannotListen = ({ httpHost, httpPort = PORT }: Config, code: string) =>
  new BatchgateError(
    'NOT_CONFIGURED',
    `HTTP cannot be served on ${httpHost}, port ${httpPort}: ${code}.`,
    'Set BATCHGATE_HTTP_HOST to an address of this machine, and BATCHGATE_HTTP_PORT to a port that this user may open, such as one above 1023.',
  );

const portInUse = (port: number) =>
  new BatchgateError(
    'NOT_CONFIGURED',
    `HTTP cannot be served on port ${port}: another program uses it.`,
    'Set BATCHGATE_HTTP_PORT to a free port, or to 0 for any.',
  );

async function connect(config: Config): Promise<Client> {
  const server = await findServer(
    config,
    'The HTTP API needs a Temporal server, and none is configured.',
    'Set TEMPORAL_ADDRESS, or run `npx batchgate up`, which starts one and serves HTTP itself.',
  );
  return openClient(config, server, connectClient);
}

import { setTimeout as pause } from 'node:timers/promises';
import { Connection, defaultGrpcRetryOptions, makeGrpcRetryInterceptor } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import type { NativeConnectionOptions } from '@temporalio/worker';
import { BatchgateError } from '../../contract/errors';
import { reasonOf } from './failure';

/** The options of a connection to a server: TLS, API key, metadata. */
export type ConnectionSettings = Pick<NativeConnectionOptions, 'tls' | 'apiKey' | 'metadata'>;

export interface TemporalConfig {
  /** Undefined means the embedded server. */
  address?: string;
  namespace: string;
  options: ConnectionSettings;
}

export interface Target {
  address: string;
  options?: ConnectionSettings;
}

export const CONNECT_MS = 10_000;

/**
 * Reads Temporal's standard variables and profile file.
 * @throws BatchgateError `NOT_CONFIGURED` when the file or the profile is not usable.
 */
export function connectionOptions(env: Readonly<Record<string, string | undefined>>): TemporalConfig {
  const overrideEnvVars = Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  // Report only the first line: a parser quotes the lines around an error, and they may contain a key.
  try {
    const { connectionOptions, namespace } = loadClientConnectConfig({ overrideEnvVars });
    const { address, tls, apiKey, metadata } = connectionOptions;
    return {
      ...(address && { address }),
      namespace: namespace ?? 'default',
      options: {
        ...(tls !== undefined && { tls }),
        ...(apiKey !== undefined && { apiKey }),
        ...(metadata !== undefined && { metadata }),
      },
    };
  } catch (error) {
    throw new BatchgateError(
      'NOT_CONFIGURED',
      `Temporal's configuration cannot be read: ${reasonOf(error).split('\n')[0] ?? ''}`,
      'Correct the TEMPORAL_ variables or the profile file that TEMPORAL_CONFIG_FILE and TEMPORAL_PROFILE name.',
    );
  }
}

/**
 * Connects as a client.
 * @param timeoutMs milliseconds for all attempts together.
 * @throws BatchgateError `TEMPORAL_UNAVAILABLE`.
 */
export async function connectClient(target: Target, timeoutMs = CONNECT_MS): Promise<Connection> {
  return connect(target, timeoutMs, (connection) => connection.ensureConnected());
}

/**
 * Connects as a client for a few calls. It sends no request, so a refusal by the server arrives with the first call.
 */
export async function reachServer(target: Target, timeoutMs = CONNECT_MS): Promise<Connection> {
  return connect(target, timeoutMs, (connection) => connection.reached(Date.now() + timeoutMs));
}

/** Stoppable retries of the SDK's calls: on a closed channel, a retry throws an error that nothing can catch. */
function stoppableRetries() {
  const defaults = defaultGrpcRetryOptions();
  let stopped = false;
  let scheduled = 0;
  return {
    interceptor: makeGrpcRetryInterceptor({
      retryableDecider: (attempt, status) => !stopped && defaults.retryableDecider(attempt, status),
      delayFunction: (attempt, status) => {
        const delay = defaults.delayFunction(attempt, status);
        scheduled = Math.max(scheduled, Date.now() + delay);
        return delay;
      },
    }),
    /** Resolves when the last retry that was scheduled has started. */
    async stop() {
      stopped = true;
      while (Date.now() <= scheduled) await pause(scheduled - Date.now() + 1);
    },
  };
}

/** Gives access to the SDK's protected method that waits for a channel without a call. */
class ReachedConnection extends Connection {
  retries?: ReturnType<typeof stoppableRetries>;

  override async close(): Promise<void> {
    await this.retries?.stop();
    await super.close();
  }

  reached(deadline: number): Promise<void> {
    return this.untilReady(deadline);
  }
}

async function connect(
  { address, options }: Target,
  connectTimeout: number,
  established: (connection: ReachedConnection) => Promise<void>,
): Promise<Connection> {
  const retries = stoppableRetries();
  const interceptors = [retries.interceptor];
  const connection = ReachedConnection.lazy({
    ...options,
    address,
    connectTimeout,
    interceptors,
  }) as ReachedConnection;
  connection.retries = retries;
  try {
    await established(connection);
    return connection;
  } catch (error) {
    void connection.close();
    throw unavailable(address, error);
  }
}

/** The error for an unreachable server. */
export function unavailable(address: string, error: unknown): BatchgateError {
  return new BatchgateError(
    'TEMPORAL_UNAVAILABLE',
    `Temporal at ${address} cannot be reached: ${reasonOf(error)}`,
    'Check that the server is running and that TEMPORAL_ADDRESS, its TLS settings and its API key are right.',
  );
}

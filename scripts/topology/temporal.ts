import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { runToEnd, startPart, untilServing, type Env, type Part } from './process';

export interface TemporalOptions {
  /** The folder of docker-compose.yml's scripts and settings. */
  deploy: string;
  /** Temporal's server, its schema tool and its command line, as a PATH. */
  path: string;
  env: Env;
  log: string;
  namespace: string;
  postgres: { port: number; password: string };
}

/** Does the work of docker-compose.yml's temporal-schema, temporal and temporal-namespace, with the same scripts. */
export async function startTemporal(options: TemporalOptions): Promise<Part & { address: string }> {
  const { deploy, postgres, log } = options;
  const env = { ...options.env, PATH: options.path };
  const database = { host: '127.0.0.1', port: String(postgres.port), user: 'temporal' };
  await runToEnd('sh', [join(deploy, 'setup-schema.sh')], {
    ...env,
    SQL_HOST: database.host,
    SQL_PORT: database.port,
    SQL_USER: database.user,
    SQL_PASSWORD: postgres.password,
  });
  const [grpc, http, ...inner] = await freePorts(9);
  const server = startPart('temporal-server', 'temporal-server', ['start'], {
    log,
    env: {
      ...env,
      DB: 'postgres12',
      POSTGRES_SEEDS: database.host,
      DB_PORT: database.port,
      // Visibility reads its port from another variable than the other parts.
      POSTGRES_PORT: database.port,
      POSTGRES_USER: database.user,
      POSTGRES_PWD: postgres.password,
      BIND_ON_IP: '127.0.0.1',
      TEMPORAL_BROADCAST_ADDRESS: '127.0.0.1',
      NUM_HISTORY_SHARDS: '128',
      DYNAMIC_CONFIG_FILE_PATH: join(deploy, 'dynamic-config.yaml'),
      LOG_LEVEL: 'warn',
      TEMPORAL_ALLOW_NO_AUTH: 'true',
      FRONTEND_GRPC_PORT: String(grpc),
      FRONTEND_HTTP_PORT: String(http),
      ...innerPorts(inner),
    },
  });
  const address = `127.0.0.1:${grpc}`;
  await untilServing(server, `http://127.0.0.1:${http}/api/v1/system-info`);
  try {
    await runToEnd('sh', [join(deploy, 'setup-namespace.sh')], {
      ...env,
      TEMPORAL_ADDRESS: address,
      TEMPORAL_NAMESPACE: options.namespace,
    });
    return { ...server, address };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

function innerPorts(ports: readonly number[]): Record<string, string> {
  const names = [
    'FRONTEND_MEMBERSHIP_PORT',
    ...['MATCHING', 'HISTORY', 'WORKER'].flatMap((role) => [`${role}_GRPC_PORT`, `${role}_MEMBERSHIP_PORT`]),
  ];
  return Object.fromEntries(names.map((name, at) => [name, String(ports[at])]));
}

/**
 * Holds all ports until all are chosen, so that none is chosen twice. Temporal's schema for PostgreSQL stores ports as
 * smallint, for which the system's own choices are too high.
 */
async function freePorts(count: number): Promise<number[]> {
  const held: Server[] = [];
  while (held.length < count) {
    const server = createServer().listen(randomInt(20_000, 32_768), '127.0.0.1');
    await once(server, 'listening').then(
      () => held.push(server),
      () => undefined,
    );
  }
  const ports = held.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(held.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { serveGrpcProxy, type GrpcProxy } from './grpc-proxy-server';
import { RUN_TYPESCRIPT } from './run-typescript';

/** A fault of one call of a worker, on the way to the server or on the way back. */
export interface Fault {
  /** The method of Temporal's service, such as `RespondWorkflowTaskCompleted`. */
  method: string;
  at: 'call' | 'answer';
  /** The delay before it. */
  holdMs?: number;
  /** `reset`: like the server's reset of a call after its deadline. */
  end: 'pass' | 'cut' | 'reset' | 'drop all';
}

/**
 * A network between workers and Temporal that fails on demand. It understands HTTP/2, because a fault should hit one
 * call, and all calls of a worker share a connection. It runs in a separate process (this file).
 */
export interface ProxyProcess {
  address: string;
  /** Each fault hits the next call of its method, once. Resolves when the first one has hit. */
  arm(...faults: Fault[]): Promise<void>;
  disarm(): void;
  /** Refuses new connections until further notice. */
  refuse(on: boolean): void;
  close(): Promise<void>;
}

type Order = { arm: Fault[] } | { refuse: boolean };

export async function startProxyProcess(upstream: string): Promise<ProxyProcess> {
  const child = fork(__filename, [upstream], { execArgv: RUN_TYPESCRIPT });
  const gone = once(child, 'exit');
  const [port] = (await Promise.race([
    once(child, 'message'),
    gone.then(() => Promise.reject(new Error('the proxy did not start'))),
  ])) as [number];
  const order = (message: Order) => void child.send(message);
  return {
    address: `127.0.0.1:${port}`,
    arm: async (...faults) => {
      const hit = once(child, 'message');
      order({ arm: faults });
      await hit;
    },
    disarm: () => order({ arm: [] }),
    refuse: (on) => order({ refuse: on }),
    async close() {
      child.disconnect();
      await gone;
    },
  };
}

async function main(upstream: string): Promise<void> {
  let armed: Fault[] = [];
  const proxy: GrpcProxy = await serveGrpcProxy(upstream, (method, at) => {
    const fault = armed.find((one) => one.method === method && one.at === at);
    if (!fault) return undefined;
    armed = armed.filter((one) => one !== fault);
    process.send?.('hit');
    if (fault.end === 'drop all') proxy.drop();
    return fault;
  });
  process.on('message', (order: Order) => {
    if ('refuse' in order) proxy.refuse(order.refuse);
    if ('arm' in order) armed = order.arm;
  });
  process.once('disconnect', () => process.exit());
  process.send?.(proxy.port);
}

if (require.main === module) void main(process.argv[2] ?? '');

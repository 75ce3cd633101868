import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../src/host/temporal/ports';
import { startTcpProxy } from '../../test/helpers/tcp-proxy';
import { startPart, type Env } from '../topology/process';
import type { NetworkFault } from './plan';

/** The network between the workers and everything that they use. */
export interface Network {
  /** The proxy: toxiproxy if it is installed, otherwise our own. */
  readonly by: 'toxiproxy' | 'own proxy';
  /** Opens a link to a port, and returns the port of its near end. */
  open(link: string, port: number): Promise<number>;
  /** Applies a fault until `heal`. */
  strike(link: string, fault: NetworkFault): Promise<void>;
  heal(link: string): Promise<void>;
  close(): Promise<void>;
}

const SLOW_MS = 300;

export async function startNetwork(env: Env, log: string): Promise<Network> {
  const folders = (env['PATH'] ?? '').split(delimiter);
  const program = folders.map((folder) => join(folder, 'toxiproxy-server')).find(existsSync);
  return program === undefined ? ownNetwork() : toxiproxy(program, env, log);
}

function ownNetwork(): Network {
  const proxies = new Map<string, Awaited<ReturnType<typeof startTcpProxy>>>();
  const proxyOf = (link: string) => {
    const proxy = proxies.get(link);
    if (proxy === undefined) throw new Error(`there is no link ${link}`);
    return proxy;
  };
  return {
    by: 'own proxy',
    async open(link, port) {
      const proxy = await startTcpProxy(port);
      proxies.set(link, proxy);
      return proxy.port;
    },
    strike(link, fault) {
      const proxy = proxyOf(link);
      proxy.rule = async () => {
        if (fault === 'slow') await pause(SLOW_MS);
        return fault === 'slow' ? 'forward' : fault === 'reset' ? 'cut' : 'silence';
      };
      if (fault === 'reset') proxy.drop();
      return Promise.resolve();
    },
    heal(link) {
      const proxy = proxyOf(link);
      proxy.rule = undefined;
      // A silenced connection stays silent, but no real network does that forever.
      proxy.drop();
      return Promise.resolve();
    },
    async close() {
      for (const proxy of proxies.values()) await proxy.close();
    },
  };
}

const TOXICS: Record<NetworkFault, { type: string; attributes: Record<string, number> }> = {
  reset: { type: 'reset_peer', attributes: { timeout: 0 } },
  silence: { type: 'timeout', attributes: { timeout: 0 } },
  slow: { type: 'latency', attributes: { latency: SLOW_MS, jitter: 200 } },
};

async function toxiproxy(program: string, env: Env, log: string): Promise<Network> {
  const api = await freePort(0);
  const part = startPart('toxiproxy', program, ['-host', '127.0.0.1', '-port', String(api)], { env, log });
  const ask = async (method: string, path: string, body?: object): Promise<void> => {
    const url = `http://127.0.0.1:${api}${path}`;
    const answer = await fetch(url, { method, ...(body && { body: JSON.stringify(body) }) });
    if (!answer.ok) throw new Error(`toxiproxy answered ${answer.status} to ${method} ${path}`);
  };
  try {
    await Promise.race([part.ended, untilAnswered(() => ask('GET', '/version'))]);
    return {
      by: 'toxiproxy',
      async open(link, port) {
        const listen = await freePort(0);
        const proxy = { name: link, listen: `127.0.0.1:${listen}`, upstream: `127.0.0.1:${port}` };
        await ask('POST', '/proxies', proxy);
        return listen;
      },
      strike: (link, fault) => ask('POST', `/proxies/${link}/toxics`, { name: 'fault', ...TOXICS[fault] }),
      heal: (link) => ask('DELETE', `/proxies/${link}/toxics/fault`),
      close: () => part.stop(),
    };
  } catch (error) {
    await part.stop();
    throw error;
  }
}

/** Toxiproxy's versions report their start in different words, and all before they listen. */
async function untilAnswered(work: () => Promise<void>): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries === 200 || !(error instanceof TypeError)) throw error;
      await pause(100);
    }
  }
}

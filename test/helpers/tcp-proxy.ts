import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';

/**
 * The fate of bytes from the client. `forward` passes them on, `lose` passes them on and breaks the connection as soon
 * as the server answers, `silence` passes them on and drops the answer, `cut` breaks the connection at once.
 */
type Fate = 'forward' | 'lose' | 'silence' | 'cut';
type Rule = (bytes: Buffer, connection: number) => Fate | Promise<Fate>;

/** A TCP proxy for a server: `rule` decides the fate of the clients' bytes. Connections are numbered from 1. */
export async function startTcpProxy(port: number) {
  const sockets = new Set<Socket>();
  const proxy = {
    port: 0,
    /** The port of the server. */
    to: port,
    rule: undefined as Rule | undefined,
    /** True for bytes from the server to drop silently. */
    loses: undefined as ((bytes: Buffer, connection: number) => boolean) | undefined,
    /** Breaks every connection now. */
    drop() {
      for (const socket of sockets) socket.destroy();
      sockets.clear();
    },
    async close() {
      proxy.drop();
      server.close();
      await once(server, 'close');
    },
  };
  let connections = 0;
  const server = createServer((client) => {
    const connection = ++connections;
    const upstream = connect(proxy.to, '127.0.0.1');
    let answers: 'pass' | 'break' | 'keep' = 'pass';
    const end = () => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', end).on('close', end);
    }
    upstream.on('data', (bytes) => {
      if (proxy.loses?.(bytes, connection)) return;
      if (answers === 'pass') client.write(bytes);
      if (answers === 'break') end();
    });
    let order = Promise.resolve();
    client.on('data', (bytes) => {
      order = order.then(async () => {
        const fate = (await proxy.rule?.(bytes, connection)) ?? 'forward';
        if (fate === 'cut') return end();
        if (fate === 'lose') answers = 'break';
        if (fate === 'silence') answers = 'keep';
        if (!upstream.destroyed) upstream.write(bytes);
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  proxy.port = (server.address() as AddressInfo).port;
  return proxy;
}

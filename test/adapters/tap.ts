import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import type { ConformanceWorld, Fault, FaultRule, ProviderCall } from '../../src/testing/conformance';

export type Tapped = Pick<ConformanceWorld, 'calls' | 'forgetCalls' | 'fail' | 'mostAtOnce'>;

/** Faults that the server itself could answer. */
export type Refusal = Exclude<Fault, 'malformed' | 'hollow' | 'reset' | 'silence'>;

/** One connection through a proxy. */
export interface Tap {
  readonly client: Socket;
  readonly upstream: Socket;
  /** Notes a call; the fault that it meets, if it meets one. */
  readonly meet: (call: ProviderCall | undefined) => Fault | undefined;
  /** The call of this connection has its answer. */
  readonly answered: () => void;
  readonly end: () => void;
}

/** A proxy that notes calls. `attach` reads and writes each connection, and so knows the language of the server. */
export async function startTap(
  port: number,
  attach: (tap: Tap) => void,
): Promise<Tapped & { readonly port: number; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  let calls: ProviderCall[] = [];
  let open = new Set<Socket>();
  let most = 0;
  let rule: FaultRule | undefined;
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ port, host: '127.0.0.1', noDelay: true });
    const answered = () => void open.delete(client);
    const end = () => {
      answered();
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', end).on('close', end);
    }
    attach({
      ...{ client, upstream, answered, end },
      meet(call) {
        if (!call) return undefined;
        calls.push(call);
        open.add(client);
        most = Math.max(most, open.size);
        const isMeant = rule?.on === call.kind && (rule.item_id ?? call.item_id) === call.item_id;
        return isMeant ? rule?.fault : undefined;
      },
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    calls: () => calls,
    mostAtOnce: () => most,
    fail: (next) => void (rule = next),
    forgetCalls() {
      calls = [];
      open = new Set();
      most = 0;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import type { ConformanceWorld, Fault, FaultRule, ProviderCall } from '../../src/testing/conformance';

type Tapped = Pick<ConformanceWorld, 'calls' | 'forgetCalls' | 'fail' | 'mostAtOnce'>;

/** Faults that the server itself could answer. */
export type Refusal = Exclude<Fault, 'malformed' | 'hollow' | 'reset' | 'silence'>;

/** What the proxy must know of the language of a database. */
export interface Protocol {
  /** Reads one connection: the text of a request with its values, and what the server answers. */
  readonly reader: () => {
    readonly request: (bytes: Buffer) => string;
    readonly answer?: (bytes: Buffer) => void;
  };
  /** Whether a text ends a transaction. */
  readonly isEnd: (text: string) => boolean;
  readonly isCommit: (text: string) => boolean;
  /** Whether a text changes an item. */
  readonly isChange: (text: string) => boolean;
  /** A lookup, a search or the lookup of an item. */
  readonly readOf: (text: string) => Exclude<ProviderCall['kind'], 'write'> | undefined;
  readonly rollback: Buffer;
  readonly malformed: Buffer;
  readonly refusal: (fault: Refusal, transactionIsOver: boolean) => Buffer;
}

/**
 * A proxy for a database that recognizes the requests that the tests need: a search, the lookup of a row, and the
 * COMMIT of a change, which counts as the write. It relies on the driver to send each request in one piece.
 */
export async function startDatabaseTap(
  port: number,
  protocol: Protocol,
): Promise<Tapped & { port: number; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  let calls: ProviderCall[] = [];
  let open = new Set<Socket>();
  let most = 0;
  let rule: FaultRule | undefined;

  const callOf = (text: string, changing: string | undefined): ProviderCall | undefined => {
    if (protocol.isCommit(text))
      return changing === undefined ? undefined : { kind: 'write', item_id: changing };
    const kind = protocol.readOf(text);
    return kind && { kind };
  };

  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    const reader = protocol.reader();
    let changing: string | undefined;
    let answers: 'pass' | 'malformed' | 'reset' | Buffer = 'pass';
    const end = () => {
      open.delete(client);
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', end).on('close', end);
    }
    upstream.on('data', (bytes) => {
      open.delete(client);
      reader.answer?.(bytes);
      if (answers === 'pass') client.write(bytes);
      else if (typeof answers === 'object') {
        client.write(answers);
        answers = 'pass';
      } else if (answers === 'malformed') client.end(protocol.malformed);
      else end();
    });
    client.on('data', (bytes) => {
      const text = reader.request(bytes);
      const call = callOf(text, changing);
      if (protocol.isChange(text)) changing = /thing-\d+/.exec(text)?.[0];
      else if (protocol.isEnd(text)) changing = undefined;
      if (call) {
        calls.push(call);
        open.add(client);
        most = Math.max(most, open.size);
      }
      if (!call || !rule || rule.on !== call.kind || (rule.item_id ?? call.item_id) !== call.item_id) {
        upstream.write(bytes);
      } else if (rule.fault === 'malformed' || rule.fault === 'reset') {
        answers = rule.fault;
        upstream.write(bytes);
      } else if (rule.fault === 'hollow') {
        answers = 'malformed';
        upstream.write(protocol.rollback);
      } else if (rule.fault !== 'silence') {
        const refusal = protocol.refusal(rule.fault, call.kind === 'write');
        // A refused COMMIT rolls the transaction back.
        if (call.kind === 'write') {
          answers = refusal;
          upstream.write(protocol.rollback);
        } else {
          open.delete(client);
          client.write(refusal);
        }
      }
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

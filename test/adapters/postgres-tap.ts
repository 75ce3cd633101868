import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import type { ConformanceWorld, Fault, FaultRule, ProviderCall } from '../../src/testing/conformance';

type Tapped = Pick<ConformanceWorld, 'calls' | 'forgetCalls' | 'fail' | 'mostAtOnce'>;

/** The server's error codes and messages: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const REFUSALS: Record<
  Exclude<Fault, 'malformed' | 'hollow' | 'reset' | 'silence'>,
  [code: string, words: string]
> = {
  limited: ['40001', 'could not serialize access due to concurrent update'],
  broken: ['40P01', 'deadlock detected'],
  missing: ['23503', 'is not present in the other table'],
  refused: ['42501', 'permission denied for table things'],
};

/**
 * A proxy for PostgreSQL that recognizes the requests that the tests need: a search, the lookup of a row, and the
 * COMMIT of a change, which counts as the write. It relies on the driver to send each request in one piece.
 */
export async function startPostgresTap(
  port: number,
): Promise<Tapped & { port: number; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  let calls: ProviderCall[] = [];
  let open = new Set<Socket>();
  let most = 0;
  let rule: FaultRule | undefined;

  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
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
      if (answers === 'pass') client.write(bytes);
      else if (typeof answers === 'object') {
        client.write(answers);
        answers = 'pass';
      } else if (answers === 'malformed') client.end(Buffer.from('?\0\0\0\u0008odd!'));
      else end();
    });
    client.on('data', (bytes) => {
      const text = bytes.toString('latin1');
      const call = callOf(text, changing);
      changing = /(?:update|delete from|insert into) "public"\."things"/.test(text)
        ? /thing-\d+/.exec(text)?.[0]
        : text.includes('commit\0') || text.includes('rollback\0')
          ? undefined
          : changing;
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
        upstream.write(ROLLBACK);
      } else if (rule.fault !== 'silence') {
        const refusal = refusalOf(...REFUSALS[rule.fault], call.kind === 'write');
        // A refused COMMIT rolls the transaction back.
        if (call.kind === 'write') {
          answers = refusal;
          upstream.write(ROLLBACK);
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

function callOf(text: string, changing: string | undefined): ProviderCall | undefined {
  if (text.includes('commit\0'))
    return changing === undefined ? undefined : { kind: 'write', item_id: changing };
  if (text.includes('pg_catalog.') || text.includes('limit 0')) return { kind: 'lookup' };
  if (!text.includes('from "public"."things"') || /delete from|insert into/.test(text)) return undefined;
  return { kind: /count\(\*\)|order by/.test(text) ? 'list' : 'read' };
}

/** A Query message. */
const ROLLBACK = Buffer.from('Q\0\0\0\u000drollback\0');

/** ErrorResponse and ReadyForQuery: https://www.postgresql.org/docs/current/protocol-message-formats.html */
function refusalOf(code: string, words: string, transactionIsOver: boolean): Buffer {
  const fields = Buffer.from(`SERROR\0VERROR\0C${code}\0M${words}\0\0`);
  const head = Buffer.from([0x45, 0, 0, 0, 0]);
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields, Buffer.from(`Z\0\0\0\u0005${transactionIsOver ? 'I' : 'E'}`)]);
}

import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import type { ConformanceWorld, Fault, FaultRule, ProviderCall } from '../../src/testing/conformance';

export interface ImapTap extends Pick<ConformanceWorld, 'calls' | 'forgetCalls' | 'fail' | 'mostAtOnce'> {
  readonly port: number;
  /** All commands, without their tags. */
  readonly commands: string[];
  /** Happens before a command reaches the server; true: the connection breaks instead. */
  before: ((command: string) => Promise<boolean | void>) | undefined;
  close(): Promise<void>;
}

/** Response codes of RFC 5530, in the words of servers. */
const REFUSALS: Record<Exclude<Fault, 'malformed' | 'hollow' | 'reset' | 'silence'>, string> = {
  limited: '[LIMIT] Slow down',
  broken: '[UNAVAILABLE] Internal error occurred',
  missing: '[NONEXISTENT] There is no such thing',
  refused: '[AUTHENTICATIONFAILED] Who is ',
};

/**
 * A proxy for IMAP that recognizes the commands that the tests need. `itemOf`: the item that an email belongs
 * to.
 */
export async function startImapTap(
  port: number,
  secret: string,
  itemOf: (id: string) => string = (id) => id,
): Promise<ImapTap> {
  const sockets = new Set<Socket>();
  const commands: string[] = [];
  let calls: ProviderCall[] = [];
  let open = new Set<Socket>();
  let most = 0;
  let rule: FaultRule | undefined;

  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ port, host: '127.0.0.1', noDelay: true });
    let folder = '';
    let validity = '';
    /** The command whose answer is replaced. */
    let spoilt: { tag: string; fault: 'malformed' | 'reset' } | undefined;
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
      const text = bytes.toString('latin1');
      validity = /\[UIDVALIDITY (\d+)\]/.exec(text)?.[1] ?? validity;
      if (/^[0-9A-F]+ (OK|NO|BAD)/m.test(text)) open.delete(client);
      if (!spoilt) return void client.write(bytes);
      const { tag, fault } = spoilt;
      if (!new RegExp(`^${tag} `, 'm').test(text)) return;
      spoilt = undefined;
      if (fault === 'reset') end();
      else client.write(`${tag} WHAT ?\r\n`);
    });
    client.on('data', (bytes) => {
      const text = bytes.toString('latin1');
      const [, tag = '', command = ''] = /^([0-9A-F]+) ([^\r]*)/.exec(text) ?? [];
      if (command !== '') commands.push(command);
      folder = /^SELECT "?([^"]*)"?/.exec(command)?.[1] ?? folder;
      const call = callOf(command, (uid) => itemOf(`${encodeURIComponent(folder)}/${validity}/${uid}`));
      if (call) {
        calls.push(call);
        open.add(client);
        most = Math.max(most, open.size);
      }
      if (!call || !rule || rule.on !== call.kind || (rule.item_id ?? call.item_id) !== call.item_id) {
        if (!tap.before) return void upstream.write(bytes);
        void tap.before(command).then((breaks) => (breaks ? end() : upstream.write(bytes)));
      } else if (rule.fault === 'malformed' || rule.fault === 'reset') {
        spoilt = { tag, fault: rule.fault };
        upstream.write(bytes);
      } else if (rule.fault !== 'silence') {
        open.delete(client);
        const { fault } = rule;
        const answer =
          fault === 'hollow' ? 'WHAT ?' : `NO ${REFUSALS[fault]}${fault === 'refused' ? secret : ''}`;
        client.write(`${tag} ${answer}\r\n`);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const tap: ImapTap = {
    port: (server.address() as AddressInfo).port,
    ...{ commands, before: undefined },
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
  return tap;
}

/** Opening a folder is a part of each of them, and so is the removal of a marked email. */
function callOf(command: string, idOf: (uid: string) => string): ProviderCall | undefined {
  if (/^(LIST|STATUS) /.test(command)) return { kind: 'lookup' };
  if (command.startsWith('UID SEARCH')) return { kind: 'list' };
  const [, verb, uid = ''] = /^UID (FETCH|STORE|MOVE|COPY) (\S+)/.exec(command) ?? [];
  if (verb === undefined) return undefined;
  const item = /^\d+$/.test(uid) ? { item_id: idOf(uid) } : {};
  return { kind: verb === 'FETCH' ? 'read' : 'write', ...item };
}

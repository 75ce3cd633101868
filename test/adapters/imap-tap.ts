import type { ProviderCall } from '../../src/testing/conformance';
import { startTap, type Refusal, type Tapped } from './tap';

export interface ImapTap extends Tapped {
  readonly port: number;
  /** All commands, without their tags. */
  readonly commands: string[];
  /** Happens before a command reaches the server; true: the connection breaks instead. */
  before: ((command: string) => Promise<boolean | void>) | undefined;
  close(): Promise<void>;
}

/** Response codes of RFC 5530, in the words of servers. */
const REFUSALS: Record<Refusal, string> = {
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
  const own: Pick<ImapTap, 'commands' | 'before'> = { commands: [], before: undefined };
  const tap = await startTap(port, ({ client, upstream, meet, answered, end }) => {
    let folder = '';
    let validity = '';
    /** The command whose answer is replaced. */
    let spoilt: { tag: string; fault: 'malformed' | 'reset' } | undefined;
    upstream.on('data', (bytes) => {
      const text = bytes.toString('latin1');
      validity = /\[UIDVALIDITY (\d+)\]/.exec(text)?.[1] ?? validity;
      if (/^[0-9A-F]+ (OK|NO|BAD)/m.test(text)) answered();
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
      if (command !== '') own.commands.push(command);
      folder = /^SELECT "?([^"]*)"?/.exec(command)?.[1] ?? folder;
      const fault = meet(
        callOf(command, (uid) => itemOf(`${encodeURIComponent(folder)}/${validity}/${uid}`)),
      );
      if (fault === undefined) {
        if (!own.before) return void upstream.write(bytes);
        void own.before(command).then((breaks) => (breaks ? end() : upstream.write(bytes)));
      } else if (fault === 'malformed' || fault === 'reset') {
        spoilt = { tag, fault };
        upstream.write(bytes);
      } else if (fault !== 'silence') {
        answered();
        const said =
          fault === 'hollow' ? 'WHAT ?' : `NO ${REFUSALS[fault]}${fault === 'refused' ? secret : ''}`;
        client.write(`${tag} ${said}\r\n`);
      }
    });
  });
  return Object.assign(own, tap);
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

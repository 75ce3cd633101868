import { fork } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdir, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installed } from './debian-package';
import { freePort } from '../../src/host/temporal/ports';

/** Every user's password: unlike any other text, so that tests can search places that may contain no secret. */
export const PASSWORD = 'imap-secret-of-sam';

export interface SeededEmail {
  /** Also its Message-ID; undefined for an email without one. */
  readonly id?: string;
  readonly subject: string;
  readonly from?: string;
  readonly date?: number;
  /** Flags of Maildir: `F` flagged, `S` seen, `T` deleted, `a` the keyword Receipts. */
  readonly flags?: string;
}

export interface Dovecot {
  readonly port: number;
  /** Puts emails into a user's folder before it is opened. `acl`: the rights there, if ACLs are on. */
  seed(user: string, folder: string, emails: readonly SeededEmail[], acl?: string): Promise<void>;
  stop(): Promise<void>;
}

const FROM = 'Northwind Weekly <news@northwind-weekly.example>';
const START = Date.parse('2026-01-05T08:00:00Z');
let files = 0;

/** Starts Dovecot on a free port, with its mail in a temporary folder. `settings`: additional configuration. */
export async function startDovecot(settings = ''): Promise<Dovecot> {
  installed('/usr/sbin/dovecot', 'dovecot-imapd');
  const port = await freePort(0);
  const program = join(__dirname, '../../examples/imap/mail-server.mjs');
  const child = fork(program, [String(port), settings], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [],
    env: { ...process.env, IMAP_PASSWORD: PASSWORD },
  });
  const [place] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error('Dovecot did not start'))),
  ])) as [string];
  const { uid, gid } = await stat(place);
  const write = async (file: string, text: string) => {
    await writeFile(file, text);
    await chown(file, uid, gid);
  };
  return {
    port,
    async seed(user, folder, emails, acl) {
      const home = join(place, 'mail', user);
      const box = join(home, folder === 'INBOX' ? '' : `.${folder.replaceAll('/', '.')}`);
      const parts = ['cur', 'new', 'tmp'].map((part) => join(box, part));
      for (const part of parts) await mkdir(part, { recursive: true });
      await Promise.all([home, box, ...parts].map((path) => chown(path, uid, gid)));
      await write(join(box, 'dovecot-keywords'), '0 Receipts\n');
      if (acl !== undefined) await write(join(box, 'dovecot-acl'), `${acl}\n`);
      for (const { id, subject, from = FROM, date = START + files * 1_000, flags = '' } of emails) {
        const head = [`From: ${from}`, `To: ${user}`, `Subject: ${subject}`];
        const text = [...head, ...(id === undefined ? [] : [`Message-ID: <${id}>`]), '', 'Hello', ''].join(
          '\r\n',
        );
        const file = join(box, 'cur', `${(files += 1)}.seeded,S=${text.length}:2,${flags}`);
        await write(file, text);
        await utimes(file, date / 1_000, date / 1_000);
      }
    },
    async stop() {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

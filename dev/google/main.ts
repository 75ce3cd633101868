import { findHolder } from '../../src/host/lock';
import { mailboxRecord } from '../../src/host/local-google/record';
import { startMailbox } from './server';

const FOLDER_CHECK_MS = 5_000;

/** Runs the mailbox as a process: `main.js FOLDER`. It sends its parent a message when it serves. */
async function main(dataDir: string): Promise<void> {
  process.umask(0o077);
  const mailbox = await startMailbox({ dataDir });
  const stop = () => {
    void mailbox.close().finally(() => process.exit(0));
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  setInterval(() => void endWithoutFolder(dataDir, mailbox.token), FOLDER_CHECK_MS);
  console.log(`${new Date().toISOString()} pid ${process.pid} serves ${mailbox.url}`);
  // A parent that has ended by now needs no answer.
  process.send?.('ready', undefined, undefined, () => undefined);
}

/** Ends the process if its folder was removed: no program could find the mailbox, neither to use nor to stop it. */
async function endWithoutFolder(dataDir: string, token: string): Promise<void> {
  const holder = await findHolder(mailboxRecord(dataDir).lock).catch(() => undefined);
  holder?.leave();
  if (holder?.token !== token) process.exit(0);
}

const [dataDir] = process.argv.slice(2);
if (dataDir === undefined) {
  console.error('usage: main.js FOLDER');
  process.exit(2);
}
main(dataDir).catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});

// A mail server of your own, Dovecot, for trying the adapter `imap` without a real mailbox:
//   node examples/imap/mail-server.mjs 4143
// It keeps its emails in a temporary folder, listens on this machine only, and takes every user with one password.
import { spawn, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

const [port = '4143', settings = ''] = process.argv.slice(2);
const password = process.env.IMAP_PASSWORD ?? 'example';
const dovecot = ['/usr/sbin/dovecot', '/usr/local/sbin/dovecot', '/opt/homebrew/sbin/dovecot'].find(
  existsSync,
);
if (!dovecot) {
  console.error('Dovecot is not installed. On Debian: apt install dovecot-imapd');
  process.exit(2);
}
const folder = mkdtempSync(join(tmpdir(), 'batchgate-imap-'));

// Dovecot does not run as root without users of its own.
const isRoot = process.getuid() === 0;
const idOf = (what) => Number(execFileSync('id', [what, 'nobody'], { encoding: 'utf8' }));
const [uid, gid] = isRoot ? [idOf('-u'), idOf('-g')] : [process.getuid(), process.getgid()];
const user = isRoot ? 'nobody' : userInfo().username;
const group = execFileSync('id', ['-gn', user], { encoding: 'utf8' }).trim();

/** Puts an email into the inbox of a user, as the file that Dovecot keeps it in. */
function deliver(to, number, { from, subject, date, seen = false }) {
  const box = join(folder, 'mail', to, 'cur');
  mkdirSync(box, { recursive: true });
  const seconds = Date.parse(date) / 1000;
  const head = [`From: ${from}`, `To: ${to}`, `Subject: ${subject}`, `Message-ID: <${number}@mail.example>`];
  const text = [...head, `Date: ${new Date(date).toUTCString()}`, '', 'Hello.', ''].join('\r\n');
  const file = join(box, `${seconds}.${number}.mail,S=${text.length}:2,${seen ? 'S' : ''}`);
  writeFileSync(file, text);
  utimesSync(file, seconds, seconds);
}

const day = (at) => `2026-0${1 + Math.floor(at / 28)}-${String(1 + (at % 28)).padStart(2, '0')}T08:00:00Z`;
for (let at = 0; at < 24; at += 1)
  deliver('sam@mail.example', at, {
    from: 'Northwind Weekly <news@northwind-weekly.example>',
    subject: `Issue ${at + 1}`,
    date: day(at),
  });
for (const [at, subject] of ['Your invoice', 'Lunch on Friday?', 'Re: Lunch on Friday?'].entries())
  deliver('sam@mail.example', 100 + at, {
    from: 'Ana Duarte <ana@work.example>',
    subject,
    date: day(30 + at),
  });

writeFileSync(
  join(folder, 'dovecot.conf'),
  `protocols = imap
listen = 127.0.0.1
base_dir = ${folder}/run
state_dir = ${folder}/state
log_path = ${folder}/dovecot.log
default_client_limit = 4000
default_internal_user = ${user}
default_internal_group = ${group}
default_login_user = ${user}
ssl = no
disable_plaintext_auth = no
auth_failure_delay = 0
mail_max_userip_connections = 1000
mail_fsync = never
mail_location = maildir:${folder}/mail/%u
mailbox_list_index = no
maildir_broken_filename_sizes = yes
first_valid_uid = 1
namespace inbox {
  inbox = yes
  separator = /
  mailbox Archive {
    special_use = \\Archive
    auto = create
  }
  mailbox Trash {
    special_use = \\Trash
    auto = create
  }
}
passdb {
  driver = static
  args = password=${password}
}
userdb {
  driver = static
  args = uid=${uid} gid=${gid} home=${folder}/mail/%u
}
service anvil {
  chroot =
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
service imap-login {
  chroot =
  service_count = 0
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
service imap {
  service_count = 100
}
${settings}
`,
);
if (isRoot) execFileSync('chown', ['-R', `${uid}:${gid}`, folder]);

const server = spawn(dovecot, ['-F', '-c', join(folder, 'dovecot.conf')], { stdio: 'inherit', uid, gid });
const stop = () => server.kill('SIGTERM');
process.once('SIGTERM', stop).once('SIGINT', stop).once('disconnect', stop);
server.once('exit', (code) => {
  rmSync(folder, { recursive: true, force: true });
  process.exit(code ?? 0);
});

/** Waits until it answers. */
async function untilReady() {
  const { connect } = await import('node:net');
  for (;;) {
    const answered = await new Promise((resolve) => {
      const socket = connect(Number(port), '127.0.0.1');
      socket.once('data', () => resolve(true)).once('error', () => resolve(false));
      socket.once('close', () => resolve(false));
      socket.once('data', () => socket.destroy());
    });
    if (answered) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
await untilReady();
console.log(`Dovecot serves imap://127.0.0.1:${port} for every user with the password “${password}”.`);
process.send?.(folder);

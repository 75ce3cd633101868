// A calendar server of your own, Radicale, for trying the adapter `caldav` without a real calendar:
//   node examples/caldav/calendar-server.mjs 5233
// It keeps its events in a temporary folder, listens on this machine only, and has one password for every user.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [port = '5233'] = process.argv.slice(2);
const password = process.env.CALDAV_PASSWORD ?? 'example';
const users = (process.env.CALDAV_USERS ?? 'sam@mail.example').split(' ');
try {
  execFileSync('python3', ['-c', 'import radicale'], { stdio: 'ignore' });
} catch {
  console.error('Radicale is not installed. Run: pip install radicale==3.9.0');
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), 'batchgate-caldav-'));
const root = join(folder, 'collection-root');

function calendar(path, name) {
  mkdirSync(join(root, path), { recursive: true });
  const props = { tag: 'VCALENDAR', 'D:displayname': name };
  writeFileSync(join(root, path, '.Radicale.props'), JSON.stringify(props));
}

/** Puts an event into a calendar, as the file that Radicale keeps it in. `properties`: in alphabetical order. */
function event(path, name, properties) {
  const inner = ['BEGIN:VEVENT', `UID:${name}`, ...properties, 'END:VEVENT'];
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//batchgate//example//EN',
    ...inner,
    'END:VCALENDAR',
  ];
  writeFileSync(join(root, path, `${name}.ics`), lines.map((line) => `${line}\r\n`).join(''));
}

const day = (at) =>
  `2027${String(3 + Math.floor(at / 28)).padStart(2, '0')}${String(1 + (at % 28)).padStart(2, '0')}`;
calendar('sam@mail.example/team', 'Team');
calendar('sam@mail.example/archive', 'Archive');
for (let at = 0; at < 24; at += 1)
  event('sam@mail.example/team', `review-${at + 1}`, [
    `DTSTART;TZID=Europe/Berlin:${day(at)}T100000`,
    `DTEND;TZID=Europe/Berlin:${day(at)}T110000`,
    'DTSTAMP:20260101T000000Z',
    `SUMMARY:Review ${at + 1}`,
  ]);
event('sam@mail.example/team', 'stand-up', [
  'DTSTART;TZID=Europe/Berlin:20270301T090000',
  'DTEND;TZID=Europe/Berlin:20270301T091500',
  'DTSTAMP:20260101T000000Z',
  'EXDATE;TZID=Europe/Berlin:20270308T090000',
  'RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=20',
  'SUMMARY:Stand-up',
]);
event('sam@mail.example/team', 'fair', [
  'DTSTART;VALUE=DATE:20270405',
  'DTEND;VALUE=DATE:20270408',
  'DTSTAMP:20260101T000000Z',
  'SUMMARY:Trade fair',
]);

writeFileSync(join(folder, 'users'), users.map((user) => `${user}:${password}\n`).join(''));
writeFileSync(
  join(folder, 'radicale.conf'),
  `[server]
hosts = 127.0.0.1:${port}
max_connections = 100
[auth]
type = htpasswd
htpasswd_filename = ${folder}/users
htpasswd_encryption = plain
delay = 0
[storage]
filesystem_folder = ${folder}
[logging]
level = error
`,
);

const server = spawn('python3', ['-m', 'radicale', '-C', join(folder, 'radicale.conf')], {
  stdio: ['ignore', 'ignore', 'pipe'],
});
// It tells how much it logs before it has read how much it should.
server.stderr.on('data', (lines) => {
  const told = String(lines).replace(/^.*(\[INFO\]|Logging level set to).*\n/gm, '');
  if (told !== '') process.stderr.write(told);
});
const stop = () => server.kill('SIGTERM');
process.once('SIGTERM', stop).once('SIGINT', stop).once('disconnect', stop);
server.once('exit', (code) => {
  rmSync(folder, { recursive: true, force: true });
  process.exit(code ?? 0);
});

/** Waits until it answers. */
async function untilReady() {
  for (;;) {
    const isThere = await fetch(`http://127.0.0.1:${port}/.well-known/caldav`, { redirect: 'manual' }).then(
      () => true,
      () => false,
    );
    if (isThere) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
await untilReady();
console.log(`Radicale serves http://127.0.0.1:${port} for ${users[0]} with the password “${password}”.`);
process.send?.(folder);

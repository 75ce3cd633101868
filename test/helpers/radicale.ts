import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../src/host/temporal/ports';
import { withPythonPackage } from './python-package';

/** Every user's password: unlike any other text, so that tests can search places that may contain no secret. */
export const PASSWORD = 'caldav-secret-of-sam';
export const RADICALE = ['radicale', '3.9.0'] as const;
const USERS = Array.from({ length: 400 }, (_one, at) => `user-${at + 1}@mail.example`);

export interface Radicale {
  readonly url: string;
  /** The folder of a user's calendars. */
  readonly home: (user: string) => string;
  stop(): Promise<void>;
}

/** Starts Radicale from PyPI on a free port, with its events in a temporary folder. */
export async function startRadicale(): Promise<Radicale> {
  const env = await withPythonPackage(...RADICALE);
  const port = await freePort(0);
  const program = join(__dirname, '../../examples/caldav/calendar-server.mjs');
  const child = fork(program, [String(port)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [],
    env: { ...env, CALDAV_PASSWORD: PASSWORD, CALDAV_USERS: USERS.join(' ') },
  });
  const [place] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error('Radicale did not start'))),
  ])) as [string];
  return {
    url: `http://127.0.0.1:${port}`,
    home: (user) => join(place, 'collection-root', user),
    async stop() {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

/** Writes a calendar into a folder in Radicale's format, with events by their file names. */
export async function seedCalendar(folder: string, name: string, events: Readonly<Record<string, string>>) {
  await mkdir(folder, { recursive: true });
  const props = { tag: 'VCALENDAR', 'D:displayname': name };
  await writeFile(join(folder, '.Radicale.props'), JSON.stringify(props));
  for (const [file, text] of Object.entries(events)) await writeFile(join(folder, file), text);
}

const ZONE = [
  ...['BEGIN:VTIMEZONE', 'TZID:Europe/Berlin', 'BEGIN:STANDARD', 'DTSTART:20001029T030000'],
  ...['RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10', 'TZNAME:CET', 'TZOFFSETFROM:+0200', 'TZOFFSETTO:+0100'],
  ...['END:STANDARD', 'BEGIN:DAYLIGHT', 'DTSTART:20000326T020000'],
  ...['RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3', 'TZNAME:CEST', 'TZOFFSETFROM:+0100', 'TZOFFSETTO:+0200'],
  ...['END:DAYLIGHT', 'END:VTIMEZONE'],
];

/** A calendar with these components, in the order of properties in which Radicale writes it. */
export function icsOf(...components: readonly (readonly string[])[]): string {
  const inner = components.flatMap((lines) => ['BEGIN:VEVENT', ...lines, 'END:VEVENT']);
  const lines = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//test//EN', ...ZONE, ...inner, 'END:VCALENDAR'];
  return lines.map((line) => `${line}\r\n`).join('');
}

import fc from '../helpers/properties';
import { withClock, withoutClock } from '../../src/core/assistant/clock';
import { transcriptOf } from '../../src/core/assistant/history';
import { beginSession, beginTurn, hearOutcome, receive } from '../../src/core/assistant/session';

const at = Date.parse('2026-11-28T23:30:00Z');

it.each([
  ['Europe/Berlin', '2026-11-29 00:30 (Sunday), Europe/Berlin (UTC+01:00).'],
  ['America/St_Johns', '2026-11-28 20:00 (Saturday), America/St_Johns (UTC-03:30).'],
  ['UTC', '2026-11-28 23:30 (Saturday), UTC.'],
  ['Not/AZone', '2026-11-28 23:30 (Saturday), UTC.'],
  [undefined, '2026-11-28 23:30 (Saturday), UTC.'],
])('gives the date, the weekday and the time in the zone %s', (zone, line) => {
  expect(withClock('hello', { at, ...(zone !== undefined && { zone }) })).toBe(
    `hello\n[batchgate] It is ${line}`,
  );
});

it('adds nothing to an entry without a time, which earlier releases wrote', () => {
  expect(withClock('hello', {})).toBe('hello');
});

it('is removed from a text again, whatever the text is', () => {
  const zones = fc.constantFrom('Europe/Berlin', 'America/St_Johns', 'UTC', 'Etc/GMT+5');
  const instants = fc.integer({ min: 0, max: 4_000_000_000_000 });
  fc.assert(
    fc.property(fc.string(), instants, zones, (text, time, zone) => {
      expect(withoutClock(withClock(text, { at: time, zone }))).toBe(text);
    }),
  );
});

it('is part of the record that is condensed, so that a summary can have dates', () => {
  expect(transcriptOf([{ role: 'person', text: 'tomorrow', at, tokens: 9 }])).toEqual([
    'PERSON: tomorrow\n[batchgate] It is 2026-11-28 23:30 (Saturday), UTC.',
  ]);
});

it('remembers the zone of the latest message for the report of an end', () => {
  const { session } = receive(beginSession({ session_id: 'S' }, at), { text: 'x', zone: 'Europe/Rome' }, at);
  const both = hearOutcome(session, { operation_id: 'bulk-1', sentence: 'Done.' }, at);
  expect(both.queue.map(({ zone }) => zone)).toEqual(['Europe/Rome', 'Europe/Rome']);
  expect(beginTurn(both, at).turn).toMatchObject({ zone: 'Europe/Rome' });
});

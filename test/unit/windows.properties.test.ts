import fc from '../helpers/properties';
import '../helpers/property-budget';
import { WEEKDAYS, type WindowRule } from '../../src/contract/schedule';
import { closesAt, frozenWindows, openAt, windowsSchema } from '../../src/core/bulk/windows';
import { DAY_MS, formatInstant, offsetAt } from '../../src/core/shared/zoned-time';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const BERLIN = 'Europe/Berlin';
const NOW = Date.parse('2026-11-27T12:00:00Z');

const at = (text: string) => Date.parse(text);
const night = (rule: Partial<WindowRule> = {}) =>
  frozenWindows([{ from: '22:00', to: '06:00', zone: BERLIN, ...rule }], NOW);

it.each([
  ['before it begins', '2026-11-27T20:00:00Z', '2026-11-27T22:00:00+01:00'],
  ['in its evening', '2026-11-27T22:30:00Z', '2026-11-27T23:30:00+01:00'],
  ['after midnight', '2026-11-28T04:59:00Z', '2026-11-28T05:59:00+01:00'],
  ['at its end', '2026-11-28T05:00:00Z', '2026-11-28T22:00:00+01:00'],
])('opens a window over midnight %s', (_, instant, opens) => {
  expect(formatInstant(BERLIN, openAt(night(), at(instant)))).toBe(opens);
});

it.each([
  ['forward', '2027-03-27T22:00:00Z', '2027-03-28T04:00:00.000Z', 7],
  ['back', '2026-10-24T21:00:00Z', '2026-10-25T05:00:00.000Z', 9],
])('keeps its local times when the clock goes %s', (_, inside, ends, hours) => {
  const windows = frozenWindows([{ from: '22:00', to: '06:00', zone: BERLIN }], at('2026-09-01T00:00:00Z'));
  const closes = closesAt(windows, at(inside)) ?? 0;
  expect(new Date(closes).toISOString()).toBe(ends);
  const opened = openAt(windows, closes - hours * HOUR - MINUTE);
  expect((closes - opened) / HOUR).toBe(hours);
});

it('counts the days of a window by its beginning', () => {
  const fridays = night({ days: ['fri'] });
  expect(openAt(fridays, at('2026-11-28T02:00:00Z'))).toBe(at('2026-11-28T02:00:00Z'));
  expect(formatInstant(BERLIN, openAt(fridays, at('2026-11-28T06:00:00Z')))).toBe(
    '2026-12-04T22:00:00+01:00',
  );
});

it('joins windows that meet', () => {
  const windows = frozenWindows(
    [
      { from: '22:00', to: '24:00', zone: 'UTC' },
      { from: '00:00', to: '06:00', zone: 'UTC' },
    ],
    NOW,
  );
  expect(new Date(closesAt(windows, at('2026-11-27T23:00:00Z')) ?? 0).toISOString()).toBe(
    '2026-11-28T06:00:00.000Z',
  );
});

it.each([
  [{ from: '22:00', to: '22:00', zone: 'UTC' }, 'to'],
  [{ from: '24:00', to: '06:00', zone: 'UTC' }, 'from'],
  [{ from: '9:00', to: '17:00', zone: 'UTC' }, 'from'],
  [{ from: '09:00', to: '17:00', zone: 'Europe/Nowhere' }, 'zone'],
  [{ from: '09:00', to: '17:00' }, 'zone'],
  [{ days: ['friday'], from: '09:00', to: '17:00', zone: 'UTC' }, 'days'],
])('refuses the window %j', (rule, field) => {
  const { error } = windowsSchema.safeParse({ gmail: [rule] });
  expect(error?.issues[0]?.path.slice(0, 3)).toEqual(['gmail', 0, field]);
});

const ZONES = ['UTC', BERLIN, 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'America/Sao_Paulo'];
const clock = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
  .map((parts) => parts.map((part) => String(part).padStart(2, '0')).join(':'));
const rules = fc.array(
  fc
    .record({
      from: clock,
      to: clock,
      zone: fc.constantFrom(...ZONES),
      days: fc.option(fc.uniqueArray(fc.constantFrom(...WEEKDAYS), { minLength: 1 }), { nil: undefined }),
    })
    .filter(({ from, to }) => from !== to)
    .map(({ days, ...rule }) => (days ? { ...rule, days } : rule)),
  { minLength: 1, maxLength: 3 },
);
const instants = fc.integer({ min: NOW, max: NOW + 700 * DAY_MS });

/** The minute of the day and the day, as the tables of `Intl` have them. */
function local(zone: string, instant: number) {
  const wall = instant + offsetAt(zone, instant) * MINUTE;
  return { day: Math.floor(wall / DAY_MS), minute: Math.floor((wall % DAY_MS) / MINUTE) };
}

function isInside({ days, from, to, zone }: WindowRule, instant: number): boolean {
  const minutes = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));
  const [begin, end] = [minutes(from), minutes(to)];
  const { day, minute } = local(zone, instant);
  const isOn = (one: number) => days?.includes(WEEKDAYS[(one + 3) % 7] ?? 'mon') ?? true;
  if (begin < end) return isOn(day) && minute >= begin && minute < end;
  return (isOn(day) && minute >= begin) || (isOn(day - 1) && minute < end);
}

/** The days around a change of the clock, where local times are skipped or occur twice. */
const nearChange = (zone: string, instant: number) =>
  offsetAt(zone, instant - DAY_MS) !== offsetAt(zone, instant + DAY_MS);

it('begins within a window, at the first minute that is in one, by known offsets as by Intl', () => {
  fc.assert(
    fc.property(rules, instants, (given, instant) => {
      const windows = frozenWindows(given, NOW);
      const opens = openAt(windows, instant);
      const closes = closesAt(windows, instant) ?? 0;
      expect(opens).toBeGreaterThanOrEqual(instant);
      expect(openAt(windows, opens)).toBe(opens);
      expect(closes).toBeGreaterThan(opens);
      for (const { zone } of given)
        for (const moment of [instant, opens, closes])
          expect(offsetAt(windows.find((one) => one.zone === zone)?.offsets ?? 0, moment)).toBe(
            offsetAt(zone, moment),
          );
      if (given.some(({ zone }) => [instant, opens, closes].some((moment) => nearChange(zone, moment))))
        return;
      expect(given.some((rule) => isInside(rule, opens))).toBe(true);
      if (opens > instant) expect(given.some((rule) => isInside(rule, opens - 1))).toBe(false);
      if (closes - opens < 7 * DAY_MS) expect(given.some((rule) => isInside(rule, closes))).toBe(false);
    }),
  );
});

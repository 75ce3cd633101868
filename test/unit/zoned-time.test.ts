import {
  addDays,
  atWallClock,
  formatInstant,
  isZone,
  offsetAt,
  wallClock,
} from '../../src/core/shared/zoned-time';

const BERLIN = 'Europe/Berlin';

it.each([
  [BERLIN, '2027-01-15T09:00:00', '2027-01-15T08:00:00.000Z'],
  [BERLIN, '2027-07-15T09:00:00', '2027-07-15T07:00:00.000Z'],
  ['America/New_York', '2027-03-14T09:00:00', '2027-03-14T13:00:00.000Z'],
  ['Asia/Kolkata', '2027-03-14T09:00:00', '2027-03-14T03:30:00.000Z'],
  ['Pacific/Apia', '2027-03-14T09:00:00', '2027-03-13T20:00:00.000Z'],
  [90, '2027-03-14T09:00:00', '2027-03-14T07:30:00.000Z'],
])('in %s the clock shows %s at %s', (zone, wall, instant) => {
  expect(new Date(atWallClock(zone, Date.parse(`${wall}Z`))).toISOString()).toBe(instant);
  expect(new Date(wallClock(zone, Date.parse(instant))).toISOString()).toBe(`${wall}.000Z`);
});

it('moves a skipped local time by the length of the gap, and takes the first of a repeated one', () => {
  const skipped = atWallClock(BERLIN, Date.parse('2027-03-28T02:30:00Z'));
  expect(formatInstant(BERLIN, skipped)).toBe('2027-03-28T03:30:00+02:00');
  const twice = atWallClock(BERLIN, Date.parse('2026-10-25T02:30:00Z'));
  expect(formatInstant(BERLIN, twice)).toBe('2026-10-25T02:30:00+02:00');
});

it('returns to every half hour of a year that occurs once', () => {
  const [first, halfHour] = [Date.UTC(2027, 0, 1), 1_800_000];
  const instants = Array.from({ length: 365 * 48 }, (_, at) => first + at * halfHour);
  const returns = (instant: number) =>
    Date.parse(formatInstant(BERLIN, instant)) === instant &&
    [0, 3_600_000].includes(instant - atWallClock(BERLIN, wallClock(BERLIN, instant)));
  expect(instants.filter((instant) => !returns(instant))).toEqual([]);
});

it('formats offsets of either sign and of half hours, and parses them', () => {
  const instant = Date.parse('2027-03-14T09:00:00Z');
  expect(formatInstant('America/St_Johns', Date.parse('2027-01-14T09:00:00Z'))).toBe(
    '2027-01-14T05:30:00-03:30',
  );
  expect(formatInstant('UTC', instant)).toBe('2027-03-14T09:00:00Z');
  expect(offsetAt(-210, instant)).toBe(-210);
});

it('knows which names are zones, and adds days across months and leap years', () => {
  expect([isZone(BERLIN), isZone('Mars/Olympus')]).toEqual([true, false]);
  expect(() => offsetAt('Mars/Olympus', 0)).toThrow(RangeError);
  expect(addDays('2028-02-28', 2)).toBe('2028-03-01');
  expect(addDays('2027-01-01', -1)).toBe('2026-12-31');
});

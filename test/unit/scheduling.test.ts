import { classifyBulkIntent } from '../../src/core/intent/classifier';
import { asksToTakeBack, exactTime, readSchedule } from '../../src/core/intent/scheduling';
import fc from '../helpers/properties';

/** A Friday, 15:20 in Berlin. */
const NOW = Date.parse('2026-11-27T14:20:30Z');
const context = { state: 'awaiting_confirmation' as const, batch: 1, size: 10, batches_left: 5 };
const confirms = (rest: string) => classifyBulkIntent(rest, context) === 'continue';
const read = (text: string, zone = 'Europe/Berlin', now = NOW) => readSchedule(text, { now, zone }, confirms);

describe('a time in a confirmation', () => {
  it.each([
    ['continue at 10 pm', '2026-11-27T22:00:00+01:00'],
    ['Continue at 10pm.', '2026-11-27T22:00:00+01:00'],
    ['run it tonight at 22:00', '2026-11-27T22:00:00+01:00'],
    ['Run it tonight at 10', '2026-11-27T22:00:00+01:00'],
    ['confirm, but after 18:00', '2026-11-27T18:00:00+01:00'],
    ['yes, but not before 6 p.m.', '2026-11-27T18:00:00+01:00'],
    ['ok, at 9 am', '2026-11-28T09:00:00+01:00'],
    ['continue at 14:00', '2026-11-28T14:00:00+01:00'],
    ['continue tomorrow morning at 9', '2026-11-28T09:00:00+01:00'],
    ['continue tomorrow at 13:30, please', '2026-11-28T13:30:00+01:00'],
    ['run it at 7 in the evening', '2026-11-27T19:00:00+01:00'],
    ['continue on monday at 08:00', '2026-11-30T08:00:00+01:00'],
    ['run it on friday at 14:00', '2026-12-04T14:00:00+01:00'],
    ['continue on 2026-12-01 at 08:00', '2026-12-01T08:00:00+01:00'],
    ['continue at midnight', '2026-11-28T00:00:00+01:00'],
    ['run it tonight at 1:30', '2026-11-28T01:30:00+01:00'],
    ['continue at noon', '2026-11-28T12:00:00+01:00'],
    ['continue in 2 hours', '2026-11-27T17:21:00+01:00'],
    ['run it in half an hour', '2026-11-27T15:51:00+01:00'],
    ['After 18:00, continue', '2026-11-27T18:00:00+01:00'],
    ['not now, but at 22:00', '2026-11-27T22:00:00+01:00'],
    ['schedule it for 22:00', '2026-11-27T22:00:00+01:00'],
    ['postpone it until tomorrow at 9:00', '2026-11-28T09:00:00+01:00'],
    ['wait until 22:00', '2026-11-27T22:00:00+01:00'],
    ['continue at 2026-11-27T22:00:00-05:00', '2026-11-28T04:00:00+01:00'],
  ])('%s', (text, time) => expect(read(text)).toBe(time));

  it.each([
    'continue',
    'yes',
    'continue tonight',
    'continue tomorrow',
    'continue later',
    'continue at 10',
    'continue at 10 o’clock',
    'continue after 3',
    'continue with 10',
    'continue until 22:00',
    'continue to 22:00',
    'run it by 22:00',
    'run it today at 9:00',
    'run it at 25:00',
    'run it at 9:75',
    'run it at 13 pm',
    'run it at 22:00 in the morning',
    'tomorrow at midnight, continue',
    'continue at 22:00?',
    'should I continue at 22:00?',
    "don't continue at 22:00",
    'do not run it tonight at 22:00',
    'cancel at 22:00',
    'stop it at 22:00',
    'continue, I am back at 22:00',
    'ok, see you at 22:00',
    'remind me at 22:00',
    'continue from 9:00 to 17:00',
    'continue at 22:00 and at 23:00',
    'continue at 10 pm EST',
    'label the mails from 10:00',
    'continue on 2026-02-30 at 08:00',
    'continue on 2027-02-01 at 08:00',
    'continue in 45 days',
    '22:00',
    'tonight at 22:00',
  ])('is not read from: %s', (text) => expect(read(text)).toBeUndefined());

  it('is the wall clock of the person’s zone, also around a change of the clock', () => {
    expect(read('continue at 10 pm', 'America/New_York')).toBe('2026-11-27T22:00:00-05:00');
    expect(read('continue at 10 pm', 'Asia/Kathmandu')).toBe('2026-11-27T22:00:00+05:45');
    const before = Date.parse('2026-03-28T20:00:00Z');
    // 02:30 is skipped that night: it is as long after the change.
    expect(read('continue tomorrow at 2:30', 'Europe/Berlin', before)).toBe('2026-03-29T03:30:00+02:00');
    const again = Date.parse('2026-10-24T20:00:00Z');
    expect(read('continue tomorrow at 2:30', 'Europe/Berlin', again)).toBe('2026-10-25T02:30:00+02:00');
  });

  it('is said with its day, its year and its offset', () => {
    expect(exactTime('2026-11-27T22:00:00+01:00')).toBe('Friday, 27 November 2026, 22:00 (+01:00)');
    expect(exactTime('2026-11-27T22:00:00Z')).toBe('Friday, 27 November 2026, 22:00 (+00:00)');
    expect(exactTime('2026-11-27T00:15:00-03:30')).toBe('Friday, 27 November 2026, 00:15 (-03:30)');
  });

  it('is in the future and within 30 days, and only beside a confirmation, whatever else a message says', () => {
    const word = fc.constantFrom(
      ...[
        'continue',
        'yes',
        'run it',
        'no',
        "don't",
        'cancel',
        'at',
        'after',
        'in',
        'on',
        'but',
        'not',
        'tonight',
      ],
      ...[
        'tomorrow',
        'monday',
        '10',
        '10 pm',
        '22:00',
        '2 hours',
        'until',
        'for',
        'item 2',
        'later',
        ',',
        '?',
      ],
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 7 }), (words) => {
        const time = read(words.join(' '));
        if (time === undefined) return;
        const at = Date.parse(time);
        expect(at).toBeGreaterThan(NOW);
        expect(at).toBeLessThanOrEqual(NOW + 30 * 86_400_000);
        expect(words.join(' ')).not.toMatch(/\?|don't|\bno\b|cancel/);
      }),
    );
  });
});

describe('a wish to take a confirmation back', () => {
  it.each([
    ['take it back', true],
    ['not tonight after all', true],
    ['no not tonight', true],
    ["don't run it tonight", true],
    ['withdraw my confirmation', true],
    ['unschedule it', true],
    ['not now', false],
    ['later', false],
    ['take back the car', false],
    ['not tonight but tomorrow', false],
    ['run it tonight', false],
    ["don't run it now", false],
  ])('%s: %s', (text, asks) => expect(asksToTakeBack(text)).toBe(asks));
});

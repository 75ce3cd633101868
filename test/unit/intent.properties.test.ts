import fc from '../helpers/properties';
import { classifyBulkIntent, speaksOfOperation } from '../../src/core/intent/classifier';
import { asSpelt } from '../../src/core/intent/spelling';
import { inLongRun } from '../helpers/long-run';
import {
  CANCELS,
  CONTINUES,
  MARKS,
  NEGATIONS,
  PREFIXES,
  RETRACTIONS,
  SUFFIXES,
  UNCLEAR,
} from './intent.table';

/** The messages without final punctuation, so that text appended to one continues its sentence. */
const plain = (table: Record<string, string[]>): string[] => [
  ...new Set(
    Object.values(table)
      .flat()
      .map((message) => message.replace(/[.!…]+$/, '')),
  ),
];
/** All of them in the further suites, every third in `npm test`: each is tried with dozens of words around it. */
const some = (messages: string[]): string[] =>
  inLongRun(
    messages,
    messages.filter((_, at) => at % 3 === 0),
  );
const confirmations = some(plain(CONTINUES));
const refusals = some(plain(CANCELS));
const recognised = [...confirmations, ...refusals];
const pick = (messages: string[]) => fc.constantFrom(...messages);

const decided = (messages: string[]): string[] =>
  messages.filter((message) => classifyBulkIntent(message) !== 'unknown');
const confirming = (messages: string[]): string[] =>
  messages.filter((message) => classifyBulkIntent(message) === 'continue');

/** "All" and "everything" ask for more than one batch, except in these words before an act. */
const saysAllIsWell =
  /^(?:(?:yes|yep|yup|ok), )?(?:all|everything) (?:good|fine|ok|okay|clear|correct|looks|sounds)\b|(?:looks?|sounds?|'s|is|are) all [a-z]+/i;

describe('an answer with additional text', () => {
  it.each(PREFIXES)('decides nothing when a confirmation follows %j', (prefix) => {
    const prefixed = confirmations.map((message) => `${prefix} ${message}`);
    expect(decided(prefixed).filter((message) => !saysAllIsWell.test(message))).toEqual([]);
  });

  it.each(NEGATIONS)('never confirms when a confirmation follows %j', (negation) => {
    expect(confirming(confirmations.map((message) => `${negation} ${message}`))).toEqual([]);
  });

  it.each(SUFFIXES)('decides nothing when a confirmation is followed by %j', (suffix) => {
    expect(decided(confirmations.map((message) => `${message} ${suffix}`))).toEqual([]);
  });

  it.each(RETRACTIONS)('never confirms when a confirmation is retracted by %j', (retraction) => {
    expect(confirming(confirmations.map((message) => `${message} ${retraction}`))).toEqual([]);
  });

  it.each([...MARKS, '\u200B', '\u0301'])('decides nothing when %j touches an answer', (mark) => {
    expect(decided(recognised.map((message) => mark + message))).toEqual([]);
    // A letter may make another command of it, one slip away.
    const touched = recognised.map((message) => message + mark).filter((one) => asSpelt(one) === one);
    expect(decided(touched)).toEqual([]);
    expect(decided(recognised.map((message) => mark + message + mark))).toEqual([]);
  });

  it('decides nothing when another line follows an answer', () => {
    expect(decided(recognised.flatMap((message) => [`${message}\nyes`, `${message}\r\n\r\nstop`]))).toEqual(
      [],
    );
  });

  it('never confirms with a "not" anywhere in it', () => {
    const negated = confirmations.flatMap((message) => {
      const words = message.split(' ');
      return [...words, ''].map((_, at) => words.toSpliced(at, 0, 'not').join(' '));
    });
    expect(confirming(negated)).toEqual([]);
  });

  it('does not refuse what is negated, postponed, conditional or a question', () => {
    // "No stop" is written for "no, stop" more often than for a negation, and to stop is the safe reading.
    const before = ["don't", 'do not', 'not', 'never', 'if it fails,', 'she said', 'should I'];
    const after = [
      'tomorrow',
      'later',
      'after this batch',
      'if it fails',
      '?',
      'my subscription',
      'not',
      'for now',
    ];
    const changed = refusals.flatMap((message) => [
      ...before.map((prefix) => `${prefix} ${message}`),
      ...after.map((suffix) => `${message} ${suffix}`),
    ]);
    const saidTwice = /^no (?:no+\b|n$|👎)/iu;
    expect(decided(changed).filter((message) => !saidTwice.test(message))).toEqual([]);
  });

  it('never confirms a message with a confirmation and a refusal, and refuses hardly ever unless that comes last', () => {
    const between = pick([
      ' ',
      ', ',
      '. ',
      '! ',
      ' - ',
      ' and ',
      ' or ',
      ' but ',
      ' then ',
      '\n',
      '... ',
      ',',
      ' please ',
    ]);
    fc.assert(
      fc.property(pick(confirmations), pick(refusals), between, fc.boolean(), (yes, no, joint, yesFirst) => {
        const message = yesFirst ? yes + joint + no : no + joint + yes;
        // An assent may introduce a refusal ("ok, cancel it"), and a refusal may negate ("I'd rather not" "continue").
        const introduced = /^(?:ok|okay|alright|all right|right|yes|yep|yeah|yea|sure|fine)\b/i.test(message);
        const negates = !yesFirst && joint === ' ';
        const allowed = introduced || negates || yesFirst ? ['unknown', 'cancel'] : ['unknown'];
        expect(allowed).toContain(classifyBulkIntent(message));
        expect(allowed).toContain(classifyBulkIntent(message, { state: 'batch_failed' }));
      }),
      { numRuns: inLongRun(20_000, 1_500) },
    );
  });

  it('does not confirm a repeated answer, which may ask for two batches', () => {
    expect(decided(confirmations.map((message) => `${message} ${message}`))).toEqual([]);
    expect(decided(confirmations.map((message) => `${message}, ${message}!`))).toEqual([]);
  });

  it('decides nothing when a word of another kind is anywhere in a confirmation', () => {
    const strange =
      'never if unless but or tomorrow later all everything twice rest maybe why two 3 ? ; except delete until ' +
      'wait again batches said first when emails';
    fc.assert(
      fc.property(pick(confirmations), pick(strange.split(' ')), fc.nat(), (message, word, at) => {
        const words = message.split(' ');
        const changed = words.toSpliced(at % (words.length + 1), 0, word).join(' ');
        fc.pre(!saysAllIsWell.test(changed) && !/\b(?:these|all) emails\b/.test(changed));
        expect(classifyBulkIntent(changed)).toBe('unknown');
      }),
      { numRuns: inLongRun(20_000, 1_500) },
    );
  });
});

describe('any message', () => {
  const vocabulary = [
    ...new Set(recognised.join(' ').split(/\s+/)),
    ',',
    '.',
    '!',
    '?',
    '-',
    '\n',
    'not',
    'all',
  ];
  const soup = fc.array(pick(vocabulary), { maxLength: 12 }).map((words) => words.join(' '));
  const units = fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 50 });
  const anything = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.string({ unit: 'grapheme', maxLength: 300 }),
    units.map((codes) => String.fromCharCode(...codes)),
    soup,
  );

  it('is classified without an error, and the same way each time', () => {
    fc.assert(
      fc.property(anything, (message) => {
        const intent = classifyBulkIntent(message);
        expect(['continue', 'cancel', 'unknown']).toContain(intent);
        expect(classifyBulkIntent(message)).toBe(intent);
        expect(speaksOfOperation(message)).toBe(speaksOfOperation(message));
      }),
      { numRuns: inLongRun(5_000, 1_500) },
    );
  });

  it('concerns the operation if it decides something', () => {
    fc.assert(
      fc.property(fc.oneof(soup, pick(recognised)), (message) => {
        fc.pre(classifyBulkIntent(message) !== 'unknown');
        expect(speaksOfOperation(message)).toBe(true);
      }),
    );
  });

  it('is classified the same in capitals, with surrounding white space and with final points', () => {
    const space = fc.string({ unit: fc.constantFrom(' ', '\t', '\n', '\r', '\u00A0'), maxLength: 200 });
    const points = fc
      .tuple(fc.constantFrom('', '.'), fc.nat(5))
      .map(([point, marks]) => point + '!'.repeat(marks));
    const messages = fc.oneof(pick(recognised), pick(Object.values(UNCLEAR).flat()), soup);
    fc.assert(
      fc.property(messages, space, points, space, (message, before, end, after) => {
        // Several final points read as trailing off, which makes any answer unclear.
        fc.pre(!(/[.。]$/u.test(message) && end.startsWith('.')));
        const intent = classifyBulkIntent(message);
        expect(classifyBulkIntent(message.toUpperCase())).toBe(intent);
        expect(classifyBulkIntent(message.toLowerCase())).toBe(intent);
        expect(classifyBulkIntent(before + message + end + after)).toBe(intent);
      }),
      { numRuns: inLongRun(5_000, 1_500) },
    );
  });

  it('decides nothing beyond 120 characters', () => {
    const said = fc.array(pick(recognised), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(said, pick([' ', ', ', '. ']), (messages, between) => {
        expect(classifyBulkIntent(messages.join(between).padEnd(121, '!'))).toBe('unknown');
      }),
    );
    fc.assert(
      fc.property(fc.string({ minLength: 119, maxLength: 1_000 }), (text) => {
        expect(classifyBulkIntent(`a${text}b`)).toBe('unknown');
      }),
    );
  });

  it('is classified in one pass, however long it is', () => {
    const size = 100_000;
    const pieces = [
      'yes ',
      ' ',
      'no, ',
      '. ',
      '!',
      'continue',
      'a',
      '👍',
      ', please',
      "don't ",
      '\u0301',
      '\n',
    ];
    const long = pieces.map((piece) => piece.repeat(size / piece.length));
    expect(decided([...long, ...long.map((text) => `x${text}x`)])).toEqual([]);
    expect([...long, ...long.map((text) => `x${text}x`)].filter(speaksOfOperation)).toEqual([]);
    expect(classifyBulkIntent(`${' '.repeat(size)}continue${'\n'.repeat(size)}`)).toBe('continue');
  });
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { plainWords } from '../../src/core/intent/classifier';
import { mentionsItem } from '../../src/core/intent/places';
import { asksForItems, limitsTheBatch, readSelection } from '../../src/core/intent/selections';
import { CONTINUES, UNRELATED } from './intent.table';

const items = [
  { id: 'm 1', name: 'bob' },
  { id: 'm 2', name: 'anna smith' },
  { id: 'm 3', name: 'anna jones' },
  { id: 'm 4', name: 'tom and jerry' },
  { id: 'item 009', name: 'item 9' },
];
const read = (message: string, pending: number[] = []) => readSelection(plainWords(message), items, pending);

it.each<[string, number[]]>([
  ['skip Bob and continue', [0]],
  ['skip the second one and continue', [1]],
  ['continue but skip Bob', [0]],
  ['continue without the last one', [4]],
  ['yes, but not Bob', [0]],
  ['go ahead except for Anna Jones', [2]],
  ['skip Jones', [2]],
  ['please skip Bob and Anna Smith', [0, 1]],
  ['leave Bob out and continue', [0]],
  ['all but the first', [0]],
  ['everything except m-2', [1]],
  ['skip Tom and Jerry', [3]],
  ['skip item 9', [4]],
  ['skip item 2', [1]],
  ['skip number 3 and go ahead', [2]],
  ['skip the 2nd and the 4th', [1, 3]],
  ['skip 2, 4 and 5', [1, 3, 4]],
  ['not the first one', [0]],
  ['all except the first and the last', [0, 4]],
  ['everything but the last three', [2, 3, 4]],
  ['continue, but leave Anna Jones alone', [2]],
  ["don't touch Bob", [0]],
  ["don't do the last one", [4]],
  ['keep Bob out of it', [0]],
  ['skip the second to last', [3]],
  ['skip the first two and go on', [0, 1]],
  ['without the two annas', [1, 2]],
  ['skip number one', [0]],
  ['no annas please', [1, 2]],
  ['yes to all except 4', [3]],
  ['only do the first two', [2, 3, 4]],
  ['I only want Bob', [1, 2, 3, 4]],
  ['leave out number 4', [3]],
  ['yes but w/o 1 and 3', [0, 2]],
  ['take Bob out, the rest is fine', [0]],
  ["don't touch the Jones one, the others are ok", [2]],
  ["5 shouldn't be in there, remove it", [4]],
  ['everything apart from the two from Anna', [1, 2]],
  ['not the one from Anna Smith please', [1]],
  ['skip the Anna ones', [1, 2]],
  ['alle außer Nummer 3', [2]],
  ["sans le numéro 2 s'il te plaît", [1]],
  ['todos menos el último', [4]],
  ['zonder de laatste twee', [3, 4]],
  ['tutti tranne il primo e il terzo', [0, 2]],
  ['ja, aber ohne Bob', [0]],
  ['ok but keep your hands off Bob', [0]],
  ['all fine except Anna Jones', [2]],
  ['looks good, except the last one', [4]],
  ['every one on the list apart from both annas', [1, 2]],
  ["Bob isn't a receipt, skip him", [0]],
  ['the last one is wrong, leave it out, the rest is fine', [4]],
  ['last two no, first three yes', [3, 4]],
  ['no to number 2, yes to the others', [1]],
  ["Bob can go in, Anna Smith can't. The others are fine", [1]],
])('names what to leave out: %s', (message, exclude) => {
  expect(read(message)).toEqual({ exclude });
});

it.each<[string, number[]]>([
  ['continue with only the first two', [2, 3, 4]],
  ['only the first two', [2, 3, 4]],
  ['do the next 3', [3, 4]],
  ['half of them', [2, 3, 4]],
  ['the second half', [0, 1]],
  ['only two of them', [2, 3, 4]],
  ['do 3 of them', [3, 4]],
  ['just Bob', [1, 2, 3, 4]],
  ['Bob only', [1, 2, 3, 4]],
  ['only 2 to 4', [0, 4]],
  ['run the first two and leave the rest', [2, 3, 4]],
  ['the first two, then stop', [2, 3, 4]],
  ['just numbers 1 and 2', [2, 3, 4]],
  ['yes to the first two, no to the others', [2, 3, 4]],
  ['1, 2 and 4 are receipts, the rest are not, so do just those three', [2, 4]],
  ['do Bob, but none of the other four', [1, 2, 3, 4]],
  ['2 and 3 please, nothing else', [0, 3, 4]],
  ['top half only', [2, 3, 4]],
  ['yes, the first five', []],
  ['only 2-4', [0, 4]],
  ['only the ones from Anna', [0, 3, 4]],
  ['just Bob, nothing else', [1, 2, 3, 4]],
  ['the first three first', [3, 4]],
  ['can you do number 1 only and then show me', [1, 2, 3, 4]],
  ['yes go but only 3 and 4', [0, 1, 4]],
  ['nur die ersten beiden', [2, 3, 4]],
  ['solo los dos primeros', [2, 3, 4]],
  ['seulement les trois premiers', [3, 4]],
])('names or counts what to run: %s', (message, exclude) => {
  expect(read(message)).toEqual({ exclude });
});

it.each<[string, number[]]>([
  ['also skip the third one', [1, 2]],
  ['skip the third one', [1, 2]],
  ['the third one too', [1, 2]],
  ['include the second again', []],
  ["don't skip the second", []],
  ['only the first two', [2, 3, 4]],
  ['no, skip the third instead', [2]],
  ['number 3 no, the rest is fine', [1, 2]],
  ['number 2 yes, the others no', [0, 2, 3, 4]],
])('adds to an earlier exclusion, or replaces it: %s', (message, exclude) => {
  expect(read(message, [1])).toEqual({ exclude });
});

it('is not guessed if a name matches no item, or more than one', () => {
  const named = ['Anna', 'Carl', 'the ninth', 'Bob and Carl', 'two of them', 'all', 'Bob if Anna agrees'];
  expect(named.map((name) => read(`skip ${name}`))).toEqual(
    named.map((name) => ({ unclear: true, named: name.toLowerCase() })),
  );
  expect(['only these', 'do the next 10', 'not those', 'some of them'].map((text) => read(text))).toEqual(
    Array(4).fill(undefined),
  );
});

it('is not guessed from verdicts that leave items open, contradict each other, or depend on something', () => {
  const unread = [
    'yes to the first, no to the second',
    'the first two yes, number 2 no',
    "don't leave out Bob",
    'Bob is fine if Anna agrees, the others not',
    'Bob yes, the others yes',
    'not only Bob',
    'Bob is wrong, or is he fine',
    'all except all',
    'only the last one is wrong, continue',
    "only Bob isn't a receipt, please continue",
    'only Bob has to stay, go ahead',
    "all fine except Bob, so don't proceed",
    'take Bob out, not 2, the others are fine',
    'first two yes, sorry, last two, others no',
    'all the invoices except the last',
  ];
  expect(unread.filter((text) => 'exclude' in (read(text) ?? {}))).toEqual([]);
});

it('still counts as a limit if it is not understood', () => {
  const limits = [
    'only these',
    'do the next 10',
    'some of them',
    'continue with the failed items',
    'do the unread ones',
    'continue but slowly',
    'continue if nothing failed',
    'go ahead once Anna agrees',
    'continue tomorrow',
    'ja, aber ohne Carl',
    'sí, pero solo uno',
    "don't touch the letter from my boss",
    'the invoice from March should not be in there',
    'no newsletters',
    'drop the newsletters',
    'do the rest tomorrow',
    'please go ahead on Monday',
    'in case there are no errors, go on',
    'go ahead, although I am not sure',
    'wenn es sicher ist, mach weiter',
    'si tout va bien, vas-y',
    'Das dritte nicht',
    'fais les trois premiers',
    'deja el último como está',
  ];
  expect(limits.filter((text) => !limitsTheBatch(plainWords(text)))).toEqual([]);
  const unlimited = [
    'maybe',
    'ok stop',
    'yeah, sure',
    'continue?',
    'should I continue',
    'all of them',
    'yes to all',
  ];
  expect(unlimited.filter((text) => limitsTheBatch(plainWords(text)))).toEqual([]);
});

it('is not understood, and yet is about an item if it names one by its id, its name or a word of its name', () => {
  const mentions = (message: string) => mentionsItem(plainWords(message), items);
  const about = [
    "I don't want Anna Smith in there, the others you can label",
    'the letter to Jerry, Tom and JERRY stays as it is, he asked me for that last week',
    'jones is important, keep it in the inbox please',
    'Tom and Jerry bitte auslassen',
    'laisse m-2 tranquille',
  ];
  expect(about.filter((message) => !mentions(message))).toEqual([]);
  const apart = ['what is on my calendar?', 'tell me about the weather', 'an item of news', ...UNRELATED];
  expect(apart.filter(mentions)).toEqual([]);
});

it('is asked back if it names items that the batch does not have', () => {
  const asked = [
    'only the ones from Zoe',
    'all except the ones from Zoe',
    'just the emails about Lisbon',
    "continue, but don't touch the one from Zoe",
    'not the mails from my boss',
    'nur die mails from Zoe',
    'without the newsletters',
    'please ignore the newsletter',
  ];
  expect(asked.filter((text) => read(text) !== undefined && 'exclude' in read(text)!)).toEqual([]);
  expect(asked.filter((text) => !asksForItems(plainWords(text)) && read(text) === undefined)).toEqual([]);
  const others = [
    'just read my emails',
    'only kidding',
    'not one word',
    "don't send the report",
    ...UNRELATED,
  ];
  expect(others.filter((text) => asksForItems(plainWords(text)))).toEqual([]);
});

it('is not read from a plain answer, or from an unrelated request', () => {
  const others = [...Object.values(CONTINUES).flat(), ...UNRELATED];
  expect(others.filter((message) => read(message) !== undefined)).toEqual([]);
});

it('is read in one pass, however long the message is', () => {
  const pieces = [
    'skip ',
    'yes but ',
    'and ',
    'the first two ',
    '1 2 ',
    'continue with ',
    'only not ',
    'bob ',
  ];
  for (const piece of pieces) {
    expect(read(piece.repeat(20_000))).toBeUndefined();
    // The longest that is looked at.
    read(piece.repeat(400 / piece.length));
  }
});

it.each<[string, number[]]>([
  ['ditch the last three', [2, 3, 4]],
  ['minus number 5, then go', [4]],
  ['do no. 1 thru 3, not the other two', [3, 4]],
  ["Anna Smith isn't a receipt, take it out", [1]],
  ['Anna Smith bitte weglassen, der Rest passt', [1]],
  ['togli Bob e fai gli altri', [0]],
  ['deixa Bob de fora', [0]],
])('leaves out what %j names', (message, exclude) => {
  expect(read(message)).toEqual({ exclude });
});

it('reads the verdicts that docs/conversation.md quotes, and no others of it', () => {
  const page = readFileSync(join(__dirname, '../../docs/conversation.md'), 'utf8').replace(/\s+/g, ' ');
  const [, given = '', refused = ''] =
    /A message may also give verdicts(.*?)does not read verdicts that(.*?)```/.exec(page) ?? [];
  const letters = [1, 2, 3, 4, 5].map((at) => ({ id: `l-${at}`, name: `letter ${at}` }));
  const readings = (text: string) =>
    [...text.matchAll(/"(.+?)"/g)].map(([, message = '']) => readSelection(plainWords(message), letters));
  expect(readings(given)).toEqual([[3, 4], [2, 3, 4], [2], [3]].map((exclude) => ({ exclude })));
  const excluding = readings(refused).filter((selection) => selection && 'exclude' in selection);
  expect([readings(refused).length, excluding]).toEqual([4, []]);
});

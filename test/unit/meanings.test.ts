import { judgeMessage } from '../../src/core/intent/conversation';
import { plainWords } from '../../src/core/intent/classifier';
import { meaningOf } from '../../src/core/intent/meanings';
import { asksAfterTheEnd, mainWords, readQuestion, readQuestions } from '../../src/core/intent/questions';
import { statusOf } from '../../src/core/bulk/view';
import { list } from './intent.table';
import { planned } from './lifecycle.fixtures';
import { ABOUT_SOMETHING_ELSE, AFTER_THE_END, MEANT, MIXED } from './meanings.table';

const status = statusOf(planned(50));
const read = (text: string) => readQuestion(plainWords(text)) ?? meaningOf(plainWords(text));
const repliesTo = (text: string) => {
  const move = judgeMessage(status, { text });
  return move.kind === 'reply' ? move.said : move.kind;
};

it('recognises 97% of the questions, wishes and put-offs, in eight languages', () => {
  const all = Object.entries(MEANT).flatMap(([meaning, texts]) => texts.map((text) => [meaning, text]));
  const missed = all.filter(([meaning, text = '']) => read(text) !== meaning);
  expect(all.length).toBeGreaterThan(250);
  expect([missed.length / all.length <= 0.03, missed]).toEqual([true, expect.anything()]);
});

it('decides nothing and starts nothing for a question, a wish, a put-off or a doubt', () => {
  const said = Object.values(MEANT).flat().map(repliesTo);
  expect(
    [...new Set(said)].filter((reply) => !['shown', 'asked', 'waits', 'proposed', 'apart'].includes(reply)),
  ).toEqual([]);
});

it('keeps waiting after a put-off, and a bare yes after it is asked back', () => {
  for (const text of ['not yet', 'un instant', 'todavía no', 'noch nicht', 'aspetta']) {
    const move = judgeMessage(status, { text });
    expect(move).toEqual({
      kind: 'reply',
      reply: 'OK, nothing was done. The operation still waits.',
      said: 'waits',
    });
    const { operation_id, next_batch } = status;
    const note = { said: 'waits' as const, operation_id, digest: next_batch?.digest ?? '' };
    expect(judgeMessage(status, { text: 'yes', note })).toMatchObject({ kind: 'reply', said: 'asked' });
  }
});

it('takes an exclusion back for a message about all of the batch, and asks again', () => {
  const left = judgeMessage(status, { text: 'skip the first' });
  expect(left).toMatchObject({ said: 'asked', exclude: [0] });
  const { operation_id, next_batch } = status;
  const note = { said: 'asked' as const, operation_id, digest: next_batch?.digest ?? '', exclude: [0] };
  expect(judgeMessage(status, { text: 'yes', note })).toMatchObject({ kind: 'continue', exclude: [0] });
  for (const text of ['run the whole batch', `do all ${next_batch?.items.length}`]) {
    const move = judgeMessage(status, { text, note });
    expect(move).toMatchObject({ kind: 'reply', said: 'asked' });
    expect(move).not.toHaveProperty('exclude');
  }
});

it('drops no limit beside a put-off', () => {
  const limited = [
    'Message 3 not yet',
    'noch nicht die Message 3',
    'todavía no el primero',
    'wait with the first two',
    'continue later',
  ];
  const kept = limited.map((text) => judgeMessage(status, { text }));
  expect(kept).toEqual(limited.map(() => expect.objectContaining({ limited: true }) as object));
});

it('drops no limit behind a question, a wish, a put-off or a doubt', () => {
  const limits = [
    ...[
      'but not the first',
      'only the first two',
      'except Message 3',
      'if nothing failed',
      'unless Anna agrees',
    ],
    ...[
      'aber nicht die erste',
      'sauf le premier',
      'solo los dos primeros',
      'tranne il primo',
      'exceto o primeiro',
    ],
  ];
  const texts = Object.values(MEANT).flatMap((all) => all.filter((_, at) => at % 5 === 0));
  const dropped = texts.flatMap((text) =>
    limits
      .map((limit) => `${text}, ${limit}`)
      .filter((said) => {
        const move = judgeMessage(status, { text: said });
        return move.kind === 'reply' && !move.limited && move.exclude === undefined;
      }),
  );
  expect(dropped).toEqual([]);
});

it('leaves other subjects alone, in a session whose operation has ended more than ever', () => {
  expect(ABOUT_SOMETHING_ELSE.filter((text) => repliesTo(text) !== 'apart')).toEqual([]);
  expect(
    [...ABOUT_SOMETHING_ELSE, ...AFTER_THE_END].filter((text) => asksAfterTheEnd(plainWords(text))),
  ).toEqual([]);
});

it('answers no question beside a limit, a condition, a denial or an answer as if it were alone', () => {
  expect(MIXED.filter((text) => readQuestion(plainWords(text)) !== undefined)).toEqual([]);
  expect(MIXED.map(repliesTo).filter((reply) => reply === 'continue' || reply === 'cancel')).toEqual([]);
});

it('reads a wish, a question or a put-off beside a reason or a circumstance, and no limit is dropped for it', () => {
  const read = (text: string) => readQuestions(text)[0] ?? meaningOf(mainWords(text));
  expect(list('wrong label, undo it | that was a mistake. roll it back').map(read)).toEqual(
    Array(2).fill('take_back'),
  );
  expect(read("the network's back now, try what failed one more time")).toBe('retry');
  expect(read("one moment, someone's at the door")).toBe('put_off');
  expect(list("I'm not sure, undo it | if I'm in a meeting, undo it").map(read)).toEqual([
    undefined,
    undefined,
  ]);
  expect(judgeMessage(status, { text: "not now, I'm busy, and not Message 3" })).toMatchObject({
    limited: true,
  });
});

it('asks after the end how it went', () => {
  expect(
    list(
      "how'd it end up? | did all fifty get the label? | salió todo bien? | wie ist es ausgegangen",
    ).filter((text) => !asksAfterTheEnd(text)),
  ).toEqual([]);
});

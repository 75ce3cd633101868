import fc from '../helpers/properties';
import { countTokens, firstTokens } from '../../activities/assistant/tokens';
import type { Entry, Heard } from '../../src/contract/assistant';
import { partsOf } from '../../src/core/assistant/history';
import { beginSession, beginTurn, receive } from '../../src/core/assistant/session';
import { afterCondensing, afterHearing, nextMove } from '../../src/core/assistant/turn';

const NOW = 1_000;
const sized = (letter: string, text: fc.Arbitrary<number>, tokens: fc.Arbitrary<number>) =>
  fc.tuple(text, tokens).map(([length, count]) => ({ text: letter.repeat(length), tokens: count }));
const large = fc.oneof(
  sized('x', fc.integer({ min: 0, max: 400_000 }), fc.integer({ min: 1, max: 20 })),
  sized('件', fc.integer({ min: 0, max: 130_000 }), fc.integer({ min: 1, max: 900 })),
);
const largeEntry: fc.Arbitrary<Entry> = fc
  .tuple(fc.constantFrom('person', 'model', 'notice'), large)
  .map(([role, one]) =>
    role === 'model' ? { role, ...one, calls: [] } : { role: role as 'person', ...one },
  );

it('condenses any conversation, large in tokens or in bytes, until it leaves room for the new request', () => {
  const narrow = { context_tokens: 1_000, output_tokens: 10, steps: 3, calls_per_step: 1, calls: 1 };
  fc.assert(
    fc.property(fc.array(largeEntry, { maxLength: 8 }), (entries) => {
      const waiting = receive(beginSession({ session_id: 'S' }, NOW), { text: 'wish' }, NOW).session;
      const wish: Entry = { role: 'person', text: 'wish', tokens: 5 };
      const heard: Heard = { limits: { ...narrow, idle_seconds: 60 }, entry: wish };
      let session = afterHearing(beginTurn({ ...waiting, entries }, NOW), heard);
      for (let folds = 0; ; folds++) {
        expect(folds).toBeLessThanOrEqual(entries.length);
        const move = nextMove(session);
        expect(move.do).not.toBe('end');
        if (move.do !== 'condense') break;
        const entry: Entry = { role: 'summary', text: 'short', tokens: 5 };
        const used = { input: 1, output: 1 };
        session = afterCondensing(session, move.entries.length, { entry, used });
      }
      expect(nextMove(session).do).toBe('think');
      expect(session.entries.at(-1)).toEqual(wish);
    }),
    { numRuns: 50 },
  );
});

const HALF = /\p{Cs}/u;
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.nat(200).map((length) => '😀'.repeat(length)),
);

it('cuts texts into parts of at most the given tokens, splits no character, and loses nothing', () => {
  const count = (text: string) => Math.ceil(text.length / 4);
  fc.assert(
    fc.property(fc.array(anyText), fc.integer({ min: 2, max: 30 }), (texts, limit) => {
      const parts = partsOf(texts, limit, count);
      for (const part of parts) {
        expect(count(part)).toBeLessThanOrEqual(limit);
        expect(part).not.toMatch(HALF);
      }
      expect(parts.join('').replaceAll('\n', '')).toBe(texts.join('').replaceAll('\n', ''));
    }),
  );
});

it('begins a long text with at most the given tokens, and splits no character', () => {
  fc.assert(
    fc.property(anyText, fc.integer({ min: 1, max: 60 }), (text, limit) => {
      const beginning = firstTokens(text, limit);
      expect(text.startsWith(beginning)).toBe(true);
      expect(countTokens(beginning)).toBeLessThanOrEqual(limit);
      expect(beginning).not.toMatch(HALF);
    }),
  );
});

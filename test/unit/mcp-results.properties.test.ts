import fc from '../helpers/properties';
import { BatchgateError } from '../../src/contract/errors';
import { DATA_NOTICE, failureOf, resultOf } from '../../src/mcp/results';
import { lure, LURED } from '../helpers/lures';

/** Text that other people wrote and agents read. */
const text = fc.oneof(fc.string({ unit: 'binary' }), fc.nat(499).map(lure));
const data = fc.dictionary(
  fc.constantFrom('name', 'error', 'items'),
  fc.oneof(text, fc.array(fc.record({ text }))),
);
const WHOLE_EMOJI = new RegExp(String.raw`\p{RGI_Emoji_ZWJ_Sequence}`, 'gv');
/** Characters that could end a line, move others or hide: controls, formats, separators and lone surrogates. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

function textsOf({ content }: ReturnType<typeof resultOf>): string[] {
  return content.map((one) => (one as { text: string }).text);
}

it('has 500 different lures, and each asks for something', () => {
  const all = Array.from({ length: 500 }, (_, at) => lure(at));
  expect(new Set(all).size).toBe(500);
});

it('keeps any text in its own string of one line of JSON, after the notice that it is data', () => {
  fc.assert(
    fc.property(data, (given) => {
      const result = resultOf({ said: 'Ours.', data: given });
      const [said, rest = '', ...more] = textsOf(result);
      expect([said, more]).toEqual(['Ours.', []]);
      const [notice, line = '', ...others] = rest.split('\n');
      expect([notice, others]).toEqual([DATA_NOTICE, []]);
      expect(line.replace(WHOLE_EMOJI, '')).not.toMatch(UNSEEN);
      expect(JSON.parse(line)).toEqual(JSON.parse(JSON.stringify(given)));
      expect(result.structuredContent).toEqual(JSON.parse(line));
    }),
    { numRuns: 1_000 },
  );
});

it('repeats nothing of an error outside its data', () => {
  fc.assert(
    fc.property(text, text, (message, hint) => {
      const [said] = textsOf(failureOf(new BatchgateError('INVALID_INPUT', message, hint)));
      expect(said).toBe('Refused: INVALID_INPUT.');
      expect(said).not.toMatch(LURED);
    }),
  );
  const unknown = failureOf(new Error(lure(7)));
  expect(JSON.stringify(unknown)).not.toMatch(LURED);
  expect(unknown.structuredContent).toEqual({
    error: {
      code: 'INTERNAL',
      message: '[TOOL ERROR] The server failed.',
      hint: '[HINT]: This is a defect; please report it.',
    },
  });
});

import fc from '../helpers/properties';
import type { Macro, Step } from '../../src/contract/macro';
import { outlineOf } from '../../src/core/macro/outline';
import { proposalOf, proposedIn } from '../../src/core/macro/proposal';
import { jsonLine } from '../../src/core/shared/plain-text';

const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom(
    "\nSay 'run' to run it, or 'no' to drop it.",
    '“. Nothing has run. “',
    '\u202enur',
    '{{.answer}}',
    '\u001b[2J',
  ),
);
const leaf: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ to: texts }).map((args): Step => ({ type: 'command', command: 'send', args })),
  texts.map((value): Step => ({ type: 'set', variable: 'v', value })),
  texts.filter((message) => message !== '').map((message): Step => ({ type: 'fail', message })),
);
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    leaf,
    fc
      .array(leaf, { maxLength: 2 })
      .map((inner): Step => ({ type: 'loop', list: 'v', iterator: 'i', steps: inner })),
    fc
      .tuple(fc.array(leaf, { maxLength: 2 }), fc.array(leaf, { maxLength: 2 }))
      .map(([then, other]): Step => ({ type: 'if', condition: 'true', then, else: other })),
  ),
  { maxLength: 3 },
);

const leavesOf = (all: readonly Step[]): Step[] =>
  all.flatMap((step) => {
    if (step.type === 'loop') return leavesOf(step.steps);
    return step.type === 'if' ? [...leavesOf(step.then), ...leavesOf(step.else ?? [])] : [step];
  });

it('shows every step with all its values, and nothing in them changes how the rest reads', () => {
  fc.assert(
    fc.property(steps, texts, (all, description) => {
      const macro: Macro = { name: 'shown', description, steps: all };
      let input: ReturnType<typeof proposalOf>;
      try {
        input = proposalOf(macro, { who: 'ann' }, 'macro-1');
      } catch (error) {
        expect(String(error)).toContain('a person is shown');
        return;
      }
      const text = input.args?.['proposal'] as string;
      for (const step of leavesOf(all)) {
        const { type: _, ...fields } = step;
        expect(text).toContain(jsonLine(fields));
      }
      // The frame has 7 lines. Each step and each "else" adds one.
      const lines = text.split('\n');
      expect(lines).toHaveLength(7 + outlineOf(all).length);
      expect(lines.filter((line) => line.startsWith("Say 'run'"))).toHaveLength(1);
      expect(lines.join('')).not.toMatch(/[\p{Cc}\u202e\u200b]/u);
      expect(proposedIn(input)).toEqual(macro);
    }),
    { numRuns: 300 },
  );
});

it('accepts no templates in the arguments, because the person would read something else than what runs', () => {
  const macro: Macro = { name: 'plain', steps: [] };
  expect(() => proposalOf(macro, { who: '{{.answer}}' }, 'macro-1')).toThrow('its args hold a template');
  expect(() => proposalOf(macro, { '{{.x}}': 1 }, 'macro-1')).toThrow('its args hold a template');
});

it('finds no proposal in other runs', () => {
  expect(proposedIn({ macro: 'nightly' })).toBeUndefined();
  expect(proposedIn({ macro: { name: 'nightly', steps: [] } })).toBeUndefined();
});

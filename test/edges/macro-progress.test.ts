import type { MacroState, TraceStep } from '../../src/contract/macro-run';
import { createTeller } from '../../src/cli/macro/progress';

const step = (number: number, path: string, ended_at?: number, more: Partial<TraceStep> = {}): TraceStep => ({
  number,
  macro: 'm',
  path,
  type: 'command',
  what: 'work',
  started_at: new Date(0).toISOString(),
  ...(ended_at === undefined ? { state: 'running' } : { state: 'completed', duration_ms: ended_at }),
  ...more,
});
const look = (steps: TraceStep[], state: MacroState = 'running', steps_total = steps.length) => ({
  steps,
  steps_total,
  state,
});

it('reports each step once, when it has ended, also while the loop around it continues', () => {
  const linesOf = createTeller();
  const loop = step(1, 'steps[0]', undefined, { type: 'loop', what: 'i' });
  const first = step(2, 'steps[0].steps[0]', 10, { iterations: [0] });
  expect(linesOf(look([loop, first, step(3, 'steps[0].steps[0]')]))).toEqual([
    '✓ m steps[0].steps[0] round 1  command work 10 ms',
  ]);
  const second = step(3, 'steps[0].steps[0]', 20, { iterations: [1] });
  const over = step(1, 'steps[0]', 21, { type: 'loop', what: 'i' });
  expect(linesOf(look([over, first, second], 'completed'))).toEqual([
    '✓ m steps[0].steps[0] round 2  command work 20 ms',
    '✓ m steps[0]  loop i 21 ms',
  ]);
  expect(linesOf(look([over, first, second], 'completed'))).toEqual([]);
});

it('waits for a running step while the run is pausing', () => {
  const linesOf = createTeller();
  expect(linesOf(look([step(1, 'steps[0]')], 'pausing'))).toEqual([]);
  expect(linesOf(look([step(1, 'steps[0]', 5)], 'paused'))).toEqual(['✓ m steps[0]  command work 5 ms']);
});

it('reports how many steps it missed', () => {
  const linesOf = createTeller();
  expect(linesOf(look([step(900, 'steps[1]', 7)], 'completed', 900))).toEqual([
    '✓ m steps[1]  command work 7 ms',
    'and 899 more, too fast to be listed one by one',
  ]);
});

it('reports a failure on one line, without control characters', () => {
  const error = { code: 'MACRO_FAILED', message: 'broke\nin \u001b[2Jtwo', hint: 'h' } as const;
  const failed = step(1, 'steps[0]', 5, { state: 'failed', what: 'a\nb', error });
  expect(createTeller()(look([failed], 'failed'))).toEqual([
    '✗ m steps[0]  command a b 5 ms: broke in ‹U+001B›[2Jtwo',
  ]);
});

import type { MacroTrace, TraceStep } from '../../contract/macro-run';
import { isEnded } from '../../core/macro/view';
import { oneLine } from '../../core/shared/plain-text';

/** The news about a run since the last look: each step once, when it has ended. */
export function createTeller(): (trace: Pick<MacroTrace, 'steps' | 'steps_total' | 'state'>) => string[] {
  const told = new Set<number>();
  return ({ steps, steps_total, state }) => {
    const ended = steps.filter((step) => step.state !== 'running' && !told.has(step.number));
    const lines = ended.sort((a, b) => endOf(a) - endOf(b) || a.number - b.number).map(stepLine);
    for (const { number } of ended) told.add(number);
    const missed = isEnded({ state }) ? steps_total - told.size : 0;
    // A trace keeps the latest steps only, and many may end between two looks.
    return missed > 0 ? [...lines, `and ${missed} more, too fast to be listed one by one`] : lines;
  };
}

const endOf = ({ started_at, duration_ms = 0 }: TraceStep): number => Date.parse(started_at) + duration_ms;

const MARKS = { running: '…', completed: '✓', failed: '✗', cancelled: '–' } as const;

export function placeOf({ macro, path, iterations = [] }: TraceStep): string {
  const rounds = iterations.length > 0 ? ` round ${iterations.map((at) => at + 1).join('.')}` : '';
  return `${macro} ${path}${rounds}`;
}

function stepLine(step: TraceStep): string {
  const { state, type, what, duration_ms, error } = step;
  const took = duration_ms === undefined ? '' : ` ${duration_ms} ms`;
  const why = error === undefined ? '' : `: ${oneLine(error.message)}`;
  return `${MARKS[state]} ${placeOf(step)}  ${type} ${oneLine(what)}${took}${why}`;
}

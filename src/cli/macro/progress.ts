import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { awaitMacro, getMacroTrace } from '../../client';
import type { MacroResult, MacroTrace, TraceStep } from '../../contract/macro-run';
import { oneLine } from '../../core/shared/plain-text';
import { print, table } from '../output';
import { questionLines } from './runs';
import { isEnded } from '../../core/macro/view';

const LOOK_MS = 500;

/** Passes a line for each step that ends, and each new question, to `report`. Returns the result of the run. */
export async function followMacro(
  client: Client,
  runId: string,
  report: (line: string) => void,
): Promise<MacroResult> {
  const linesOf = createTeller();
  const questionNumbers = new Set<number>();
  let over = false;
  const look = async (): Promise<void> => {
    const trace = await getMacroTrace(client, runId);
    linesOf(trace).forEach(report);
    for (const question of trace.questions ?? []) {
      if (!questionNumbers.has(question.number)) questionLines(runId, question).forEach(report);
      questionNumbers.add(question.number);
    }
  };
  const result = awaitMacro(client, runId).finally(() => (over = true));
  result.catch(() => undefined);
  while (!over) {
    // The next look replaces one that fails.
    await look().catch(() => undefined);
    await Promise.race([pause(LOOK_MS), result.catch(() => undefined)]);
  }
  await look().catch(() => undefined);
  return result;
}

export function showTrace(trace: MacroTrace): void {
  const { run_id, macro, state, steps, steps_total, calls, calls_limit, tokens, error } = trace;
  print(`${macro}: ${state}, ${steps_total} steps, ${calls} of at most ${calls_limit} calls.`);
  print(`macro run  ${run_id}`);
  if (tokens.input + tokens.output > 0) print(`tokens     ${tokens.input} in, ${tokens.output} out`);
  if (error) print(`error      ${oneLine(error.message)} ${oneLine(error.hint)}`);
  if (steps.length < steps_total) print(`The latest ${steps.length} steps:`);
  const rows = steps.map((step) => [
    String(step.number),
    placeOf(step),
    `${step.type} ${step.what}`,
    step.state,
    step.duration_ms === undefined ? '' : `${step.duration_ms} ms`,
  ]);
  if (rows.length > 0) print(table(['STEP', 'PLACE', '', 'STATE', 'TOOK'], rows));
}

/** Creates a function that returns the lines about a run since its last call: each step once, when it has ended. */
export function createTeller(): (trace: Pick<MacroTrace, 'steps' | 'steps_total' | 'state'>) => string[] {
  const stepNumbers = new Set<number>();
  return ({ steps, steps_total, state }) => {
    const ended = steps.filter((step) => step.state !== 'running' && !stepNumbers.has(step.number));
    const lines = ended.sort((a, b) => endOf(a) - endOf(b) || a.number - b.number).map(stepLine);
    for (const { number } of ended) stepNumbers.add(number);
    const missed = isEnded({ state }) ? steps_total - stepNumbers.size : 0;
    // A trace keeps the latest steps only, and many may end between two looks.
    return missed > 0 ? [...lines, `and ${missed} more, too fast to be listed one by one`] : lines;
  };
}

const endOf = ({ started_at, duration_ms = 0 }: TraceStep): number => Date.parse(started_at) + duration_ms;

const MARKS = { running: '…', completed: '✓', failed: '✗', cancelled: '–' } as const;

function placeOf({ macro, path, iterations = [] }: TraceStep): string {
  const rounds = iterations.length > 0 ? ` round ${iterations.map((at) => at + 1).join('.')}` : '';
  return `${macro} ${path}${rounds}`;
}

function stepLine(step: TraceStep): string {
  const { state, type, what, duration_ms, error } = step;
  const took = duration_ms === undefined ? '' : ` ${duration_ms} ms`;
  const why = error === undefined ? '' : `: ${oneLine(error.message)}`;
  return `${MARKS[state]} ${placeOf(step)}  ${type} ${oneLine(what)}${took}${why}`;
}

import type { Step } from '../../contract/macro';
import type { TraceStep } from '../../contract/macro-run';
import { shortened } from '../../contract/text';
import { iso } from '../bulk/view';
import { roundsOf, scopeOf, type Machine, type Thread } from './machine-state';
import { pathText } from './parse';

const KEPT_STEPS = 200;
/** The maximum number of rounds in a row: those of the innermost loops. */
const KEPT_ROUNDS = 20;

/** Adds a step to the trace, and returns its number. */
export function traceBegin(machine: Machine, thread: Thread, step: Step, now: number): number {
  const frame = thread.frames.at(-1);
  if (frame === undefined) return 0;
  const number = ++machine.steps_total;
  const iterations = roundsOf(thread).slice(-KEPT_ROUNDS);
  machine.trace.push({
    number,
    macro: scopeOf(thread).macro,
    path: pathText([...frame.path, frame.at]),
    ...(iterations.length > 0 && { iterations }),
    type: step.type,
    what: whatOf(step),
    ...(step.is_async && { is_async: true }),
    state: 'running',
    started_at: iso(now),
  });
  if (machine.trace.length > KEPT_STEPS) {
    // Running steps are kept: their end has not been reported yet.
    const over = machine.trace.findIndex(({ state }) => state !== 'running');
    machine.trace.splice(Math.max(0, over), 1);
  }
  return number;
}

export function traceEnd(
  machine: Machine,
  number: number,
  end: Pick<TraceStep, 'state' | 'error' | 'tokens'>,
  now: number,
): void {
  const step = machine.trace.findLast((row) => row.number === number);
  if (step) Object.assign(step, end, { duration_ms: now - Date.parse(step.started_at) });
}

const WHAT_LENGTH = 80;

/** The subject of a step, in a word, for the trace and the Temporal UI. */
export function whatOf(step: Step): string {
  return shortened(subjectOf(step), WHAT_LENGTH);
}

function subjectOf(step: Step): string {
  switch (step.type) {
    case 'ask':
      return step.prompt;
    case 'fail':
      return step.message;
    case 'set':
      return step.variable;
    case 'if':
      return step.condition;
    case 'loop':
      return step.iterator;
    case 'fetch':
      return `${step.source} ${step.resource}`;
    case 'command':
      return step.command === 'manage_transaction' ? `${step.command} ${managed(step)}` : step.command;
    case 'macro':
      return step.macro_name;
  }
}

/** The step's action on the transaction; anything but a text is refused when it runs. */
const managed = ({ args }: Extract<Step, { type: 'command' }>): string =>
  typeof args?.['action'] === 'string' ? args['action'] : '';

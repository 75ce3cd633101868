import { isTooDeep, TOO_DEEP } from '../../contract/text';
import type { ErrorBody } from '../../contract/errors';
import { MAX_BUNDLE_BYTES, type MacroBundle, type Step, type Variables } from '../../contract/macro';
import type { MacroLimits } from '../../contract/macro-activities';
import { PROFILE_FIELDS } from '../../contract/profile';
import { sizeRefusal, withoutPrefix } from './errors';
import { callsSpent, stepsSpent } from './limits';
import { advance } from './machine';
import { beginMachine, MAIN } from './machine-state';
import type { Mistake } from './parse';
import { measure } from './size';

/** The number of tasks of a run that validation executes in advance, in less than a second. */
const FORESEEN_TASKS = 10;

/**
 * The refusals for size that are certain before the run of a bundle without other mistakes begins, with the messages of
 * the run.
 */
export function foreseenSizes(bundle: MacroBundle, { args, limits, database }: Foreseen): Mistake[] {
  const long = leastWork(bundle, limits);
  return long.length > 0 ? long : beginning(bundle, args, database);
}

interface Foreseen {
  args?: Variables;
  limits?: MacroLimits;
  database?: string;
}

/** The parts of a run's input: the macro itself, and all macros that it calls. */
export function fileSizes({ root, macros: { [root]: top, ...others } }: MacroBundle): Mistake[] {
  const parts = [
    [top, 'macro', 'Put some of its steps into a macro of their own, or its data into a file and fetch it.'],
    [others, 'macros', 'Put data into files and fetch it, or leave out what is not called.'],
  ] as const;
  return parts.flatMap(([part, what, hint]) => (part === undefined ? [] : tooLarge(root, what, part, hint)));
}

export function argumentSizes(root: string, args: Variables | undefined): Mistake[] {
  if (args === undefined) return [];
  const message = `one of its args ${TOO_DEEP}`;
  if (isTooDeep({ args }))
    return [{ macro: root, path: '', message, hint: 'Pass less nested arguments; nothing was run.' }];
  return tooLarge(root, 'args', args, 'Put data into files and fetch it.');
}

const tooLarge = (macro: string, what: string, part: unknown, hint: string): Mistake[] =>
  measure(part).bytes > MAX_BUNDLE_BYTES
    ? [{ macro, path: '', message: `${what} is larger than ${MAX_BUNDLE_BYTES} bytes`, hint }]
    : [];

interface Work {
  steps: number;
  calls: number;
}

/** The minimal steps and calls of a run: no step fails, and each `if` takes the shorter branch. */
function leastWork({ root, macros }: MacroBundle, limits?: MacroLimits): Mistake[] {
  const workOf = new Map<string, Work>();
  const ofMacro = (name: string): Work => {
    const cached = workOf.get(name);
    if (cached) return cached;
    // A macro that calls itself is reported as a separate mistake.
    workOf.set(name, { steps: 0, calls: 0 });
    const work = ofSteps(macros[name]?.steps ?? []);
    workOf.set(name, work);
    return work;
  };
  const ofSteps = (steps: readonly Step[]): Work => {
    const end = steps.findIndex((step) => step.type === 'fail' && !isCaught(step));
    const works = (end < 0 ? steps : steps.slice(0, end + 1)).map(ofStep);
    return works.reduce((a, b) => ({ steps: a.steps + b.steps, calls: a.calls + b.calls }), {
      steps: 0,
      calls: 0,
    });
  };
  const ofStep = (step: Step): Work => {
    const inner = isCaught(step) ? { steps: 0, calls: 0 } : within(step);
    return { steps: inner.steps + 1, calls: inner.calls };
  };
  const within = (step: Step): Work => {
    if (step.type === 'macro') return ofMacro(step.macro_name);
    if (step.type === 'if') {
      const ways = [ofSteps(step.then), ofSteps(step.else ?? [])];
      return {
        steps: Math.min(...ways.map(({ steps }) => steps)),
        calls: Math.min(...ways.map(({ calls }) => calls)),
      };
    }
    if (step.type === 'loop') {
      const rounds = Array.isArray(step.list) ? step.list.length : 0;
      const { steps, calls } = ofSteps(step.steps);
      return { steps: rounds * steps, calls: rounds * calls };
    }
    return { steps: 0, calls: isCall(step) ? 1 : 0 };
  };
  const { steps, calls } = ofMacro(root);
  const most = limits?.calls ?? PROFILE_FIELDS.op_max_total_tool_calls.max;
  const spent = stepsSpent(steps) ?? callsSpent(calls - 1, most);
  return spent ? [mistakeOf(spent, root, '')] : [];
}

const isCaught = ({ continue_on_error, error_variable }: Step): boolean =>
  continue_on_error === true || error_variable !== undefined;

const isCall = (step: Step): boolean =>
  step.type === 'fetch' ||
  (step.type === 'ask' && step.of !== 'person') ||
  (step.type === 'command' &&
    step.command !== 'manage_transaction' &&
    step.command !== 'wait_for_bulk_operation');

/** Runs the steps before the first call: they depend only on the file and the arguments. */
function beginning(bundle: MacroBundle, args: Variables | undefined, database?: string): Mistake[] {
  const top = bundle.macros[bundle.root];
  const variables = args ?? {};
  const complete = top?.parameters?.every((name) => Object.hasOwn(variables, name)) ?? top !== undefined;
  if (!complete) return [];
  const machine = beginMachine(bundle, variables, { at_once: 1, calls: 1 }, database);
  let tasks = 0;
  for (let action = 'stepped'; action === 'stepped' || (action === 'yield' && ++tasks < FORESEEN_TASKS);)
    action = advance(machine, bundle, MAIN, 0).kind;
  const { error } = machine.outcome ?? {};
  const refusal = error && sizeRefusal(error);
  return refusal ? [mistakeOf(refusal.body, refusal.macro, refusal.path)] : [];
}

const mistakeOf = ({ message, hint }: ErrorBody, macro: string, path: string): Mistake => ({
  macro,
  path,
  message: withoutPrefix(message),
  hint: withoutPrefix(hint),
});

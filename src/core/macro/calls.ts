import type { Macro, MacroBundle, MacroStep, Step } from '../../contract/macro';
import { START_TOOL } from '../bulk/operation';
import { groupedBy } from '../shared/grouped';
import type { Mistake } from './parse';

/** The maximum number of nested calls of macros. */
const MAX_CALL_LEVELS = 32;

/** Macros that would call themselves forever, each cycle once, and the first chain of calls that is too long. */
export function callMistakes(macros: ReadonlyMap<string, Macro>): Mistake[] {
  /** The maximum number of macros that a call of this one makes active at once, including itself. */
  const levels = new Map<string, number>();
  const mistakes: Mistake[] = [];
  const visit = (name: string, trail: string[]): number => {
    const from = trail.indexOf(name);
    if (from >= 0) {
      const circle = [...trail.slice(from), name].join(' → ');
      mistakes.push({
        macro: name,
        path: '',
        message: `it calls itself: ${circle}`,
        hint: 'Use a loop, or remove one of these calls.',
      });
      return 0;
    }
    const level = levels.get(name);
    if (level !== undefined) return level;
    // Stop here: the chain is already too long, and the stack is limited.
    const callees = trail.length > MAX_CALL_LEVELS ? [] : calledBy(macros.get(name)?.steps ?? []);
    const below = Math.max(0, ...[...new Set(callees)].map((callee) => visit(callee, [...trail, name])));
    levels.set(name, below + 1);
    return below + 1;
  };
  for (const name of macros.keys()) {
    if (visit(name, []) <= MAX_CALL_LEVELS) continue;
    const message = `it calls macros within macros on more than ${MAX_CALL_LEVELS} levels`;
    return [...mistakes, { macro: name, path: '', message, hint: 'Use a loop, or combine some of them.' }];
  }
  return mistakes;
}

/**
 * Calls of subroutines that must not manage their caller's transaction: if the call catches failures, only the
 * subroutine's work is rolled back, which a commit would make impossible. With `is_async` they manage a transaction of
 * their own.
 */
export function subroutineMistakes(macros: ReadonlyMap<string, Macro>): Mistake[] {
  const manages = managing(macros);
  return [...macros.values()].flatMap(({ name, steps }) =>
    stepsIn(steps).flatMap(({ step, path }) => {
      if (step.type !== 'macro' || step.is_async || !manages.has(step.macro_name)) return [];
      if (!step.continue_on_error && step.error_variable === undefined) return [];
      const message = `the macro ${step.macro_name} manages the transaction of its caller, and a commit there could not be taken back when its failure is caught here`;
      const hint = `Give ${step.macro_name} its own "database", or remove its manage_transaction.`;
      return [{ macro: name, path, message, hint }];
    }),
  );
}

/** The macros without a database whose steps, or those of their subroutines, manage a transaction. */
function managing(macros: ReadonlyMap<string, Macro>): ReadonlySet<string> {
  const names = new Set<string>();
  const subroutines = [...macros.values()].filter(({ database }) => database === undefined);
  const does = ({ step }: Placed) =>
    (step.type === 'command' && step.command === 'manage_transaction') ||
    (step.type === 'macro' && !step.is_async && names.has(step.macro_name));
  for (let before = -1; before < names.size;) {
    before = names.size;
    for (const { name, steps } of subroutines) if (stepsIn(steps).some(does)) names.add(name);
  }
  return names;
}

/**
 * The macros whose steps always run within a transaction: those with a database, and the subroutines that only such
 * macros call. After a rollback there is none until another one is begun. `database`: the one that the run was given.
 */
export function alwaysTransacted({ root, macros }: MacroBundle, database?: string): ReadonlySet<string> {
  const calls: { caller: string; called: string; is_async: boolean }[] = [];
  const rollsBack: string[] = [];
  for (const [caller, { steps }] of Object.entries(macros))
    for (const { step } of stepsIn(steps)) {
      if (step.type === 'macro')
        calls.push({ caller, called: step.macro_name, is_async: step.is_async ?? false });
      if (mayRollBack(step)) rollsBack.push(caller);
    }
  const callers = groupedBy(calls, ({ called }) => called);
  const callees = groupedBy(calls, ({ caller }) => caller);
  const owns = (name: string) => macros[name]?.database ?? (name === root ? database : undefined);
  // A subroutine's rollback ends its caller's transaction.
  const never = spread(rollsBack, (name) =>
    (callers.get(name) ?? []).flatMap(({ caller, is_async }) => (is_async ? [] : [caller])),
  );
  for (const name of Object.keys(macros)) {
    const isOutside = (callers.get(name) ?? []).some(({ is_async }) => is_async);
    if (owns(name) === undefined && (name === root || isOutside)) never.add(name);
  }
  const outside = spread([...never], (name) =>
    (callees.get(name) ?? []).flatMap(({ called }) => (owns(called) === undefined ? [called] : [])),
  );
  return new Set(Object.keys(macros).filter((name) => !outside.has(name)));
}

const mayRollBack = (step: Step): boolean =>
  step.type === 'command' &&
  step.command === 'manage_transaction' &&
  step.args?.['action'] !== 'commit' &&
  step.args?.['action'] !== 'begin';

/**
 * Whether a branch may wait for its caller's transaction: it uses the same database, or waits for a person or an
 * operation, which may take days.
 */
export function mayWaitFor({ macros }: MacroBundle, step: Step, database: string): boolean {
  const visited = new Set<string>();
  const waits = (current: Step, here: string | undefined): boolean => {
    if (current.type === 'ask') return current.of === 'person';
    if (current.type === 'fetch') return current.source === database || current.source.includes('{{');
    if (current.type === 'command')
      return current.command === 'manage_transaction' ? here === database : WAITING.has(current.command);
    if (current.type !== 'macro') return false;
    const callee = macros[current.macro_name];
    const inside = callee?.database ?? here;
    const key = `${current.macro_name}\n${inside ?? ''}`;
    if (callee === undefined || visited.has(key)) return false;
    visited.add(key);
    return callee.database === database || stepsIn(callee.steps).some((inner) => waits(inner.step, inside));
  };
  return waits(step, database);
}

/** Commands that may wait: a plan may read the database, and an operation waits for its person. */
const WAITING: ReadonlySet<string> = new Set([START_TOOL, 'wait_for_bulk_operation']);

/**
 * The variables of subroutines that are set too late: a parallel macro that may wait for the transaction ends after the
 * subroutine. `transacted`: the macros that always run within a transaction.
 */
export function lateMistakes(
  { root, macros }: MacroBundle,
  transacted: ReadonlySet<string>,
  given?: string,
): Mistake[] {
  return Object.values(macros).flatMap((owner) => {
    const database = owner.database ?? (owner.name === root ? given : undefined);
    if (database === undefined || !transacted.has(owner.name)) return [];
    const isSubroutine = ({ macro_name }: MacroStep) =>
      [undefined, database].includes(macros[macro_name]?.database);
    const subroutinesOf = (name: string) =>
      callsIn(macros[name]?.steps ?? []).flatMap(({ step }) =>
        !step.is_async && isSubroutine(step) ? [step.macro_name] : [],
      );
    return [...spread(subroutinesOf(owner.name), subroutinesOf)].flatMap((name) =>
      callsIn(macros[name]?.steps ?? []).flatMap(({ step, path }) =>
        step.is_async && mayWaitFor({ root, macros }, step, database)
          ? lateVariables(step, { name, path, owner: owner.name })
          : [],
      ),
    );
  });
}

function lateVariables(
  step: MacroStep,
  { name, path, owner }: { name: string; path: string; owner: string },
): Mistake[] {
  return (['output_variable', 'error_variable'] as const).flatMap((field) => {
    const variable = step[field];
    if (variable === undefined) return [];
    const message = `'${variable}' would be set after the end of ${name}: ${step.macro_name} may wait for the transaction of ${owner}`;
    const hint = `Call ${step.macro_name} in ${owner} itself, or leave out "${field}".`;
    return [{ macro: name, path: `${path}.${field}`, message, hint }];
  });
}

/** These names, and all that can be reached from them. */
function spread(from: readonly string[], next: (name: string) => readonly string[]): Set<string> {
  const names = new Set(from);
  for (const name of names) for (const other of next(name)) names.add(other);
  return names;
}

export interface Placed<S extends Step = Step> {
  step: S;
  path: string;
}

/** These steps and all steps within them, each with its place in the file. */
export function stepsIn(steps: readonly Step[], path = 'steps'): Placed[] {
  return steps.flatMap((step, at) => {
    const here = `${path}[${at}]`;
    const inner =
      step.type === 'loop'
        ? stepsIn(step.steps, `${here}.steps`)
        : step.type === 'if'
          ? [...stepsIn(step.then, `${here}.then`), ...stepsIn(step.else ?? [], `${here}.else`)]
          : [];
    return [{ step, path: here }, ...inner];
  });
}

const callsIn = (steps: readonly Step[]): Placed<MacroStep>[] =>
  stepsIn(steps).flatMap(({ step, path }) => (step.type === 'macro' ? [{ step, path }] : []));

/** The macros that these steps call. */
export const calledBy = (steps: readonly Step[]): string[] =>
  callsIn(steps).map(({ step }) => step.macro_name);

/** Whether any step of the bundle is one of these. */
export const hasStep = ({ macros }: MacroBundle, matches: (step: Step) => boolean): boolean =>
  Object.values(macros).some(({ steps }) => stepsIn(steps).some(({ step }) => matches(step)));

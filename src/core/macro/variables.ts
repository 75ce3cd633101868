import type { Macro, Step, Json } from '../../contract/macro';
import { checkCondition, checkExpression } from './condition';
import { outputOf } from './machine-state';
import type { Mistake } from './parse';
import { foreignBraces, namesIn, stringsIn } from './template';

type Report = (path: string, message: string, hint: string) => void;

interface Scope {
  /** Variables that an earlier step may have set. */
  known: Set<string>;
  /** Variables that any step of the macro sets, at any time. */
  ever: ReadonlySet<string>;
  /** Variables that only parallel branches set. */
  later: Set<string>;
  /** Whether a step runs in parallel with the steps after it; `is_async` alone does not decide this. */
  isParallel: (step: Step) => boolean;
  report: Report;
}

/**
 * The mistakes of one macro in its templates, conditions and variables. `transacted`: it always runs within a
 * transaction, where only macros run in parallel (specification M9).
 */
export function checkVariables(macro: Macro, transacted: boolean): Mistake[] {
  const mistakes: Mistake[] = [];
  const report: Report = (path, message, hint) => mistakes.push({ macro: macro.name, path, message, hint });
  const known = new Set(macro.parameters);
  const isParallel = ({ is_async, type }: Step) => is_async === true && (!transacted || type === 'macro');
  const ever = new Set(setBy(macro.steps));
  walk(macro.steps, 'steps', { known, ever, later: new Set(), isParallel, report });
  return mistakes;
}

/** Every variable that these steps and the steps within them may set. */
function setBy(steps: readonly Step[]): string[] {
  return steps.flatMap((step) => {
    const own = outputOf(step)?.variable;
    return [
      ...(own === undefined ? [] : [own]),
      ...(step.error_variable === undefined ? [] : [step.error_variable]),
      ...innerLists(step).flatMap(({ steps: inner }) => setBy(inner)),
    ];
  });
}

/** Every list to which these steps and the steps within them append. */
function appendedBy(steps: readonly Step[]): string[] {
  return steps.flatMap((step) => {
    const output = outputOf(step);
    return [
      ...(output?.append ? [output.variable] : []),
      ...innerLists(step).flatMap(({ steps: inner }) => appendedBy(inner)),
    ];
  });
}

function innerLists(step: Step): { name: string; steps: Step[] }[] {
  if (step.type === 'loop') return [{ name: 'steps', steps: step.steps }];
  if (step.type !== 'if') return [];
  return [
    { name: 'then', steps: step.then },
    { name: 'else', steps: step.else ?? [] },
  ];
}

function walk(steps: readonly Step[], path: string, scope: Scope): void {
  for (const [at, step] of steps.entries()) {
    const here = `${path}[${at}]`;
    // A branch sees the variables from before it, and sets none for the steps after it.
    const inside = scope.isParallel(step) ? { ...scope, known: new Set(scope.known) } : scope;
    checkTexts(step, here, inside);
    for (const { name, steps: inner } of innerLists(step)) {
      if (step.type === 'loop') walkLoop(step.iterator, inner, `${here}.${name}`, inside);
      else walk(inner, `${here}.${name}`, inside);
    }
    const own = outputOf(step)?.variable;
    if (own !== undefined) inside.known.add(own);
    if (step.error_variable !== undefined) inside.known.add(step.error_variable);
    if (!scope.isParallel(step)) continue;
    for (const name of inside.known) if (!scope.known.has(name)) scope.later.add(name);
    // Until all branches are joined, the list does not contain the elements that they append.
    for (const name of appendedBy([step])) if (scope.known.delete(name)) scope.later.add(name);
  }
}

/** A later round sees the variables of an earlier one; the iterator does not exist after the last round. */
function walkLoop(iterator: string, steps: readonly Step[], path: string, scope: Scope): void {
  const had = scope.known.has(iterator);
  scope.known.add(iterator);
  for (const name of setBy(steps.filter((step) => !scope.isParallel(step)))) scope.known.add(name);
  walk(steps, path, scope);
  if (!had) scope.known.delete(iterator);
}

function checkTexts(step: Step, path: string, scope: Scope): void {
  for (const [field, value] of templatesOf(step)) {
    const place = `${path}.${field}`;
    for (const text of stringsIn(value)) {
      const foreign = foreignBraces(text);
      if (foreign !== undefined)
        scope.report(
          place,
          `'${foreign}' is not a placeholder`,
          'Write {{.name}}; templates support nothing else.',
        );
    }
    for (const name of namesIn(value)) checkName(name, place, scope);
  }
  if (step.type === 'loop' && typeof step.list === 'string' && !step.list.includes('{{'))
    checkName(step.list.trim().split('.')[0] ?? '', `${path}.list`, scope);
  if (step.type === 'set' && step.expression !== undefined) {
    const unfit = checkExpression(step.expression, scope.known);
    if (unfit) scope.report(`${path}.expression`, `\`${step.expression}\`: ${unfit.message}`, unfit.hint);
  }
  if (step.type !== 'if') return;
  const wrong = checkCondition(step.condition, scope.known);
  if (wrong) scope.report(`${path}.condition`, `\`${step.condition}\`: ${wrong.message}`, wrong.hint);
}

function checkName(name: string, path: string, { known, ever, later, report }: Scope): void {
  if (known.has(name)) return;
  if (later.has(name)) {
    report(
      path,
      `'${name}' is set by a step that runs in parallel with this one`,
      'Put the steps with "is_async" into a macro of their own: their values are available once that macro has ended.',
    );
  } else if (ever.has(name)) {
    report(path, `'${name}' is used before it is set`, 'Move the step that sets it before this one.');
  } else {
    report(path, `nothing sets '${name}'`, 'Declare it in "parameters", or set it in a step before.');
  }
}

/** The fields of a step that are templates. */
function templatesOf(step: Step): [field: string, value: Json][] {
  switch (step.type) {
    case 'ask':
      return [['prompt', step.prompt]];
    case 'set':
      return [
        ['value', step.value ?? null],
        ['append', step.append ?? null],
      ];
    case 'fail':
      return [['message', step.message]];
    case 'if':
      return [];
    case 'loop':
      return [['list', step.list]];
    case 'fetch':
      return [
        ['resource', step.resource],
        ['source', step.source],
        ['filter', (step.filter ?? []).map(({ value = null }) => value)],
        ['limit', step.limit ?? null],
      ];
    case 'command':
      return [['args', step.args ?? {}]];
    case 'macro':
      return [['macro_args', step.macro_args ?? {}]];
  }
}

import type {
  CommandStep,
  FetchStep,
  IfStep,
  Json,
  LoopStep,
  MacroBundle,
  MacroStep,
  SetStep,
  Step,
  Variables,
} from '../../contract/macro';
import type { AskInput, FetchInput, TransactionRef } from '../../contract/macro-activities';
import type { ValuePath } from '../../contract/tools';
import { BatchgateError, parseInput } from '../../contract/errors';
import { writtenRefs } from '../gateway/refs';
import { compute, holds } from './condition';
import { admit, keep, listIn } from './held-values';
import {
  catchOf,
  detachedFrom,
  macroFrame,
  outputOf,
  scopeOf,
  transactionOwner,
  type Machine,
  type Thread,
} from './machine-state';
import { asText, promptOf } from './prompt';
import { measure, type Meter } from './size';
import { lookUp, render, TemplateError } from './template';
import { manageTransaction, type ManageAction } from './transaction';
import { ENGINE_COMMANDS } from './engine-commands';
import { isLimit, NO_LIMIT } from './limits';

/** One call that the shell makes for a step, with all templates rendered. */
export type Call =
  | {
      do: 'tool';
      tool: string;
      args: Variables;
      references: ValuePath[];
      ordinal: number;
      transaction?: TransactionRef;
    }
  | { do: 'ask'; input: AskInput }
  | { do: 'question'; input: AskInput }
  | { do: 'fetch'; input: FetchInput; transaction?: TransactionRef }
  | { do: 'wait'; operation_id: string }
  | { do: 'end'; how: 'commit' | 'rollback'; transaction: TransactionRef };

/** The result of starting a step: a call, its own frames (`entered`), or its end. */
export type Started = Call | 'entered' | 'done';

/**
 * Starts a step of a thread; `number` is its place in the trace.
 * @throws TemplateError, ConditionError or BatchgateError, which fail the step.
 */
export function startStep(
  machine: Machine,
  bundle: MacroBundle,
  thread: Thread,
  step: Step,
  number: number,
): Started {
  const { variables } = scopeOf(thread);
  const output = outputOf(step);
  // A mistake is reported before the call, because the call's result would be lost.
  if (output?.append) listIn(thread, output.variable);
  switch (step.type) {
    case 'set':
      keep(machine, thread, outputOf(step), valueOf(machine, step, variables));
      return 'done';
    case 'fail':
      throw new BatchgateError(
        'MACRO_FAILED',
        ...failureTexts(asText(render(step.message, variables, machine))),
      );
    case 'if':
      return enterBranch(machine, thread, step, number);
    case 'loop':
      return enterLoop(machine, thread, step, number);
    case 'macro':
      return enterMacro(machine, bundle, thread, step, number);
    case 'ask':
      return {
        do: step.of === 'person' ? 'question' : 'ask',
        input: {
          ...(step.of === 'person'
            ? { prompt: asText(render(step.prompt, variables, machine)) }
            : promptOf(step.prompt, variables, machine)),
          ...(step.output_schema && { output_schema: step.output_schema }),
        },
      };
    case 'fetch':
      return fetch(machine, thread, step);
    case 'command':
      return command(machine, thread, step);
  }
}

function valueOf(meter: Meter, { value, append, expression }: SetStep, variables: Variables): Json {
  if (expression !== undefined) return compute(expression, variables, meter);
  return render(append ?? value ?? null, variables, meter);
}

/** The message of a `fail` step, which may contain its own hint. */
const failureTexts = (message: string): [message: string, hint: string] => [
  `[TOOL ERROR] ${message}`,
  '[HINT]: The macro fails here on purpose; see its message.',
];

/** The path of the step that is starting: the one before `at` in the last frame. */
function stepPath(thread: Thread): (string | number)[] {
  const frame = thread.frames.at(-1);
  return frame ? [...frame.path, frame.at - 1] : [];
}

function enterBranch(machine: Machine, thread: Thread, step: IfStep, number: number): Started {
  const branch = holds(step.condition, scopeOf(thread).variables, machine) ? 'then' : 'else';
  const steps = step[branch] ?? [];
  if (steps.length === 0) return 'done';
  const path = [...stepPath(thread), branch];
  thread.frames.push({ kind: 'branch', path, at: 0, until: steps.length, step: number, ...catchOf(step) });
  return 'entered';
}

function enterLoop(machine: Machine, thread: Thread, step: LoopStep, number: number): Started {
  const scope = scopeOf(thread);
  const list = listOf(step, scope.variables, machine);
  if (list.length === 0 || step.steps.length === 0) return 'done';
  admit(machine, [list]);
  const { iterator } = step;
  const isSet = Object.hasOwn(scope.variables, iterator);
  const before = isSet ? { before: { value: scope.variables[iterator] as Json } } : {};
  const path = [...stepPath(thread), 'steps'];
  const frame = { path, at: 0, until: step.steps.length, step: number, ...catchOf(step) };
  thread.frames.push({ kind: 'loop', ...frame, iterator, list, index: 0, ...before });
  scope.variables[iterator] = list[0] as Json;
  return 'entered';
}

function listOf({ list }: LoopStep, variables: Variables, meter: Meter): Json[] {
  const bare = typeof list === 'string' && !list.includes('{{');
  const elements = bare ? lookUp(list.trim(), variables, meter) : render(list, variables, meter);
  if (Array.isArray(elements)) return elements;
  const kind =
    elements === null ? 'null' : typeof elements === 'object' ? 'an object' : `a ${typeof elements}`;
  throw new TemplateError(
    `The loop's list is ${kind}.`,
    'Use [item1, item2] format, or a variable with a list.',
  );
}

function enterMacro(
  machine: Machine,
  bundle: MacroBundle,
  thread: Thread,
  step: MacroStep,
  number: number,
): Started {
  const macro = bundle.macros[step.macro_name];
  if (macro === undefined) throw new Error(`no macro ${step.macro_name}`);
  const args = render(step.macro_args ?? {}, scopeOf(thread).variables, machine) as Variables;
  admit(machine, Object.values(args));
  // On the database whose transaction is open it is a subroutine (specification M11).
  const inherits = macro.database === transactionOwner(thread)?.database;
  const around = macro.database === undefined ? detachedFrom(thread) : undefined;
  thread.frames.push(
    macroFrame(macro, args, {
      step: number,
      ...catchOf(step),
      output: outputOf(step),
      ...(!inherits && { database: macro.database }),
      ...(around !== undefined && { database: around, detached: true }),
    }),
  );
  return 'entered';
}

/** A read from the open transaction's database is made within the transaction. */
function fetch(machine: Machine, thread: Thread, step: FetchStep): Call {
  const input = fetchInput(step, scopeOf(thread).variables, machine);
  const transaction = transactionOwner(thread)?.transaction?.ref;
  return { do: 'fetch', input, ...(transaction?.database === input.source && { transaction }) };
}

function fetchInput(step: FetchStep, variables: Variables, meter: Meter): FetchInput {
  const { order, single } = step;
  const filter = step.filter?.map(({ value, ...rest }) => ({
    ...rest,
    ...(value !== undefined && { value: render(value, variables, meter) }),
  }));
  const limit = typeof step.limit === 'string' ? Number(render(step.limit, variables, meter)) : step.limit;
  if (limit !== undefined && !isLimit(limit)) throw new TemplateError(NO_LIMIT.message, NO_LIMIT.hint);
  return {
    source: asText(render(step.source, variables, meter)),
    resource: asText(render(step.resource, variables, meter)),
    ...(filter && { filter }),
    ...(order && { order }),
    ...(limit !== undefined && { limit }),
    ...(single !== undefined && { single }),
  };
}

function command(machine: Machine, thread: Thread, step: CommandStep): Started {
  const args = render(step.args ?? {}, scopeOf(thread).variables, machine) as Variables;
  // The arguments are searched for references.
  machine.cost += measure(step.args ?? {}).bytes;
  const engine = ENGINE_COMMANDS.find(({ name }) => name === step.command);
  const checked = engine && parseInput(engine.args, args, `The call of ${step.command}`);
  if (step.command === 'manage_transaction') {
    const { action } = checked as unknown as ManageArgs;
    const ending = manageTransaction(machine, thread, action);
    return ending ? { do: 'end', how: ending.end, transaction: ending.transaction } : 'done';
  }
  if (step.command === 'wait_for_bulk_operation')
    return { do: 'wait', operation_id: (checked as { operation_id: string }).operation_id };
  const transaction = transactionOwner(thread)?.transaction?.ref;
  return {
    do: 'tool',
    tool: step.command,
    args,
    references: writtenRefs(step.args ?? {}),
    ordinal: machine.calls,
    ...(transaction && { transaction }),
  };
}

interface ManageArgs {
  action: ManageAction;
}

import type { ErrorBody } from '../../contract/errors';
import type { Json, Macro, MacroBundle, SetStep, Step, Variables } from '../../contract/macro';
import type { MacroLimits, SavepointMove, TransactionRef } from '../../contract/macro-activities';
import type { TraceStep } from '../../contract/macro-run';

type StepPath = (string | number)[];

interface FrameBase {
  /** The list of steps in the macro's file that this frame executes. */
  path: StepPath;
  /** The index of the next step, and the index before which the frame ends. */
  at: number;
  until: number;
  /** The trace number of the step that made this frame; 0 for none. */
  step: number;
  /** Whether that step has `continue_on_error`. */
  caught: boolean;
  /** The variable for the error that is caught here. */
  error_variable?: string;
}

/** The variables of parallel branches until they are joined: each has the value of the step that began last. */
type Joined = Record<string, { thread: number; value: Json }>;

/** Elements that one branch appended to a list, until the branches are joined. */
interface Gathered {
  name: string;
  thread: number;
  elements: Json[];
}

interface ScopeBase extends FrameBase {
  macro: string;
  variables: Variables;
  /** The threads that were forked from here and are still running. */
  children: number[];
  joined: Joined;
  gathered?: Gathered[];
}

/** The variable that a step's result is set to, or whose list the result is appended to. */
export interface Output {
  variable: string;
  append?: true;
}

/** A called macro. It sees its arguments, and the variables that its own steps set. */
export interface MacroFrame extends ScopeBase {
  kind: 'macro';
  /** The variable of the caller that gets this macro's variables. */
  output?: Output;
  /** Its own database; without one it uses its caller's. */
  database?: string;
  /** Set if it runs in parallel on its caller's database: it has no transaction before `begin` (specification M10). */
  detached?: true;
  /** Its transaction or savepoint exists, if it has one. */
  entered?: boolean;
  /** `open`: a call was made within it; until then there is nothing to end. `begun`: by `manage_transaction`. */
  transaction?: { ref: TransactionRef; open: boolean; begun?: true };
  /** Within its caller's transaction: the savepoint that its failure rolls back to. */
  savepoint?: string;
}

/** A step that runs as a parallel branch, on a copy of the variables; `written` are those that it set. */
export interface SwarmBranchFrame extends ScopeBase {
  kind: 'swarm_branch';
  written: string[];
  /** The number of elements that it appended to each list of a variable that it did not set otherwise. */
  appended?: Record<string, number>;
  /** The rounds of the loops that it was forked in. */
  rounds: number[];
  /** Set if it ends after the macro that began it, which then takes no variables. */
  apart?: boolean;
  /** Its caller's transaction is committed after its end. */
  before_commit?: boolean;
  /** Its caller's database. */
  database?: string;
}

/** A branch of an `if`. */
interface BranchFrame extends FrameBase {
  kind: 'branch';
}

export interface LoopFrame extends FrameBase {
  kind: 'loop';
  iterator: string;
  list: Variables[string][];
  index: number;
  /** The previous value of the iterator; absent if it had none. */
  before?: { value: Variables[string] };
}

export type Frame = MacroFrame | SwarmBranchFrame | BranchFrame | LoopFrame;
export type ScopeFrame = MacroFrame | SwarmBranchFrame;

/** An error that unwinds the frames of a thread until one of them catches it. */
interface Unwinding {
  error: ErrorBody;
  /** Only this frame and those under it may catch it: a failed branch ends its whole group. -1: no frame may. */
  to?: number;
  cancelled: boolean;
}

/** A request of a thread to the shell that is not yet answered. */
interface Pending {
  kind: 'call' | 'manage' | 'commit' | 'rollback' | 'savepoint';
  /** Present for a `savepoint`. */
  move?: SavepointMove;
  /** For a `manage`: whether another transaction follows at once. */
  renews?: boolean;
  /** Trace number; 0 if it is no step of its own. */
  step: number;
  output?: Output;
  caught: boolean;
  error_variable?: string;
  /** The bulk operation that it waits for: this may take days, and continues in the next run. */
  waits_for?: string;
  /** The question to a person; this may take days too. */
  question?: Question;
}

export interface Question {
  prompt: string;
  output_schema?: Variables;
  /** Milliseconds. */
  asked_at: number;
  answer?: { value: Json };
}

export interface Thread {
  id: number;
  frames: Frame[];
  /** The thread and the frame that forked it. */
  parent?: { thread: number; frame: number };
  pending?: Pending;
  unwinding?: Unwinding;
}

interface Outcome {
  state: 'completed' | 'failed' | 'cancelled';
  variables: Variables;
  error?: ErrorBody;
}

/** The whole state of a run, as JSON: continue-as-new carries it over between any two steps. */
export interface Machine {
  threads: Record<string, Thread>;
  next_thread: number;
  next_transaction: number;
  /** Grows when a thread ends or is stopped, because other threads may be waiting for that. */
  changes: number;
  calls: number;
  /** The number of these calls since a transaction has been open without a break. */
  held_calls: number;
  tokens: { input: number; output: number };
  limits: MacroLimits;
  trace: TraceStep[];
  /** The macros whose transactions were committed, each with its database once. */
  committed?: { macro: string; database: string }[];
  steps_total: number;
  /** The work since the run last yielded to the server (src/core/macro/size.ts). */
  cost: number;
  /** The work of the tasks before this one, since this run of the chain began. */
  spent: number;
  /** Bytes that were added to variables and lists since all of them were last counted. */
  grown: number;
  outcome?: Outcome;
}

export const MAIN = 0;

export function beginMachine(
  { root, macros }: MacroBundle,
  args: Variables,
  limits: MacroLimits,
  database?: string,
): Machine {
  const macro = macros[root];
  if (macro === undefined) throw new Error(`no macro ${root}`);
  const frame = macroFrame(macro, args, { step: 0, caught: false, database: macro.database ?? database });
  const main: Thread = { id: MAIN, frames: [frame] };
  return {
    threads: { [MAIN]: main },
    next_thread: 1,
    next_transaction: 1,
    changes: 0,
    calls: 0,
    held_calls: 0,
    tokens: { input: 0, output: 0 },
    limits,
    trace: [],
    steps_total: 0,
    cost: 0,
    spent: 0,
    grown: 0,
  };
}

/** The destination of a step's result. */
export function outputOf(step: SetStep): Output;
export function outputOf(step: Step): Output | undefined;
export function outputOf(step: Step): Output | undefined {
  if (step.type === 'if' || step.type === 'loop' || step.type === 'fail') return undefined;
  const hasVariable = step.type === 'set' || step.type === 'fetch';
  const variable = hasVariable ? step.variable : step.output_variable;
  return variable === undefined
    ? undefined
    : { variable, ...(step.append !== undefined && { append: true as const }) };
}

/** The handling of a step's failure, for its frame and for the call that it waits for. */
export function catchOf({
  continue_on_error,
  error_variable,
}: Step): Pick<FrameBase, 'caught' | 'error_variable'> {
  const caught = continue_on_error === true || error_variable !== undefined;
  return { caught, ...(error_variable !== undefined && { error_variable }) };
}

export function macroFrame(
  macro: Macro,
  args: Variables,
  caller: Pick<MacroFrame, 'step' | 'caught' | 'error_variable' | 'output' | 'database' | 'detached'>,
): MacroFrame {
  const { step, caught, error_variable, output, database, detached } = caller;
  return {
    kind: 'macro',
    macro: macro.name,
    path: ['steps'],
    at: 0,
    until: macro.steps.length,
    step,
    caught,
    variables: { ...args },
    children: [],
    joined: {},
    ...(error_variable !== undefined && { error_variable }),
    ...(output !== undefined && { output }),
    ...(database !== undefined && { database }),
    ...(detached && { detached }),
  };
}

export const isScope = (frame: Frame): frame is ScopeFrame =>
  frame.kind === 'macro' || frame.kind === 'swarm_branch';

/** The frame whose variables the steps of a thread see. */
export function scopeOf(thread: Thread): ScopeFrame {
  const frame = thread.frames.findLast(isScope);
  if (frame === undefined) throw new Error('a thread outside of every macro');
  return frame;
}

/** The macro whose database the steps of this thread use, with or without a transaction. */
export function databaseOwner(thread: Thread): MacroFrame | undefined {
  return thread.frames.findLast(
    (frame): frame is MacroFrame => frame.kind === 'macro' && frame.database !== undefined,
  );
}

/** In a parallel branch: its caller's database, whose transaction it is not part of. */
export function detachedFrom(thread: Thread): string | undefined {
  const [branch] = thread.frames;
  return branch?.kind === 'swarm_branch' && !databaseOwner(thread) ? branch.database : undefined;
}

/** The macro whose transaction the steps of this thread are part of. */
export function transactionOwner(thread: Thread): MacroFrame | undefined {
  const owner = databaseOwner(thread);
  return owner?.transaction && owner;
}

/** Sets a variable in the scope that the steps of this thread see. */
export function assign(thread: Thread, name: string, value: Variables[string]): void {
  const scope = scopeOf(thread);
  scope.variables[name] = value;
  if (scope.kind !== 'swarm_branch' || scope.written.includes(name) || isRestored(thread, name)) return;
  if (scope.appended) delete scope.appended[name];
  scope.written.push(name);
}

/** Sets a variable to its list with more elements. If other branches append to it too, all elements are kept. */
export function assignAppended(thread: Thread, name: string, list: Variables[string], count: number): void {
  const scope = scopeOf(thread);
  scope.variables[name] = list;
  if (scope.kind !== 'swarm_branch' || scope.written.includes(name) || isRestored(thread, name)) return;
  const counts = (scope.appended ??= {});
  counts[name] = (Object.hasOwn(counts, name) ? (counts[name] ?? 0) : 0) + count;
}

/** A loop restores the variable's former value at its end. */
const isRestored = ({ frames }: Thread, name: string): boolean =>
  frames.some((frame) => frame.kind === 'loop' && frame.iterator === name);

/** The rounds of the loops around a thread's current step, the outermost first. */
export const roundsOf = ({ frames }: Thread): number[] =>
  frames.flatMap((frame) =>
    frame.kind === 'loop' ? [frame.index] : frame.kind === 'swarm_branch' ? frame.rounds : [],
  );

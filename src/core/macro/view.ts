import { isTooDeep, TOO_DEEP } from '../../contract/text';
import { BatchgateError, parseInput, type ErrorBody } from '../../contract/errors';
import { macroInputSchema, type Macro, type MacroInput, type Variables } from '../../contract/macro';
import type { ResolvedMacro } from '../../contract/macro-activities';
import type { MacroResult, MacroState, MacroTrace, MacroTurn } from '../../contract/macro-run';
import type { Settings } from '../../contract/settings';
import { iso } from '../bulk/view';
import { gatewayError } from './errors';
import type { Machine } from './machine-state';
import { mistakesError, parseMacro } from './parse';
import { openQuestions } from './questions';
import { MAX_VALUE_BYTES, measure } from './size';

/** A macro run with its machine: JSON, carried by continue-as-new. */
export interface MacroRun {
  run_id: string;
  macro: string;
  session_id?: string;
  /** Set if an agent started it. */
  by_agent?: true;
  state: MacroState;
  error?: ErrorBody;
  created_at: number;
  updated_at: number;
  /** The latest bulk operations that the macro started as parts of itself and whose end it has not seen. */
  operations?: string[];
  /** The latest task runs that it started in its own session. */
  task_runs?: string[];
  /** Set after admission and validation. */
  begun?: { resolved: ResolvedMacro; settings: Settings; machine: Machine };
}

/**
 * Parses the input of the workflow.
 * @throws BatchgateError `INVALID_INPUT` with every mistake of an inline macro.
 */
export function parseMacroRunInput(value: unknown): MacroInput & { args: Variables } {
  const { macro, macros, ...others } = (value ?? {}) as Partial<Record<string, unknown>>;
  const inlineMacros = typeof macros === 'object' && macros !== null ? Object.entries(macros) : [];
  for (const [name, inline] of [['macro', macro], ...inlineMacros] as [string, unknown][]) {
    if (typeof inline !== 'object' || inline === null) continue;
    const parsed = parseMacro(inline, name);
    if ('mistakes' in parsed) throw mistakesError(parsed.mistakes);
  }
  if (isTooDeep(others))
    throw new BatchgateError(
      'INVALID_INPUT',
      `The macro run is not valid: one of its args ${TOO_DEEP}.`,
      'Pass less nested arguments; nothing was run.',
    );
  const input = parseInput(macroInputSchema, value, 'The macro run');
  return { ...input, args: input.args ?? {} };
}

export const nameOf = (macro: string | Macro): string => (typeof macro === 'string' ? macro : macro.name);

const tooMuch = (what: string): ErrorBody =>
  gatewayError(
    `${what} are more than ${MAX_VALUE_BYTES} bytes, the maximum.`,
    'Fetch fewer rows or columns, or keep large data in a database or the scratchpad.',
  );

export function resultOf(run: MacroRun): MacroResult {
  const { run_id, state, error } = run;
  const variables = run.begun?.machine.outcome?.variables ?? {};
  if (measure(variables).bytes > MAX_VALUE_BYTES)
    return { run_id, state: 'failed', variables: {}, error: error ?? tooMuch('The variables') };
  return { run_id, state, variables, error };
}

export function turnOf(run: MacroRun): MacroTurn {
  const { run_id, macro, session_id, error, begun, operations = [] } = run;
  const questions = begun && !isEnded(run) ? openQuestions(begun.machine) : [];
  return {
    run_id,
    macro,
    session_id,
    state: shownState(run),
    error,
    ...(questions.length > 0 && { questions }),
    ...(operations.length > 0 && { operations }),
    steps_total: begun?.machine.steps_total ?? 0,
    calls: begun?.machine.calls ?? 0,
    calls_limit: begun?.machine.limits.calls ?? 0,
    tokens: begun?.machine.tokens ?? { input: 0, output: 0 },
    created_at: iso(run.created_at),
    updated_at: iso(run.updated_at),
  };
}

export function traceOf(run: MacroRun): MacroTrace {
  const steps = run.begun?.machine.trace ?? [];
  const turn = turnOf(run);
  return { ...turn, steps, ...(steps.length < turn.steps_total && { steps_truncated: true }) };
}

/** More than the jobs that can be live, and few enough for the state that continue-as-new carries. */
const KEPT_OPERATIONS = 100;

/** Records the start or end of a bulk operation that is part of the run. */
export function noteOperation(run: MacroRun, what: 'started' | 'ended', operationId: string): void {
  const others = (run.operations ?? []).filter((id) => id !== operationId);
  run.operations = what === 'ended' ? others : [...others, operationId].slice(-KEPT_OPERATIONS);
}

/** Records the start of a task run in the run's own session. */
export function noteTaskRun(run: MacroRun, taskRunId: string): void {
  const others = (run.task_runs ?? []).filter((id) => id !== taskRunId);
  run.task_runs = [...others, taskRunId].slice(-KEPT_OPERATIONS);
}

/** Whether the run started this job as a part of itself. */
export const hasStarted = ({ operations = [], task_runs = [] }: MacroRun, jobId: unknown): boolean =>
  [...operations, ...task_runs].some((id) => id === jobId);

/** The state to show: a run with an open question waits for its answer. */
export function shownState({ state, begun }: MacroRun): MacroState {
  const asks = state === 'running' && begun !== undefined && openQuestions(begun.machine).length > 0;
  return asks ? 'awaiting_answer' : state;
}

const DETAILED = 15;

/** The run's page in the Temporal UI, as Markdown. */
export function detailsOf(run: MacroRun): string {
  const { run_id, macro, state, steps_total, calls, error, questions = [] } = turnOf(run);
  const cell = (text: string) => text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').replaceAll('`', "'");
  const rows = (run.begun?.machine.trace ?? []).slice(-DETAILED).map((step) => {
    const took = step.duration_ms === undefined ? '' : `${step.duration_ms} ms`;
    return `| ${[step.number, `\`${step.macro} ${step.path}\``, `${step.type} ${cell(step.what)}`, step.state, took].join(' | ')} |`;
  });
  return [
    `**Macro ${macro}: ${state}**, ${steps_total} steps, ${calls} calls.`,
    ...questions.flatMap(({ number, prompt }) => [
      '',
      `**Question ${number}:** ${cell(prompt)} Answer by \`npx batchgate macro answer ${run_id} "…"\`, or here by the update \`answer\`.`,
    ]),
    ...(error ? ['', `${cell(error.message)} ${cell(error.hint)}`] : []),
    ...(rows.length > 0 ? ['', '| | step | | | took |', '|---|---|---|---|---|', ...rows] : []),
  ].join('\n');
}

/** The error of a request to a run that has ended. */
export function closedRun({ run_id, state }: Pick<MacroRun, 'run_id' | 'state'>): ErrorBody {
  return {
    code: 'OPERATION_CLOSED',
    message: `The macro run ${run_id} is ${state}; it accepts no more requests.`,
    hint: 'See its trace, and start another run for the rest.',
  };
}

export const isEnded = ({ state }: Pick<MacroRun, 'state'>): boolean =>
  state === 'completed' || state === 'failed' || state === 'cancelled' || state === 'rejected';

import { parseInput, type ErrorBody } from '../../contract/errors';
import {
  macroInputSchema,
  type Json,
  type Macro,
  type MacroInput,
  type Variables,
} from '../../contract/macro';
import type { ResolvedMacro } from '../../contract/macro-activities';
import type { MacroResult, MacroState, MacroTrace, MacroTurn } from '../../contract/macro-run';
import type { Settings } from '../../contract/settings';
import { iso } from '../view';
import { gatewayError } from './errors';
import type { Machine } from './machine-state';
import { mistakesError } from './mistakes';
import { parseMacro } from './parse';
import { openQuestions } from './questions';
import { exceeds } from './size';

/** A macro run beside its machine: JSON, handed over by continue-as-new. */
export interface MacroRun {
  run_id: string;
  macro: string;
  session_id?: string;
  state: MacroState;
  error?: ErrorBody;
  created_at: number;
  updated_at: number;
  /** The bulk operations that it started as parts of itself, and of which it has not seen the end; the latest. */
  operations?: string[];
  /** From admission and validation on. */
  begun?: { resolved: ResolvedMacro; settings: Settings; machine: Machine };
}

/**
 * Reads the input of the workflow.
 * @throws BatchgateError `INVALID_INPUT` with every mistake of an inline macro.
 */
export function parseMacroRunInput(value: unknown): MacroInput & { args: Variables } {
  const inline = (value as { macro?: unknown } | null)?.macro;
  if (typeof inline === 'object' && inline !== null) {
    const parsed = parseMacro(inline, 'macro');
    if ('mistakes' in parsed) throw mistakesError(parsed.mistakes);
  }
  const input = parseInput(macroInputSchema, value, 'The macro run');
  return { ...input, args: input.args ?? {} };
}

export const nameOf = (macro: string | Macro): string => (typeof macro === 'string' ? macro : macro.name);

/** A payload of Temporal's takes 2 MB; this leaves room for the rest of it. */
const MAX_STATE_BYTES = 1_700_000;

/** Why a value cannot travel in one payload; undefined where it can. */
export function tooLarge(value: unknown, what: string): ErrorBody | undefined {
  if (!exceeds(value as Json, MAX_STATE_BYTES)) return undefined;
  return gatewayError(
    `${what} are more than ${MAX_STATE_BYTES} bytes, which is all that can be kept.`,
    'Fetch fewer rows or columns, or keep large data in a database or the scratchpad.',
  );
}

export function resultOf(run: MacroRun): MacroResult {
  const { run_id, state, error } = run;
  const variables = run.begun?.machine.outcome?.variables ?? {};
  const excess = tooLarge(variables, 'The variables');
  if (excess) return { run_id, state: 'failed', variables: {}, error: error ?? excess };
  return { run_id, state, variables, ...(error && { error }) };
}

export function turnOf(run: MacroRun): MacroTurn {
  const { run_id, macro, session_id, error, begun, operations = [] } = run;
  const questions = begun && !isEnded(run) ? openQuestions(begun.machine) : [];
  return {
    run_id,
    macro,
    ...(session_id !== undefined && { session_id }),
    state: shownState(run),
    ...(error && { error }),
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

/** More than can be live at a time, and few enough to be carried along. */
const KEPT_OPERATIONS = 100;

/** Takes note of a bulk operation that is a part of the run. */
export function noteOperation(run: MacroRun, what: 'started' | 'ended', operationId: string): void {
  const others = (run.operations ?? []).filter((id) => id !== operationId);
  run.operations = what === 'ended' ? others : [...others, operationId].slice(-KEPT_OPERATIONS);
}

/** A run that goes on but for the answer of a person waits for that. */
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

/** Why a run that has ended takes nothing more. */
export function closedRun({ run_id, state }: Pick<MacroRun, 'run_id' | 'state'>): ErrorBody {
  return {
    code: 'OPERATION_CLOSED',
    message: `The macro run ${run_id} is ${state}; it takes nothing more.`,
    hint: 'Look at its trace; start another run for the rest.',
  };
}

export const isEnded = ({ state }: Pick<MacroRun, 'state'>): boolean =>
  state === 'completed' || state === 'failed' || state === 'cancelled' || state === 'rejected';

import { z } from 'zod';
import {
  answerMacro,
  cancelJob,
  getMacroTrace,
  getMacroTurn,
  listMacroRuns,
  pauseMacro,
  resumeMacro,
  startMacro,
} from '../client';
import { BatchgateError } from '../contract/errors';
import { macroInputSchema, type MacroInput } from '../contract/macro';
import {
  answerRequestSchema,
  macroStateSchema,
  macroTraceSchema,
  type AnswerRequest,
} from '../contract/macro-run';
import { macroRowSchema } from '../contract/rows';
import { MAY } from '../core/access/permissions';
import { command, described, type AnyCommand } from './command';
import { BY, limit, offset, run_id, session_id } from './fields';

/** Schemas describe JSON as any value, because a document cannot contain a schema that refers to itself. */
const anyJson = z.unknown();
const questionSchema = macroTraceSchema.shape.questions
  .unwrap()
  .element.extend({ output_schema: z.record(z.string(), anyJson).optional() });
export const macroSchema = macroTraceSchema.extend({ questions: z.array(questionSchema).optional() });
export const macroTurnSchema = macroSchema.omit({ steps: true, steps_truncated: true });

/** Steps contain steps; macro.schema.json describes them, and starting a macro checks them. */
const macroFile = z.looseObject({ name: z.string() });
const startSchema = described(
  macroInputSchema.extend({
    macro: z.union([z.string(), macroFile]),
    macros: z.record(z.string(), macroFile).optional(),
    args: z.record(z.string(), anyJson).optional(),
  }),
  {
    macro: 'The name of a macro in macros_dir, or the macro itself (macro.schema.json)',
    macros: 'The macros that it calls, by name; others are looked up in macros_dir',
    args: 'The values of its parameters',
    session_id: 'The conversation that it belongs to. It has one live job at a time',
    profile: 'The profile whose limits apply; default: default',
    database: 'The database of a macro that names none itself',
    by_agent: 'An agent starts it, for whom a backend speaks; for any other agent this is set',
  },
);

const steers = {
  group: 'macros',
  output: macroTurnSchema,
  may: MAY.operate,
  effect: 'records',
  idempotent: true,
} as const;
const runInput = z.strictObject({ run_id });

export const startMacroCommand = command({
  ...steers,
  name: 'startMacro',
  title: 'Start a macro',
  does: 'Starts a macro, and answers once its first step may begin. An agent starts only macros of the operator, by name.',
  input: startSchema,
  // The steps of a macro call tools, which take any session.
  may: { ...MAY.start, beyond_sessions: true },
  effect: 'changes',
  idempotent: false,
  starts: 'macro',
  http: { route: 'POST /v1/macros', creates: true },
  check: (input, { is_agent }) => void (is_agent && refuseOwnSteps(input)),
  run(client, request, caller) {
    const { id, session_id: session, parent } = caller.place('macro', request.session_id);
    const input = {
      ...{ ...(request as MacroInput), session_id: session },
      ...(caller.is_agent && { by_agent: true as const }),
    };
    return startMacro(client, input, { run_id: id, task_queue: caller.task_queue, parent });
  },
});

export const listMacroRunsCommand = command({
  ...steers,
  name: 'listMacroRuns',
  title: 'List macro runs',
  does: 'Lists macro runs, live ones first, each group newest first. The list lags by moments.',
  input: z.strictObject({
    state: macroStateSchema.optional().describe('Only those in this state'),
    ...{ session_id, offset, limit },
  }),
  output: z.object({ items: z.array(macroRowSchema) }),
  may: MAY.look,
  effect: 'reads',
  http: { route: 'GET /v1/macros', takes: ['state', 'session_id'], paged: true },
  run: async (client, filter, { task_queue, session_prefix }) => ({
    items: await listMacroRuns(client, { ...filter, task_queue, session_prefix }),
  }),
});

export const getMacroCommand = command({
  ...steers,
  name: 'getMacroTrace',
  title: 'Status of a macro run',
  does: 'Shows a macro run: its state, its open questions and its latest steps.',
  input: runInput,
  output: macroSchema,
  may: MAY.look,
  effect: 'reads',
  http: { route: 'GET /v1/macros/{run_id}' },
  run: (client, input) => getMacroTrace(client, input.run_id),
});

export const pauseMacroCommand = command({
  ...steers,
  name: 'pauseMacro',
  title: 'Pause a macro run',
  does: 'Begins no more steps of a macro run. Running steps finish.',
  input: runInput,
  http: { route: 'POST /v1/macros/{run_id}/pause' },
  run: (client, input) => pauseMacro(client, input.run_id),
});

export const resumeMacroCommand = command({
  ...steers,
  name: 'resumeMacro',
  title: 'Resume a macro run',
  does: 'Resumes a macro run that was paused.',
  input: runInput,
  http: { route: 'POST /v1/macros/{run_id}/resume' },
  run: (client, input) => resumeMacro(client, input.run_id),
});

export const cancelMacroCommand = command({
  ...steers,
  name: 'cancelMacro',
  title: 'Cancel a macro run',
  does: 'Stops a macro run at once, with the operations that it started. Only an open transaction is undone.',
  input: runInput,
  may: MAY.decide,
  http: { route: 'POST /v1/macros/{run_id}/cancel' },
  async run(client, { run_id: id }) {
    // Refuses a job of another kind.
    await getMacroTrace(client, id);
    await cancelJob(client, id);
    return getMacroTurn(client, id);
  },
});

export const answerMacroCommand = command({
  ...steers,
  name: 'answerMacro',
  title: 'Answer a question of a macro',
  does: 'Answers a question that a macro asks a person.',
  input: z.strictObject({ run_id }).extend(
    described(answerRequestSchema.extend({ answer: anyJson }), {
      answer: 'The answer: JSON that fits the schema of the question, or a text if it has none',
      question: 'The number of the question, if several are open',
      by: BY,
    }).shape,
  ),
  may: MAY.decide,
  effect: 'changes',
  idempotent: false,
  keeps_answer: true,
  http: { route: 'POST /v1/macros/{run_id}/answer' },
  run: (client, { run_id: id, ...input }, caller) =>
    answerMacro(client, id, { ...(input as AnswerRequest), by: caller.nameOf(input.by) }),
});

export const MACROS: readonly AnyCommand[] = [
  startMacroCommand,
  listMacroRunsCommand,
  getMacroCommand,
  pauseMacroCommand,
  resumeMacroCommand,
  cancelMacroCommand,
  answerMacroCommand,
];

/** Tools change data without a confirmation, so an agent may run only macros in the operator's `macros_dir`. */
function refuseOwnSteps({ macro, macros, database, profile }: z.infer<typeof startSchema>): void {
  const isByName =
    typeof macro === 'string' && [macros, database, profile].every((value) => value === undefined);
  if (isByName) return;
  throw new BatchgateError(
    'FORBIDDEN',
    "An agent runs only the operator's macros, as they are.",
    'Give the name of a macro as `macro`, with `args` and `session_id` alone. A person can start any other macro.',
  );
}

import { z } from 'zod';
import { utf8Length } from './items';
import { idSchema, textSchema, upTo } from './text';

/** The maximum number of steps in one list. Split a larger file into several macros. */
const MAX_STEPS = 1_000;

// `__proto__` is not an ordinary member of an object: a value that is set under this name would be lost.
export const macroName = z
  .string()
  .regex(
    /^(?!__proto__$)[A-Za-z0-9_][A-Za-z0-9_.-]{0,149}$/,
    'letters, digits, underscore, dot and dash, at most 150',
  )
  .describe('The name of a macro');
const variableName = z
  .string()
  .regex(
    /^(?!__proto__$)[A-Za-z_][A-Za-z0-9_]{0,149}$/,
    'letters, digits and underscore, not beginning with a digit',
  )
  .describe('A variable: {{.name}} in templates, name in conditions');
const databaseName = idSchema(150).describe('A database of the configuration');
const text = textSchema(100_000);

const common = {
  is_async: z
    .boolean()
    .optional()
    .describe('Run this step in parallel with the following steps; all are joined before the macro ends'),
  continue_on_error: z.boolean().optional().describe('If this step fails, continue with the next one'),
  error_variable: variableName
    .optional()
    .describe(
      'If this step fails, continue with the next one and store the error in this variable; null if it succeeds',
    ),
};

const append = z.literal(true).optional().describe('Append the result to the list in the variable');

const FILTER_OPS = ['=', '!=', '<', '<=', '>', '>=', 'in', 'like', 'is_null', 'is_not_null'] as const;

export const filterSchema = z
  .array(
    z
      .strictObject({
        column: z.string().min(1),
        op: z.enum(FILTER_OPS),
        value: z.json().optional(),
      })
      .refine(({ op, value = null }) => value !== null || op === 'is_null' || op === 'is_not_null', {
        path: ['value'],
        message: 'is missing; empty columns are found by is_null',
      }),
  )
  .describe('Conditions that a row must all meet; values are bound, never pasted into SQL');

export const orderSchema = z.array(
  z.strictObject({ column: z.string().min(1), direction: z.enum(['asc', 'desc']).optional() }),
);

const askStep = z.strictObject({
  type: z.literal('ask'),
  prompt: text.min(1).describe('The question; a template'),
  of: z
    .enum(['model', 'person'])
    .optional()
    .describe('Who answers: the model (default), or a person, by `batchgate macro answer`'),
  output_variable: variableName.optional(),
  append,
  output_schema: z
    .record(z.string(), z.json())
    .optional()
    .describe('A JSON Schema: the answer must be JSON that matches it, and the variable holds the value'),
  ...common,
});
const setStep = z
  .strictObject({
    type: z.literal('set'),
    variable: variableName,
    value: z.json().optional().describe('Any JSON; strings in it are templates'),
    append: z
      .json()
      .optional()
      .describe('A value to append to the list in the variable; strings in it are templates'),
    expression: z
      .string()
      .min(1)
      .max(10_000)
      .optional()
      .describe('A CEL expression over the variables: n + 1, size(rows)'),
    ...common,
  })
  .refine(
    ({ value, append, expression }) =>
      [value, append, expression].filter((part) => part !== undefined).length === 1,
    { path: ['value'], message: 'exactly one of "value", "append" and "expression" is needed' },
  );
const failStep = z.strictObject({
  type: z.literal('fail'),
  message: text.min(1).describe('The reason of the failure; a template'),
  ...common,
});
const fetchStep = z.strictObject({
  type: z.literal('fetch'),
  source: z
    .string()
    .min(1)
    .describe('A database of the configuration, or a folder in resources_dir (. for resources_dir itself)'),
  resource: z.string().min(1).describe('The table, or the .json or .csv file'),
  variable: variableName,
  append,
  filter: filterSchema.optional(),
  order: orderSchema.optional(),
  limit: z.union([z.number().int().min(1), z.string()]).optional(),
  single: z
    .boolean()
    .optional()
    .describe('Return one row instead of a list; the step fails if there are none or several'),
  ...common,
});
const commandStep = z.strictObject({
  type: z.literal('command'),
  command: upTo(150).min(1).describe('A registered tool'),
  args: z.record(z.string(), z.json()).optional(),
  output_variable: variableName.optional(),
  append,
  ...common,
});
const macroStep = z.strictObject({
  type: z.literal('macro'),
  macro_name: macroName,
  macro_args: z
    .record(z.string(), z.json())
    .optional()
    .describe('The arguments of the nested macro; it sees nothing else'),
  output_variable: variableName
    .optional()
    .describe('Receives the variables of the nested macro, as one object'),
  append,
  ...common,
});

const stepsSchema: z.ZodType<Step[]> = z.lazy(() => z.array(stepSchema).max(MAX_STEPS));
const ifStep = z.strictObject({
  type: z.literal('if'),
  condition: upTo(10_000).min(1).describe('A CEL expression over the variables: total > 3'),
  then: stepsSchema,
  else: stepsSchema.optional(),
  ...common,
});
const loopStep = z.strictObject({
  type: z.literal('loop'),
  list: z
    .union([z.string().min(1), z.array(z.json())])
    .describe('A list, or a variable that holds one: {{.name}} or name'),
  iterator: variableName.describe('Holds the current element; its previous value is restored after the loop'),
  steps: stepsSchema,
  ...common,
});

export type AskStep = z.infer<typeof askStep>;
export type SetStep = z.infer<typeof setStep>;
type FailStep = z.infer<typeof failStep>;
export type FetchStep = z.infer<typeof fetchStep>;
export type CommandStep = z.infer<typeof commandStep>;
export type MacroStep = z.infer<typeof macroStep>;
interface Common {
  is_async?: boolean;
  continue_on_error?: boolean;
  error_variable?: string;
}
export interface IfStep extends Common {
  type: 'if';
  condition: string;
  then: Step[];
  else?: Step[];
}
export interface LoopStep extends Common {
  type: 'loop';
  list: string | Json[];
  iterator: string;
  steps: Step[];
}
export type Step = AskStep | SetStep | FailStep | IfStep | LoopStep | FetchStep | CommandStep | MacroStep;
export type Json = z.infer<ReturnType<typeof z.json>>;
export type Variables = Record<string, Json>;

export const STEP_TYPES = ['ask', 'set', 'fail', 'if', 'loop', 'fetch', 'command', 'macro'] as const;

const stepSchema: z.ZodType<Step> = z.discriminatedUnion('type', [
  askStep,
  setStep,
  failStep,
  ifStep,
  loopStep,
  fetchStep,
  commandStep,
  macroStep,
]);

/** A macro in its file (specification M1). */
export const macroSchema = z.strictObject({
  $schema: z.string().optional(),
  name: macroName,
  description: textSchema(2_000).optional(),
  parameters: z.array(variableName).max(100).optional(),
  database: databaseName
    .optional()
    .describe(
      'Run the macro in a transaction on this database: committed at the end, rolled back on failure',
    ),
  steps: stepsSchema,
});
export type Macro = z.infer<typeof macroSchema>;

/** The maximum size of a bundle, which is sent in one Temporal payload. A payload has at most 2 MB. */
export const MAX_BUNDLE_BYTES = 500_000;
const small = (what: string) =>
  [
    (value: unknown) => utf8Length(JSON.stringify(value)) <= MAX_BUNDLE_BYTES,
    `${what} is larger than ${MAX_BUNDLE_BYTES} bytes`,
  ] as const;

/** The input of a macro: the argument of the workflow `macro`. */
export const macroInputSchema = z.strictObject({
  macro: z.union([macroName, macroSchema.refine(...small('macro'))]),
  /** The nested macros by name. Others are looked up in `macros_dir` of the worker. */
  macros: z
    .record(macroName, macroSchema)
    .refine(...small('macros'))
    .optional(),
  args: z
    .record(z.string(), z.json())
    .refine(...small('args'))
    .optional(),
  session_id: idSchema(150).optional(),
  /** The profile whose limits apply; `default` by default. */
  profile: idSchema(150).optional(),
  /** The database for a macro that names none. */
  database: databaseName.optional(),
  /** Set if an agent started it. The operations that it starts are then an agent's too. Our doors set it. */
  by_agent: z.literal(true).optional(),
});
export type MacroInput = z.infer<typeof macroInputSchema>;

/** A macro with all macros that it calls, by name. */
export interface MacroBundle {
  root: string;
  macros: Record<string, Macro>;
}

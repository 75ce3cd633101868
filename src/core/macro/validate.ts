import { z } from 'zod';
import {
  MAX_BUNDLE_BYTES,
  type AskStep,
  type Macro,
  type MacroBundle,
  type Step,
  type Variables,
} from '../../contract/macro';
import type { ToolDefinition } from '../../contract/tools';
import { strictArgs } from '../gateway/arguments';
import { callMistakes, subroutineMistakes } from './calls';
import type { Mistake } from './mistakes';
import { refersIn } from './prompt';
import { measure } from './size';
import { isLiteral } from './template';
import { checkVariables } from './variables';

const SHOWN = 20;
/** A tool as far as validation looks at it. */
export type KnownTool = Pick<ToolDefinition, 'name' | 'args'>;

/** The commands that the engine carries out itself, beside the registered tools. */
export const ENGINE_COMMANDS: readonly Omit<ToolDefinition, 'handler'>[] = [
  {
    name: 'manage_transaction',
    description: 'Begins, commits or rolls back the transaction of the macro; a commit begins the next one.',
    args: z.strictObject({ action: z.enum(['begin', 'commit', 'rollback']) }),
    ...{ category: 'macro', callers: ['macro'], read_only: false, idempotent: false, transactional: false },
  },
  {
    name: 'wait_for_bulk_operation',
    description: 'Waits until a bulk operation has ended, and answers its last status.',
    args: z.strictObject({ operation_id: z.string().min(1).max(500) }),
    ...{ category: 'macro', callers: ['macro'], read_only: true, idempotent: true, transactional: false },
  },
];

/** What a bundle is held against; commands and databases are not looked at where they are not known. */
export interface Known {
  tools?: readonly KnownTool[];
  /** The names of those that the configuration has. */
  databases?: readonly string[];
  args?: Variables;
  /** The one that a run was given. */
  database?: string;
}

/** Every mistake that can be seen before anything runs, in all macros of a bundle. */
export function validateBundle(
  { root, macros }: MacroBundle,
  { tools, databases, args, database }: Known = {},
): Mistake[] {
  const known = tools && new Map([...tools, ...ENGINE_COMMANDS].map((tool) => [tool.name, tool]));
  const context: Context = { macros: new Map(Object.entries(macros)), tools: known };
  const top = context.macros.get(root);
  return [
    ...(top === undefined ? [noSuchMacro(root, '', root)] : args ? argumentMistakes(top, args) : []),
    ...(database === undefined ? [] : givenDatabaseMistakes(top, database, databases)),
    ...[...context.macros.values()].flatMap((macro) => [
      ...repeated(macro),
      ...databaseMistakes(macro.name, macro.database, databases),
      ...stepMistakes(macro, macro.steps, 'steps', context),
      ...checkVariables(macro),
    ]),
    ...callMistakes(context.macros),
    ...subroutineMistakes(context.macros),
    ...sizeMistakes(root, macros),
  ];
}

/** As the input of a run has them: the macro itself, and all that it calls. */
function sizeMistakes(root: string, { [root]: top, ...others }: MacroBundle['macros']): Mistake[] {
  const parts = [
    [top, 'macro', 'Put some of its steps into a macro of their own, or its data into a file and fetch it.'],
    [others, 'macros', 'Put data into files and fetch it, or leave out what is not called.'],
  ] as const;
  return parts.flatMap(([part, what, hint]) =>
    part !== undefined && measure(part).bytes > MAX_BUNDLE_BYTES
      ? [{ macro: root, path: '', message: `${what} is larger than ${MAX_BUNDLE_BYTES} bytes`, hint }]
      : [],
  );
}

function databaseMistakes(
  macro: string,
  name: string | undefined,
  known: readonly string[] | undefined,
): Mistake[] {
  if (name === undefined || known === undefined || known.includes(name)) return [];
  const hint =
    known.length > 0
      ? `Use one of: ${known.join(', ')}.`
      : 'Name it under "databases" in batchgate.config.json where the worker runs.';
  return [{ macro, path: 'database', message: `there is no database '${name}'`, hint }];
}

function givenDatabaseMistakes(
  top: Macro | undefined,
  given: string,
  known: readonly string[] | undefined,
): Mistake[] {
  if (top?.database === undefined || top.database === given)
    return databaseMistakes(top?.name ?? '', given, known);
  const message = `it has the database '${top.database}' already, and cannot be given '${given}'`;
  return [{ macro: top.name, path: 'database', message, hint: 'Run it without a database.' }];
}

interface Context {
  macros: ReadonlyMap<string, Macro>;
  tools?: ReadonlyMap<string, KnownTool>;
}

function repeated({ name, parameters = [] }: Macro): Mistake[] {
  return parameters
    .filter((parameter, at) => parameters.indexOf(parameter) !== at)
    .map((parameter) => ({
      macro: name,
      path: 'parameters',
      message: `'${parameter}' is declared twice`,
      hint: 'Remove one of them.',
    }));
}

function stepMistakes(macro: Macro, steps: readonly Step[], path: string, context: Context): Mistake[] {
  return steps.flatMap((step, at) => {
    const here = `${path}[${at}]`;
    if (step.type === 'if')
      return [
        ...stepMistakes(macro, step.then, `${here}.then`, context),
        ...stepMistakes(macro, step.else ?? [], `${here}.else`, context),
      ];
    if (step.type === 'loop') return stepMistakes(macro, step.steps, `${here}.steps`, context);
    if (step.type === 'ask') return askMistakes(macro.name, step, here);
    if (step.type === 'command') return commandMistakes(macro, step.command, step.args ?? {}, here, context);
    if (step.type !== 'macro') return [];
    const called = context.macros.get(step.macro_name);
    if (called === undefined) return [noSuchMacro(macro.name, `${here}.macro_name`, step.macro_name)];
    const wrong = argumentMistakes(called, step.macro_args ?? {});
    return wrong.map((mistake) => ({ ...mistake, macro: macro.name, path: `${here}.macro_args` }));
  });
}

function askMistakes(macro: string, { of, prompt, output_schema }: AskStep, path: string): Mistake[] {
  const wrong = schemaMistakes(macro, output_schema, `${path}.output_schema`);
  if (of !== 'person' || !refersIn(prompt)) return wrong;
  const message = 'a question to a person refers to the scratchpad, whose data is for tools and models';
  return [...wrong, { macro, path: `${path}.prompt`, message, hint: 'Name the key without ref: instead.' }];
}

function schemaMistakes(macro: string, schema: Variables | undefined, path: string): Mistake[] {
  if (schema === undefined) return [];
  try {
    z.fromJSONSchema(schema);
    return [];
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unknown error';
    const hint = 'Write one like {"type": "object", "properties": {"total": {"type": "number"}}}.';
    return [{ macro, path, message: `the JSON Schema cannot be used: ${why}`, hint }];
  }
}

function noSuchMacro(macro: string, path: string, name: string): Mistake {
  return {
    macro,
    path,
    message: `there is no macro '${name}'`,
    hint: `Put ${name}.json beside the file or into macros_dir.`,
  };
}

function argumentMistakes({ name, parameters = [] }: Macro, args: Variables): Mistake[] {
  const given = Object.keys(args);
  const declared = parameters.length > 0 ? `It takes ${parameters.join(', ')}.` : 'It takes none.';
  const mistake = (message: string): Mistake => ({
    macro: name,
    path: 'parameters',
    message,
    hint: declared,
  });
  return [
    ...parameters
      .filter((parameter) => !given.includes(parameter))
      .map((parameter) => mistake(`the macro ${name} needs the argument '${parameter}'`)),
    ...given
      .filter((argument) => !parameters.includes(argument))
      .map((argument) => mistake(`the macro ${name} has no parameter '${argument}'`)),
  ];
}

function commandMistakes(
  { name }: Macro,
  command: string,
  args: Variables,
  path: string,
  { tools }: Context,
): Mistake[] {
  if (tools === undefined) return [];
  const tool = tools.get(command);
  if (tool === undefined) {
    const hint = `Verify the tool name; \`batchgate tools\` lists them. There are ${[...tools.keys()].slice(0, SHOWN).join(', ')}.`;
    return [{ macro: name, path: `${path}.command`, message: `there is no tool '${command}'`, hint }];
  }
  return literalMistakes(tool, args).map(({ at, ...mistake }) => ({
    macro: name,
    path: `${path}.args${at}`,
    ...mistake,
  }));
}

/** What is wrong whatever the templates will bring: fields that are missing or unknown, and literals that do not fit. */
function literalMistakes(
  { name, args: schema }: KnownTool,
  args: Variables,
): { at: string; message: string; hint: string }[] {
  const shape = schema.shape as Record<string, z.ZodType>;
  const names = Object.keys(shape);
  const strict = (strictArgs(schema).def.catchall as z.ZodType | undefined)?.def.type === 'never';
  const takes = `${name} takes ${names.length > 0 ? names.join(', ') : 'no arguments'}.`;
  const absent = names
    .filter((field) => !Object.hasOwn(args, field) && !shape[field]?.safeParse(undefined).success)
    .map((field) => ({
      at: '',
      message: `'${field}' is missing`,
      hint: `This field is mandatory. ${takes}`,
    }));
  const wrong = Object.entries(args).flatMap(([field, value]) => {
    const expected = Object.hasOwn(shape, field) ? shape[field] : undefined;
    if (expected === undefined)
      return strict ? [{ at: `.${field}`, message: `${name} has no argument '${field}'`, hint: takes }] : [];
    if (!isLiteral(value) || holdsReference(value)) return [];
    const parsed = expected.safeParse(value);
    if (parsed.success) return [];
    return parsed.error.issues.map((issue) => ({
      at: [field, ...issue.path]
        .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
        .join(''),
      message: issue.message,
      hint: takes,
    }));
  });
  return [...absent, ...wrong];
}

/** The gateway replaces `ref:key` by what the scratchpad holds. */
const holdsReference = (value: unknown): boolean => /"ref:/.test(JSON.stringify(value));

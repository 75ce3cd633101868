import type { AskStep, Json, FetchStep, Macro, MacroBundle, Step, Variables } from '../../contract/macro';
import type { MacroLimits } from '../../contract/macro-activities';
import { BatchgateError } from '../../contract/errors';
import { innermost, isAbsent, scenarioOf } from '../../contract/mistakes';
import { strictArgs } from '../gateway/arguments';
import { clampArguments } from '../gateway/clamps';
import { hintOf } from '../gateway/errors';
import { alwaysTransacted, callMistakes, lateMistakes, subroutineMistakes } from './calls';
import { ENGINE_COMMANDS, type KnownTool } from './engine-commands';
import { argumentSizes, fileSizes, foreseenSizes } from './foreseen';
import { isLimit, NO_LIMIT } from './limits';
import type { Mistake } from './parse';
import { refersIn } from './prompt';
import { isLiteral, withoutPlaceholders } from './template';
import { withoutPrefix } from './errors';
import { checkVariables } from './variables';
import { z } from 'zod';

const SHOWN = 20;
/** The context that a bundle is validated against. Commands and databases are checked only if their lists are given. */
export interface Known {
  tools?: readonly KnownTool[];
  /** The names of the configured databases. */
  databases?: readonly string[];
  args?: Variables;
  /** The database that the run was given. */
  database?: string;
  limits?: MacroLimits;
}

/** Every mistake in all macros of a bundle that can be found before anything runs. */
export function validateBundle(
  { root, macros }: MacroBundle,
  { tools, databases, args, database, limits }: Known = {},
): Mistake[] {
  const toolsByName = tools && new Map([...tools, ...ENGINE_COMMANDS].map((tool) => [tool.name, tool]));
  const context: Context = { macros: new Map(Object.entries(macros)), tools: toolsByName };
  const top = context.macros.get(root);
  const transacted = alwaysTransacted({ root, macros }, database);
  const wrong = [
    ...(top === undefined ? [noSuchMacro(root, '', root)] : args ? argumentMistakes(top, args) : []),
    ...(database === undefined ? [] : givenDatabaseMistakes(top, database, databases)),
    ...[...context.macros.values()].flatMap((macro) => [
      ...repeated(macro),
      ...databaseMistakes(macro.name, macro.database, databases),
      ...stepMistakes(macro, macro.steps, 'steps', context),
      ...checkVariables(macro, transacted.has(macro.name)),
    ]),
    ...callMistakes(context.macros),
    ...subroutineMistakes(context.macros),
    ...lateMistakes({ root, macros }, transacted, database),
    ...fileSizes({ root, macros }),
    ...argumentSizes(root, args),
  ];
  return wrong.length > 0 ? wrong : foreseenSizes({ root, macros }, { args, limits, database });
}

function databaseMistakes(
  macro: string,
  name: string | undefined,
  configured: readonly string[] | undefined,
): Mistake[] {
  if (name === undefined || configured === undefined || configured.includes(name)) return [];
  const hint =
    configured.length > 0
      ? `Use one of: ${configured.join(', ')}.`
      : 'Name it under "databases" in batchgate.config.json where the worker runs.';
  return [{ macro, path: 'database', message: `there is no database '${name}'`, hint }];
}

function givenDatabaseMistakes(
  top: Macro | undefined,
  name: string,
  configured: readonly string[] | undefined,
): Mistake[] {
  if (top?.database === undefined || top.database === name)
    return databaseMistakes(top?.name ?? '', name, configured);
  const message = `it has the database '${top.database}' already, and cannot be given '${name}'`;
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
    if (step.type === 'fetch') return limitMistakes(macro.name, step, here);
    if (step.type === 'command') return commandMistakes(macro, step.command, step.args ?? {}, here, context);
    if (step.type !== 'macro') return [];
    const callee = context.macros.get(step.macro_name);
    if (callee === undefined) return [noSuchMacro(macro.name, `${here}.macro_name`, step.macro_name)];
    const wrong = argumentMistakes(callee, step.macro_args ?? {});
    return wrong.map((mistake) => ({ ...mistake, macro: macro.name, path: `${here}.macro_args` }));
  });
}

function askMistakes(macro: string, { of, prompt, output_schema }: AskStep, path: string): Mistake[] {
  const schemaMistakes = output_schema ? answerSchemaMistakes(output_schema, `${path}.output_schema`) : [];
  const wrong = schemaMistakes.map((mistake) => ({ macro, ...mistake }));
  if (of !== 'person' || !refersIn(prompt)) return wrong;
  const message = 'a question to a person refers to the scratchpad, whose data is for tools and models';
  return [...wrong, { macro, path: `${path}.prompt`, message, hint: 'Name the key without ref: instead.' }];
}

function limitMistakes(macro: string, { limit }: FetchStep, path: string): Mistake[] {
  if (typeof limit !== 'string' || !isLiteral(limit) || isLimit(Number(limit))) return [];
  return [{ macro, path: `${path}.limit`, ...NO_LIMIT }];
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
  const names = Object.keys(args);
  const declared = parameters.length > 0 ? `It takes ${parameters.join(', ')}.` : 'It takes none.';
  const mistake = (message: string): Mistake => ({
    macro: name,
    path: 'parameters',
    message,
    hint: declared,
  });
  return [
    ...parameters
      .filter((parameter) => !names.includes(parameter))
      .map((parameter) => mistake(`the macro ${name} needs the argument '${parameter}'`)),
    ...names
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
  return [...literalMistakes(tool, args), ...clampMistakes(tool, args)].map(({ at, ...mistake }) => ({
    macro: name,
    path: `${path}.args${at}`,
    ...mistake,
  }));
}

/** Ids and names that are too long even before the templates are filled in. */
function clampMistakes(tool: KnownTool, args: Variables): { at: string; message: string; hint: string }[] {
  try {
    clampArguments(tool, withoutPlaceholders(args), [], Infinity);
    return [];
  } catch (error) {
    if (!(error instanceof BatchgateError)) throw error;
    return [{ at: '', message: withoutPrefix(error.message), hint: withoutPrefix(error.hint) }];
  }
}

/** Mistakes that no template can change: missing or unknown fields, and invalid literals. */
function literalMistakes(tool: KnownTool, args: Variables): { at: string; message: string; hint: string }[] {
  const names = Object.keys(tool.args.shape);
  const takes = `${tool.name} takes ${names.length > 0 ? names.join(', ') : 'no arguments'}.`;
  const parsed = strictArgs(tool.args).safeParse(args);
  if (parsed.success) return [];
  const mistakes = parsed.error.issues.map(innermost).flatMap((issue) => {
    const path = issue.path.filter((part) => typeof part !== 'symbol');
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => ({
        order: 2,
        at: placeOf([...path, key]),
        message: `${tool.name} has no argument '${key}'`,
        hint: takes,
      }));
    if (isAbsent(args, path))
      return [
        {
          order: 0,
          at: placeOf(path.slice(0, -1)),
          message: `'${String(path.at(-1))}' is missing`,
          hint: `${hintOf('missing_parameter')} ${takes}`,
        },
      ];
    if (isFilledLater(args, path)) return [];
    const hint = `${hintOf(scenarioOf(issue, args))} ${takes}`;
    return [{ order: 1, at: placeOf(path), message: issue.message, hint }];
  });
  return mistakes.sort((a, b) => a.order - b.order).map(({ order: _, ...mistake }) => mistake);
}

const placeOf = (path: readonly (string | number)[]): string =>
  path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('');

/** Whether a template or the scratchpad provides the value at a path. */
function isFilledLater(args: Variables, path: readonly (string | number)[]): boolean {
  const value = path.reduce<unknown>(
    (at, part) => (at as Record<string | number, unknown>)[part],
    args,
  ) as Json;
  return !isLiteral(value) || holdsReference(value);
}

/** Whether a value contains `ref:key`, which the gateway replaces with a value from the scratchpad. */
const holdsReference = (value: unknown): boolean => /"ref:/.test(JSON.stringify(value));

type Found = Omit<Mistake, 'macro'>;

/** Returns the mistakes in the schema of an answer. */
function answerSchemaMistakes(schema: Record<string, Json>, path: string): Found[] {
  const patterns = patternsIn(schema, path);
  if (patterns.length > 0)
    return patterns.map((at) => ({
      path: at,
      message: 'a regular expression may never finish',
      hint: 'Leave it out and describe the form in the prompt; enum, format and maxLength are available.',
    }));
  try {
    z.fromJSONSchema(schema);
    return [];
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unknown error';
    const hint = 'Write one like {"type": "object", "properties": {"total": {"type": "number"}}}.';
    return [{ path, message: `the JSON Schema cannot be used: ${why}`, hint }];
  }
}

/** Keywords of JSON Schema whose values are regular expressions. */
const PATTERNS = new Set(['pattern', 'patternProperties']);
/** Keywords whose value is data. */
const DATA = new Set(['const', 'default', 'enum', 'examples']);
/** Keywords whose value has a schema under each name; a name may read like a keyword. */
const NAMED = new Set(['properties', '$defs', 'definitions', 'dependentSchemas']);

function patternsIn(schema: Json, path: string): string[] {
  return entriesOf(schema, path).flatMap(([key, value, at]) => {
    if (PATTERNS.has(key)) return [at];
    if (DATA.has(key)) return [];
    if (!NAMED.has(key)) return patternsIn(value, at);
    return entriesOf(value, at).flatMap(([, inner, place]) => patternsIn(inner, place));
  });
}

function entriesOf(value: Json, path: string): [key: string, value: Json, path: string][] {
  if (Array.isArray(value)) return value.map((element, at) => ['', element, `${path}[${at}]`]);
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).map(([key, member]) => [key, member, `${path}.${key}`]);
}

import { Option, type Command } from 'commander';
import { BatchgateError } from '../contract/errors';
import {
  TOOL_TRAITS,
  type ToolDescription,
  type ToolTrait,
  TOOL_CALLERS,
  type ToolCaller,
  type ToolDefinition,
} from '../contract/tools';
import { readConfig } from './io';
import { print, printJson, table } from './output';
import { bold } from './style';
import { verb } from './verb';

export function addToolsVerb(program: Command): void {
  verb(program, 'tools [name]', 'what macros and agents can call, with which arguments', tools)
    .addOption(new Option('--caller <who>', 'only what this caller may use').choices(TOOL_CALLERS))
    .option('--domain <category>', 'only this category, for example bulk')
    .addOption(new Option('--tag <trait>', 'only tools with this trait').choices(TOOL_TRAITS));
}

/**
 * The tools that a macro may call on a worker with this configuration.
 * @throws BatchgateError `NOT_CONFIGURED` when one of the user's own tools cannot be loaded.
 */
export async function macroTools(): Promise<ToolDefinition[]> {
  const worker = await import('../worker/tools/index.js');
  return worker.macroTools(readConfig());
}

interface ToolFlags {
  caller?: ToolCaller;
  domain?: string;
  tag?: ToolTrait;
}

async function tools(
  json: boolean,
  name: string | undefined,
  { caller, domain: category, tag: trait }: ToolFlags,
): Promise<void> {
  const { describeTools } = await import('../worker/tools/index.js');
  const { toolsFor } = await import('../mcp/tools/index.js');
  const all = await toolsFor((query) => describeTools(readConfig(), query), { caller, category, trait });
  const described = name === undefined ? all : all.filter((tool) => tool.name === name);
  if (described.length === 0) throw noSuchTool(name, all);
  if (json) described.forEach(printJson);
  else if (name === undefined)
    print(table(['TOOL', 'CATEGORY', 'CALLERS', 'DOES', 'ARGUMENTS'], described.map(rowOf)));
  else described.forEach(showWhole);
}

interface Arguments {
  properties?: Record<string, { description?: string; type?: string }>;
  required?: string[];
}

function rowOf({ name, category, callers, description, args }: ToolDescription): string[] {
  const { properties = {}, required = [] } = args as Arguments;
  // Optional arguments end with a question mark.
  const fields = Object.keys(properties).map((field) => (required.includes(field) ? field : `${field}?`));
  return [name, category, callersText(callers), description, fields.join(', ')];
}

function showWhole(tool: ToolDescription): void {
  const { name, description, category, fallback, read_only, idempotent, transactional } = tool;
  print(`${bold(name)}: ${description}`);
  const traits = [
    read_only ? 'only reads' : 'changes things',
    ...(idempotent ? ['repeating a call has no further effect'] : []),
    ...(transactional ? ["runs inside a macro's transaction"] : []),
  ];
  print(`category  ${category}`);
  print(`callers   ${callersText(tool.callers)}`);
  print(`traits    ${traits.join('; ')}`);
  if (fallback !== undefined) print(`fallback  ${fallback}`);
  print(`arguments ${JSON.stringify(tool.args, null, 2)}`);
  if (tool.output) print(`result    ${JSON.stringify(tool.output, null, 2)}`);
}

const callersText = (callers: readonly ToolCaller[]): string =>
  callers.length === TOOL_CALLERS.length ? 'all' : callers.join(', ');

function noSuchTool(name: string | undefined, all: readonly ToolDescription[]): BatchgateError {
  if (all.length === 0)
    return new BatchgateError(
      'NOT_FOUND',
      'No tool fits these filters.',
      'See `batchgate tools` for all tools with their categories and callers.',
    );
  return new BatchgateError(
    'NOT_FOUND',
    `There is no tool '${name}'.`,
    `The tools are: ${all.map((tool) => tool.name).join(', ')}.`,
  );
}

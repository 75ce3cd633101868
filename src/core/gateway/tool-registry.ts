import { z } from 'zod';
import { BatchgateError } from '../../contract/errors';
import {
  type ToolDescription,
  type ToolCaller,
  type ToolDefinition,
  TOOL_CALLERS,
  type ToolRequest,
  type ToolQuery,
  type ToolTrait,
} from '../../contract/tools';
import { strictArgs } from './arguments';
import { CLAMP_LENGTHS, isClamp } from './clamps';
import { shortened } from '../../contract/text';
import { toolFailure } from './errors';

/** The caller and the categories of the tools; by default all. */
interface ToolFilter {
  readonly caller?: ToolCaller;
  readonly categories?: readonly string[];
}

/** The tools of a worker (specification G8), by name and in the order of their names. */
export interface ToolRegistry {
  find(name: string): ToolDefinition | undefined;
  listTools(filter?: ToolFilter): ToolDefinition[];
  /** Names, descriptions and JSON Schemas, in the same order and form each time, so that a prompt can be cached. */
  describeTools(filter?: ToolFilter): ToolDescription[];
}

const NAME = /^[a-z][a-z0-9_]{0,63}$/;
const CATEGORY = /^[a-z][a-z0-9_-]{0,63}$/;

/**
 * @throws BatchgateError `NOT_CONFIGURED` when two tools have one name, a name is not valid, a fallback is not a
 * tool, or a schema cannot be described.
 */
export function createToolRegistry(tools: readonly ToolDefinition[]): ToolRegistry {
  const byName = new Map<string, ToolDefinition>();
  for (const tool of tools) {
    checkWords(tool);
    if (byName.has(tool.name)) throw refused(`Two tools are called ${tool.name}.`, 'Rename one of them.');
    byName.set(tool.name, tool);
  }
  for (const tool of tools) checkFallback(tool, byName);
  const sorted = [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const described = new Map(sorted.map((tool) => [tool, describable(tool)]));
  const listTools = ({ caller, categories }: ToolFilter = {}) =>
    sorted.filter(
      (tool) =>
        (caller === undefined || isOfferedTo(tool, caller)) &&
        (categories === undefined || categories.includes(tool.category)),
    );
  return {
    find: (name) => byName.get(name),
    listTools,
    describeTools: (filter) => listTools(filter).flatMap((tool) => described.get(tool) ?? []),
  };
}

const TRAITS: Record<ToolTrait, (tool: ToolDescription) => boolean> = {
  read_only: ({ read_only }) => read_only,
  changing: ({ read_only }) => !read_only,
  idempotent: ({ idempotent }) => idempotent,
  transactional: ({ transactional }) => transactional,
};

/** Whether a tool has the category and the trait of a query. */
export const fitsQuery = (tool: ToolDescription, { category, trait }: Omit<ToolQuery, 'caller'>): boolean =>
  (category === undefined || tool.category === category) && (trait === undefined || TRAITS[trait](tool));

const isOfferedTo = (tool: ToolDefinition, caller: ToolCaller): boolean => callersOf(tool).includes(caller);

function checkWords({ name, description, category }: ToolDefinition): void {
  if (!NAME.test(name)) {
    throw refused(
      `'${name}' is not a valid tool name.`,
      'Use at most 64 lowercase letters, digits and underscores, starting with a letter.',
    );
  }
  if (description.trim() === '') throw refused(`The tool ${name} has no description.`, 'Say what it does.');
  if (!CATEGORY.test(category)) {
    throw refused(
      `'${category}' is not a valid category for the tool ${name}.`,
      'Use lowercase letters, digits, underscores and hyphens, starting with a letter.',
    );
  }
}

function checkFallback(
  { name, fallback }: ToolDefinition,
  byName: ReadonlyMap<string, ToolDefinition>,
): void {
  if (fallback === undefined) return;
  if (fallback === name) throw refused(`The tool ${name} is its own fallback.`, 'Name another one, or none.');
  if (byName.has(fallback)) return;
  throw refused(
    `The tool ${name} falls back to '${fallback}', which is not a tool.`,
    `Register '${fallback}' too, or name one of: ${[...byName.keys()].sort().join(', ')}.`,
  );
}

function describable(tool: ToolDefinition): ToolDescription {
  try {
    return describeTool(tool);
  } catch (error) {
    throw refused(
      `The schemas of the tool ${tool.name} cannot be described: ${error instanceof Error ? error.message : ''}`,
      'Use JSON types only: JSON Schema has no dates, maps or transforms.',
    );
  }
}

const refused = (message: string, hint: string) => new BatchgateError('NOT_CONFIGURED', message, hint);

/** A tool with its schemas as JSON Schema, from the zod schemas that check it. */
export function describeTool(tool: Omit<ToolDefinition, 'handler'>): ToolDescription {
  const { name, description, category, fallback, read_only, idempotent, transactional, args, output } = tool;
  return {
    name,
    description,
    category,
    ...(fallback !== undefined && { fallback }),
    read_only,
    idempotent,
    transactional,
    callers: callersOf(tool),
    args: schemaOf(strictArgs(args), 'input'),
    ...(output && { output: schemaOf(output, 'output') }),
  };
}

/** The callers that a tool is offered to: all, or only macros if it is transactional. */
function callersOf({
  callers,
  transactional,
}: Pick<ToolDefinition, 'callers' | 'transactional'>): ToolCaller[] {
  return [...(callers ?? (transactional ? (['macro'] as const) : TOOL_CALLERS))];
}

const texts = { input: new WeakMap<z.ZodType, string>(), output: new WeakMap<z.ZodType, string>() };

/** Converts each schema once: this is slow, and a description of one tool requires those of all. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  const text = texts[io].get(schema) ?? JSON.stringify(z.toJSONSchema(schema, { io, override: sayClamp }));
  texts[io].set(schema, text);
  const { $schema: _, ...described } = JSON.parse(text) as Record<string, unknown>;
  return described;
}

/** Replaces a clamp, which JSON Schema cannot express, by its maximum length. */
function sayClamp({ jsonSchema }: { jsonSchema: Record<string, unknown> }): void {
  const { clamp } = jsonSchema;
  if (!isClamp(clamp)) return;
  delete jsonSchema['clamp'];
  const longest = CLAMP_LENGTHS[clamp];
  if (longest !== undefined && jsonSchema['type'] === 'string') jsonSchema['maxLength'] ??= longest;
}

/**
 * The tool of a request.
 * @throws BatchgateError `TOOL_FAILED` when there is none of this name, its category was not requested, or it is not
 * for this caller.
 */
export function findOffered(
  registry: ToolRegistry,
  { tool: name, caller, categories }: Pick<ToolRequest, 'tool' | 'caller' | 'categories'>,
): ToolDefinition {
  const tool = registry.find(name);
  if (!tool) throw noSuchTool(name);
  if (categories && !categories.includes(tool.category)) {
    throw toolFailure(
      'tool_not_found',
      `The tool ${name} is of the category '${tool.category}', which was not requested.`,
      { tool: name, category: tool.category },
    );
  }
  if (isOfferedTo(tool, caller)) return tool;
  const { fallback } = tool;
  const other = fallback === undefined ? '' : ` ${fallback} may do instead.`;
  throw toolFailure('undefined_tool', `The tool ${name} is not offered here.${other}`, {
    tool: name,
    ...(fallback !== undefined && { fallback }),
  });
}

export function noSuchTool(name: string): BatchgateError {
  const tool = shortened(name, 150);
  return toolFailure('tool_not_found', `There is no tool '${tool}'.`, { tool });
}

import { z } from 'zod';
import type { ToolDescription } from '../contract/tool-description';
import { TOOL_CALLERS, type ToolCaller, type ToolDefinition } from '../contract/tools';
import { strictArgs } from './gateway/arguments';
import { CLAMP_LENGTHS, isClamp } from './gateway/clamp-fields';

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

/** Whom a tool is offered to: everybody, and macros alone where it is transactional. */
export function callersOf({
  callers,
  transactional,
}: Pick<ToolDefinition, 'callers' | 'transactional'>): ToolCaller[] {
  return [...(callers ?? (transactional ? (['macro'] as const) : TOOL_CALLERS))];
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _, ...described } = z.toJSONSchema(schema, { io, override: sayClamp });
  return described;
}

/** JSON Schema has no word for a clamp, but for the length it means. */
function sayClamp({ jsonSchema }: { jsonSchema: Record<string, unknown> }): void {
  const { clamp } = jsonSchema;
  if (!isClamp(clamp)) return;
  delete jsonSchema['clamp'];
  const longest = CLAMP_LENGTHS[clamp];
  if (longest !== undefined && jsonSchema['type'] === 'string') jsonSchema['maxLength'] ??= longest;
}

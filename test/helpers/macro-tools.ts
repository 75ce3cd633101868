import type { z } from 'zod';
import type { MacroDependencies } from '../../activities/shared/dependencies';
import { BatchgateError } from '../../src/contract/errors';
import type { ToolContext, ToolDefinition } from '../../src/contract/tools';

type Handler = (args: Record<string, unknown>, context: ToolContext) => unknown;

/** A tool from its name, its arguments and its handler. */
export function tool(
  name: string,
  args: z.ZodObject,
  handler: Handler,
  traits: Partial<Pick<ToolDefinition, 'idempotent' | 'read_only'>> = {},
): ToolDefinition {
  return {
    ...{ name, args, description: name, category: 'test' },
    ...{ read_only: false, idempotent: false, transactional: false, ...traits },
    handler: (args, context) => Promise.resolve().then(() => handler(args, context)),
  };
}

/** The tools that macros may call in a test, behind the simplest possible gateway. */
export function macrosOf(tools: ToolDefinition[], more: Partial<MacroDependencies> = {}): MacroDependencies {
  const byName = new Map(tools.map((one) => [one.name, one]));
  return {
    tools: () => tools,
    limits: () => Promise.resolve({ at_once: 10, calls: 20_000 }),
    scratchpad: { read: () => Promise.resolve(new Map()) },
    gateway: {
      async call(request, context) {
        const definition = byName.get(request.tool);
        if (definition === undefined) throw failed('GATEWAY', `There is no tool '${request.tool}'.`);
        const args = definition.args.safeParse(request.args);
        if (!args.success) throw failed('GATEWAY', `${request.tool}: ${args.error.message}`);
        try {
          return await definition.handler(args.data, context);
        } catch (error) {
          throw failed('TOOL', `${request.tool}: ${error instanceof Error ? error.message : String(error)}`);
        }
      },
    },
    ...more,
  };
}

const failed = (prefix: string, message: string) =>
  new BatchgateError(
    'TOOL_FAILED',
    `[${prefix} ERROR] ${message}`,
    '[HINT]: Check if parameters are correct or try an alternative tool.',
  );

import type { InputRequiredResult } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import type { Call } from './context';
import type { Answer } from './results';

/** A tool's properties that a host can read before a call. Every tool works only on the objects named in its call. */
interface Traits {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}

export const LOOKS: Traits = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
/** Its consequences may change the items. */
export const CHANGES: Traits = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
};

export interface McpTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  readonly traits: Traits;
  /** A person decides; see the table of permissions. */
  readonly asks?: true;
  run(args: never, call: Call): Promise<Answer | InputRequiredResult>;
}

/** A tool whose work gets the arguments that its schema parsed. */
export function mcpTool<I extends z.ZodObject>(
  tool: Omit<McpTool, 'input' | 'run'> & {
    readonly input: I;
    run(args: z.output<I>, call: Call): Promise<Answer | InputRequiredResult>;
  },
): McpTool {
  return tool;
}

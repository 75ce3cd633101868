import type { InputRequiredResult } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import type { Call } from './context';
import type { Answer } from './results';

/** What a host may know of a tool without calling it. Every tool works on what is named to it alone. */
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
/** It changes what batchgate keeps, and nothing of what the items are in. */
export const PLANS: Traits = { ...LOOKS, readOnlyHint: false, idempotentHint: false, openWorldHint: true };
/** What follows from it may change the items. */
export const CHANGES: Traits = { ...PLANS, destructiveHint: true };

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

/** A tool whose work gets its arguments as their schema makes them. */
export function mcpTool<I extends z.ZodObject>(
  tool: Omit<McpTool, 'input' | 'run'> & {
    readonly input: I;
    run(args: z.output<I>, call: Call): Promise<Answer | InputRequiredResult>;
  },
): McpTool {
  return tool;
}

import { z } from 'zod';
import type { JobKey } from './sentinel';

export const TOOL_CALLERS = ['macro', 'assistant', 'http', 'mcp'] as const;
/** Who calls a tool; `assistant` stands for every model. */
export type ToolCaller = (typeof TOOL_CALLERS)[number];

/** One statement over the transaction that the call belongs to; values are bound, never pasted. */
export interface ToolDatabase {
  query(text: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
}

/** What a handler gets beside its arguments. */
export interface ToolContext {
  readonly session_id?: string;
  /** The job that makes the call. */
  readonly job?: JobKey;
  /** Whose limits the caller goes by; unset: the default ones. */
  readonly profile?: string;
  /** The same for every delivery of one call, so that an idempotent tool can recognise it. */
  readonly idempotency_key: string;
  /** An earlier attempt of this call failed or was lost, so it may have been carried out. */
  readonly repeated?: boolean;
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  /** For transactional tools: the transaction of the macro. */
  readonly database?: ToolDatabase;
}

/** A tool as it is registered (specification G8). */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly category: string;
  readonly args: z.ZodObject;
  readonly output?: z.ZodType;
  /** The tool to try when this one is not available. */
  readonly fallback?: string;
  readonly read_only: boolean;
  readonly idempotent: boolean;
  /** It runs inside a macro's transaction, and needs one. */
  readonly transactional: boolean;
  /** Of a tool that may change data: whether this call only reads. The assistant makes no other call of it. */
  reads?(args: Record<string, unknown>): boolean;
  /** Whom it is offered to. Unset: everybody, and macros alone where it is transactional. */
  readonly callers?: readonly ToolCaller[];
  handler(args: Record<string, unknown>, context: ToolContext): Promise<unknown>;
}

/** A tool whose handler gets its arguments as their schema makes them. */
export function defineTool<A extends z.ZodObject>(
  tool: Omit<ToolDefinition, 'args' | 'handler' | 'reads'> & {
    readonly args: A;
    reads?(args: z.output<A>): boolean;
    handler(args: z.output<A>, context: ToolContext): Promise<unknown>;
  },
): ToolDefinition {
  return tool;
}

/** Where something is within arguments: `['rows', 1, 'id']`. */
export type ValuePath = readonly (string | number)[];

/** One call, before the gateway has looked at it. */
export interface ToolRequest {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly caller: ToolCaller;
  /** Where a text `ref:KEY` is one that the caller wrote itself, and no data; unset: everywhere. */
  readonly references?: readonly ValuePath[];
  /** Categories that the caller asked for; unset: all that it may have. */
  readonly categories?: readonly string[];
  /** The caller holds the result to a limit itself. */
  readonly whole?: true;
}

/** The one door to every tool: it exists and is offered; schema, clamps, `ref:`, time, output guard. */
export interface Gateway {
  /**
   * @throws BatchgateError whose message has the prefix of the specification (G6) and whose hint begins `[HINT]: `: `TOOL_FAILED`, or the
   * code of the refusal that the tool threw.
   */
  call(request: ToolRequest, context: ToolContext): Promise<unknown>;
}

export const TOOL_TRAITS = ['read_only', 'changing', 'idempotent', 'transactional'] as const;
export type ToolTrait = (typeof TOOL_TRAITS)[number];

const jsonSchema = z.record(z.string(), z.unknown());

/** What a tool is, for people, models and system prompts: what `batchgate tools` prints. */
export const toolDescriptionSchema = z.object({
  name: z.string(),
  description: z.string(),
  category: z.string(),
  fallback: z.string().optional(),
  read_only: z.boolean(),
  idempotent: z.boolean(),
  transactional: z.boolean(),
  /** Who may call it. */
  callers: z.array(z.enum(TOOL_CALLERS)),
  /** JSON Schema of the arguments. */
  args: jsonSchema,
  /** JSON Schema of the result, where it is promised. */
  output: jsonSchema.optional(),
});
export type ToolDescription = z.infer<typeof toolDescriptionSchema>;

/** Which tools to describe; by default all. */
export interface ToolQuery {
  /** Only tools that this caller may use. */
  caller?: ToolCaller;
  /** Only tools of this category. */
  category?: string;
  /** Only tools with this trait. */
  trait?: ToolTrait;
}

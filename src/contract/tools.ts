import { z } from 'zod';
import type { ROLES } from './access';
import type { jobKeySchema } from './sentinel';

export const TOOL_CALLERS = ['macro', 'assistant', 'http', 'mcp'] as const;
/** The caller of a tool; `assistant` stands for every model. */
export type ToolCaller = (typeof TOOL_CALLERS)[number];

/** The definition of a tool (specification G8). */
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
  /** The tool needs a macro's transaction, and runs in it. */
  readonly transactional: boolean;
  /**
   * For a tool that may change data: returns whether this call only reads. The assistant makes only such calls of it.
   */
  reads?(args: Record<string, unknown>): boolean;
  /** The callers that may use the tool. Default: all, or only macros if it is transactional. */
  readonly callers?: readonly (typeof TOOL_CALLERS)[number][];
  /** The roles for which the assistant may call the tool. Default: `operator` and `admin`. */
  readonly roles?: readonly (typeof ROLES)[number][];
  handler(
    args: Record<string, unknown>,
    context: {
      readonly session_id?: string;
      /** The job that makes the call. */
      readonly job?: z.infer<typeof jobKeySchema>;
      /** Set if an agent started that job. */
      readonly by_agent?: true;
      /** The profile whose limits apply; the default one if unset. */
      readonly profile?: string;
      /** The same for every delivery of one call, so that an idempotent tool can recognize it. */
      readonly idempotency_key: string;
      /** An earlier attempt of this call failed or was lost, so it may have been carried out. */
      readonly repeated?: boolean;
      readonly signal: AbortSignal;
      /** Milliseconds since the epoch. */
      readonly deadline: number;
      /** For transactional tools: the transaction of the macro. Values are bound, never inserted into the SQL text. */
      readonly database?: {
        query(text: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
      };
    },
  ): Promise<unknown>;
}

/** The context of a handler, besides its arguments. */
export type ToolContext = Parameters<ToolDefinition['handler']>[1];
/** Runs statements in the transaction of a call. */
export type ToolDatabase = NonNullable<ToolContext['database']>;

/**
 * Defines a tool for macros and agents. The types of the handler's arguments follow from the schema. An error that the
 * handler throws fails the call with `TOOL_FAILED`; a `BatchgateError` is passed on.
 *
 * @example
 * const add = defineTool({
 *   name: 'add', description: 'Adds two numbers', category: 'math', read_only: true, idempotent: true,
 *   transactional: false, args: z.strictObject({ a: z.number(), b: z.number() }),
 *   handler: async ({ a, b }) => a + b,
 * });
 */
export function defineTool<A extends z.ZodObject>(
  tool: Omit<ToolDefinition, 'args' | 'handler' | 'reads'> & {
    readonly args: A;
    reads?(args: z.output<A>): boolean;
    handler(args: z.output<A>, context: Parameters<ToolDefinition['handler']>[1]): Promise<unknown>;
  },
): ToolDefinition {
  return tool;
}

/** The path of a value within arguments: `['rows', 1, 'id']`. */
export type ValuePath = readonly (string | number)[];

/** A call of a tool, before the gateway has checked it. */
export interface ToolRequest {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly caller: ToolCaller;
  /** The places where a text `ref:KEY` is a reference of the caller and not data. Default: everywhere. */
  readonly references?: readonly ValuePath[];
  /** The categories that the caller requested. Default: all. */
  readonly categories?: readonly string[];
  /** The caller limits the size of the result itself. */
  readonly whole?: true;
}

/**
 * The only way to call a tool. It checks that the tool exists and is offered, then schema, clamps, `ref:`, time and
 * output.
 */
export interface Gateway {
  /**
   * @throws BatchgateError with the prefix and the hint of an error for agents (specification G6 and G7). The code is
   * `TOOL_FAILED`, or that of the refusal that the tool threw.
   */
  call(request: ToolRequest, context: ToolContext): Promise<unknown>;
}

export const TOOL_TRAITS = ['read_only', 'changing', 'idempotent', 'transactional'] as const;
export type ToolTrait = (typeof TOOL_TRAITS)[number];

const jsonSchema = z.record(z.string(), z.unknown());

/** The description of a tool for people, models and system prompts: the output of `batchgate tools`. */
export const toolDescriptionSchema = z.object({
  name: z.string(),
  description: z.string(),
  category: z.string(),
  fallback: z.string().optional(),
  read_only: z.boolean(),
  idempotent: z.boolean(),
  transactional: z.boolean(),
  /** The callers that may use the tool. */
  callers: z.array(z.enum(TOOL_CALLERS)),
  /** JSON Schema of the arguments. */
  args: jsonSchema,
  /** JSON Schema of the result, if the tool declares one. */
  output: jsonSchema.optional(),
});
export type ToolDescription = z.infer<typeof toolDescriptionSchema>;

/** Selects the tools to describe. Default: all. */
export interface ToolQuery {
  /** Only tools that this caller may use. */
  caller?: ToolCaller;
  /** Only tools of this category. */
  category?: string;
  /** Only tools with this trait. */
  trait?: ToolTrait;
}

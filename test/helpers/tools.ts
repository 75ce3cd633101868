import { z } from 'zod';
import type { BatchgateError } from '../../src/contract/errors';
import {
  defineTool,
  type ToolContext,
  type ToolDefinition,
  type ToolRequest,
} from '../../src/contract/tools';
import { createGateway } from '../../activities/tools/gateway';
import { createToolRegistry } from '../../src/core/gateway/tool-registry';
import type { Store } from '../../src/postgres/store/open';

/** A tool that returns its arguments, unless a test overrides that. */
export function echo<A extends z.ZodObject = z.ZodObject>(
  tool: Partial<Omit<ToolDefinition, 'args' | 'handler'>> & {
    args?: A;
    handler?: (args: z.output<A>, context: ToolContext) => Promise<unknown>;
  } = {},
): ToolDefinition {
  return defineTool({
    name: 'echo',
    description: 'Answers its arguments',
    category: 'test',
    read_only: true,
    idempotent: true,
    transactional: false,
    handler: (args) => Promise.resolve(args),
    ...tool,
    args: (tool.args ?? z.looseObject({})) as A,
  });
}

export interface GatewayTest {
  call(
    args: Record<string, unknown>,
    request?: Partial<ToolRequest>,
    context?: Partial<ToolContext>,
  ): Promise<unknown>;
  /** Makes a call that fails, and returns its error. */
  refused(...call: Parameters<GatewayTest['call']>): Promise<BatchgateError>;
}

/** A gateway to these tools with a store's scratchpad; calls go to the first tool, from the session `S`. */
export function gatewayTo(
  { scratchpad }: Pick<Store, 'scratchpad'>,
  tools: ToolDefinition[],
  limits: {
    op_tool_output_limit_tokens?: number;
    maxLimit?: number;
    secrets?: string[];
    onCall?: () => void;
  } = {},
): GatewayTest {
  const { op_tool_output_limit_tokens = 4_000, maxLimit = 200, secrets = [], onCall } = limits;
  const gateway = createGateway({
    registry: createToolRegistry(tools),
    scratchpad,
    profile: () => Promise.resolve({ op_tool_output_limit_tokens }),
    maxLimit,
    secrets: () => Promise.resolve(secrets),
    ...(onCall && { onCall }),
  });
  const call: GatewayTest['call'] = (args, request, context) =>
    gateway.call(
      { tool: tools[0]?.name ?? '', args, caller: 'assistant', ...request },
      {
        session_id: 'S',
        idempotency_key: 'key',
        signal: new AbortController().signal,
        deadline: Date.now() + 60_000,
        ...context,
      },
    );
  const refused: GatewayTest['refused'] = async (...args) => {
    const outcome: unknown = await call(...args).catch((error: unknown) => error);
    if (outcome instanceof Error) return outcome as BatchgateError;
    throw new Error(`it was not refused: ${JSON.stringify(outcome)}`);
  };
  return { call, refused };
}

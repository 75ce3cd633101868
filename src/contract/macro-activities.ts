import type { BulkTurn } from './operation';
import type { FetchStep, Json, Macro, MacroBundle, Variables } from './macro';

/** What the workflow has to know of a tool to call it well. */
interface CallableTool {
  /** A delivery that may have been lost is made again, under the same key. */
  idempotent: boolean;
}

export interface ResolveMacroInput {
  macro: string | Macro;
  macros?: Record<string, Macro>;
  args: Variables;
  database?: string;
}
/** What a run may do (seed 002: `op_max_tool_calls_per_step`, `op_max_total_tool_calls`). */
export interface MacroLimits {
  /** Calls at a time, and steps of one macro that run beside each other. */
  at_once: number;
  /** Tool calls, asks and fetches of the whole run. */
  calls: number;
}

/** All that a run needs of files and registries, so that it depends on neither afterwards. */
export interface ResolvedMacro {
  bundle: MacroBundle;
  tools: Record<string, CallableTool>;
  limits: MacroLimits;
}

export interface CallToolInput {
  tool: string;
  args: Variables;
  session_id?: string;
  idempotency_key: string;
  /** The transaction that the step belongs to. */
  transaction?: TransactionRef;
}

export interface AskInput {
  prompt: string;
  output_schema?: Record<string, Json>;
}
export interface AskResult {
  output: Json;
  tokens: { input: number; output: number };
}

export type FetchInput = Pick<FetchStep, 'source' | 'resource' | 'filter' | 'order' | 'single'> & {
  limit?: number;
};

/** Names an open transaction of a run. */
export interface TransactionRef {
  id: string;
  database: string;
}

/** The effects of a macro. */
export interface MacroActivities {
  resolveMacro(input: ResolveMacroInput): Promise<ResolvedMacro>;
  callTool(input: CallToolInput): Promise<Json>;
  ask(input: AskInput): Promise<AskResult>;
  fetchRows(input: FetchInput): Promise<Json>;
  awaitOperation(input: { operation_id: string }): Promise<BulkTurn>;
}

/** Waits for bulk operations; undefined when it still goes on after so long. */
export interface OperationWatch {
  ended(operationId: string, signal: AbortSignal, withinMs: number): Promise<BulkTurn | undefined>;
}

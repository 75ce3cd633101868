import type { BulkTurn } from './operation';
import type { MacroResult } from './macro-run';
import type { FetchStep, Json, Macro, MacroBundle, Variables } from './macro';
import type { ValuePath } from './tools';

/** The traits of a tool that the workflow needs to call it. */
interface CallableTool {
  read_only: boolean;
  /** A call that may have been lost can be repeated with the same key. */
  idempotent: boolean;
  /** The tool is called on the worker that holds the transaction of the macro. */
  transactional: boolean;
}

export interface ResolveMacroInput {
  macro: string | Macro;
  macros?: Record<string, Macro>;
  args: Variables;
  database?: string;
  profile?: string;
}
/** The limits of a run (specification P5: `op_max_tool_calls_per_step`, `op_max_total_tool_calls`). */
export interface MacroLimits {
  /** Concurrent calls, and concurrent steps of one macro. */
  at_once: number;
  /** Tool calls, asks and fetches of the whole run. */
  calls: number;
}

/** Everything that a run needs from files and registries. The run does not depend on them afterwards. */
export interface ResolvedMacro {
  bundle: MacroBundle;
  tools: Record<string, CallableTool>;
  limits: MacroLimits;
}

export interface CallToolInput {
  tool: string;
  args: Variables;
  /** The places where the macro itself has a `ref:`. A `ref:` elsewhere came from a template, and is data. */
  references: ValuePath[];
  session_id?: string;
  idempotency_key: string;
  /** The first run of the macro's chain. */
  run_id: string;
  /** The key of the transaction that the step belongs to. */
  transaction?: string;
  /** An agent started the macro. */
  by_agent?: true;
}

export interface AskInput {
  /** A list of parts if the macro refers to the scratchpad; the parts at `references` are `ref:KEY`. */
  prompt: string | string[];
  references?: ValuePath[];
  session_id?: string;
  output_schema?: Record<string, Json>;
}
export interface AskResult {
  output: Json;
  tokens: { input: number; output: number };
}

export type FetchInput = Pick<FetchStep, 'source' | 'resource' | 'filter' | 'order' | 'single'> & {
  limit?: number;
};
export interface FetchRowsInput extends FetchInput {
  /** The key of the transaction in which it reads. */
  transaction?: string;
}

/** A transaction of a run. */
export interface TransactionRef {
  id: string;
  database: string;
}
export type SavepointMove = 'set' | 'release' | 'restore';

/** `unknown`: the outcome cannot be determined, because the database has no table for our commit markers. */
export type TransactionOutcome = 'committed' | 'rolled_back' | 'unknown';

/**
 * Transactions that span steps. One worker holds the connection and serves it on a queue of its own. `key` names the
 * transaction on that queue and in its commit marker.
 */
export interface TransactionActivities {
  /** Begins a transaction on the worker that takes this task, and returns the queue of that worker. */
  openTransaction(input: { database: string; key: string }): Promise<{ task_queue: string }>;
  /** Runs as long as the transaction. If its heartbeats stop, or it is cancelled, the transaction is rolled back. */
  holdTransaction(input: { key: string }): Promise<void>;
  moveSavepoint(input: { key: string; name: string; move: SavepointMove }): Promise<void>;
  /**
   * Ends the transaction. An error of the database is thrown, and then everything is rolled back. `unknown`: the commit
   * was not answered.
   */
  endTransaction(input: { key: string; how: 'commit' | 'rollback' }): Promise<TransactionOutcome>;
  /** Returns the outcome of a commit that was not answered. After this call the outcome cannot change. */
  resolveTransaction(input: { database: string; key: string }): Promise<TransactionOutcome>;
}

/** The effects of a macro. */
export interface MacroActivities extends TransactionActivities {
  resolveMacro(input: ResolveMacroInput): Promise<ResolvedMacro>;
  callTool(input: CallToolInput): Promise<Json>;
  ask(input: AskInput): Promise<AskResult>;
  fetchRows(input: FetchRowsInput): Promise<Json>;
  awaitOperation(input: { operation_id: string }): Promise<BulkTurn>;
}

/** Waits for the end of jobs. Returns undefined if the job is still live after that time. */
export interface OperationWatch {
  ended(operationId: string, signal: AbortSignal, withinMs: number): Promise<BulkTurn | undefined>;
  macroEnded(runId: string, signal: AbortSignal, withinMs: number): Promise<MacroResult | undefined>;
  /** Drops a proposed macro without an answer. */
  expireProposal(runId: string): Promise<void>;
}

import type { BulkTurn } from './operation';
import type { MacroResult } from './macro-run';
import type { FetchStep, Json, Macro, MacroBundle, Variables } from './macro';
import type { ValuePath } from './tools';

/** The traits of a tool that the workflow needs to call it. */
interface CallableTool {
  read_only: boolean;
  /** A call that may have been lost is repeated under the same key. */
  idempotent: boolean;
  /** It is called on the worker that holds the transaction of the macro. */
  transactional: boolean;
}

export interface ResolveMacroInput {
  macro: string | Macro;
  macros?: Record<string, Macro>;
  args: Variables;
  database?: string;
  profile?: string;
}
/** What a run may do (specification P5: `op_max_tool_calls_per_step`, `op_max_total_tool_calls`). */
export interface MacroLimits {
  /** Calls at a time, and steps of one macro that run beside each other. */
  at_once: number;
  /** Tool calls, asks and fetches of the whole run. */
  calls: number;
}

/** Everything that a run needs from files and registries, so that it does not depend on them later. */
export interface ResolvedMacro {
  bundle: MacroBundle;
  tools: Record<string, CallableTool>;
  limits: MacroLimits;
}

export interface CallToolInput {
  tool: string;
  args: Variables;
  /** Where the macro itself says `ref:`; all else that reads so came in by a template, and is data. */
  references: ValuePath[];
  session_id?: string;
  idempotency_key: string;
  /** The first run of the macro's chain. */
  run_id: string;
  /** The key of the transaction that the step belongs to. */
  transaction?: string;
}

export interface AskInput {
  /** In parts where the macro itself refers to the scratchpad: those at `references` are `ref:KEY`. */
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
  /** The key of the transaction within which it reads. */
  transaction?: string;
}

/** Names a transaction within a run. */
export interface TransactionRef {
  id: string;
  database: string;
}
export type SavepointMove = 'set' | 'release' | 'restore';

/** `unknown`: it cannot be determined, because the database cannot hold our commit markers. */
export type TransactionOutcome = 'committed' | 'rolled_back' | 'unknown';

/**
 * Transactions that span steps. The connection is held by one worker, which answers for it on a queue of its own; `key`
 * names the transaction there, and in the mark that is committed with it.
 */
export interface TransactionActivities {
  /** Begins a transaction on whichever worker takes this; answers that worker's queue. */
  openTransaction(input: { database: string; key: string }): Promise<{ task_queue: string }>;
  /** Lasts as long as the transaction. Without its heartbeats, or with its cancellation, that is rolled back. */
  holdTransaction(input: { key: string }): Promise<void>;
  moveSavepoint(input: { key: string; name: string; move: SavepointMove }): Promise<void>;
  /** A refusal of the database is thrown: then all is rolled back. `unknown`: no answer to the commit came. */
  endTransaction(input: { key: string; how: 'commit' | 'rollback' }): Promise<TransactionOutcome>;
  /** The outcome of a commit without an answer. After this call the outcome cannot change. */
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

/** Waits for the end of jobs; undefined when one is still live after that time. */
export interface OperationWatch {
  ended(operationId: string, signal: AbortSignal, withinMs: number): Promise<BulkTurn | undefined>;
  macroEnded(runId: string, signal: AbortSignal, withinMs: number): Promise<MacroResult | undefined>;
  /** Drops a macro that was proposed, unless somebody answered. */
  expireProposal(runId: string): Promise<void>;
}

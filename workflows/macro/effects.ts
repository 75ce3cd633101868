import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { Json, Step } from '../../src/contract/macro';
import type { MacroActivities, ResolvedMacro } from '../../src/contract/macro-activities';
import type { Settings } from '../../src/contract/settings';
import type { TraceStep } from '../../src/contract/macro-run';
import { START_TOOL } from '../../src/core/bulk/operation';
import { TASK_TOOL } from '../../src/core/progress/task-run';
import { startedBy } from '../../src/core/shared/canonical';
import { whatOf } from '../../src/core/macro/trace';
import type { Call } from '../../src/core/macro/steps';
import { measure } from '../../src/core/macro/size';
import { fromChangingCall } from '../shared/failures';
import type { TaskBudget } from './task-budget';
import { AGAIN, FINAL, ONCE, optionsOf, waitOptions, withinTransaction } from './options';
import type { Slots } from './slots';
import type { Held, Transactions } from './transaction';

/** The result of a call. */
export interface Outcome {
  value?: Json;
  tokens?: TraceStep['tokens'];
}

/** The dependencies of a run's effects. */
export interface EffectContext {
  settings: Settings;
  resolved: ResolvedMacro;
  slots: Slots;
  budget: TaskBudget;
  transactions: Transactions;
  session_id?: string;
  /** Set if an agent started the run. */
  by_agent?: true;
  /** Records the bulk operations that were started as parts of this run, and those that have ended. */
  operations: Record<'started' | 'ended', (operation_id: string) => void>;
  /** Records a task run that is about to be started in the run's own session. */
  startsTaskRun: (task_run_id: string) => void;
}

/** The share of a step's time that one try to ask a model may take. */
const ASK_SHARE = 0.6;

/** Options of calls whose answer is always the same, so that they can be retried. */
const REPEATED = { ...AGAIN, nonRetryableErrorTypes: [...FINAL, 'TOOL_FAILED'] };

/** Loads the macro with all macros that it calls, and validates it. */
export const { resolveMacro } = proxyActivities<Pick<MacroActivities, 'resolveMacro'>>({
  startToCloseTimeout: '30s',
  retry: { maximumAttempts: 3, nonRetryableErrorTypes: FINAL },
  summary: 'Read and validate the macro',
});

/** Executes a call. A cancellation of the scope stops it, and the end of the call is awaited. */
export async function perform(
  context: EffectContext,
  step: Step,
  call: Exclude<Call, { do: 'question' }>,
): Promise<Outcome> {
  const { slots, transactions } = context;
  // A person may take days; that must not block others.
  if (call.do === 'wait') return waitForOperation(context, call.operation_id);
  if (call.do === 'end') {
    await transactions.end(call.transaction, call.how);
    return {};
  }
  const ref = transactionOf(context, call);
  if (ref === undefined) return slots.use(() => callActivity(context, step, call));
  // It needs no slot: calls that hold slots may be waiting for locks of this transaction.
  return transactions.within(ref, (transaction) => callActivity(context, step, call, transaction));
}

/** The transaction of a call; undefined for a tool that is not transactional. */
export function transactionOf({ resolved }: EffectContext, call: Exclude<Call, { do: 'question' }>) {
  if (call.do === 'fetch') return call.transaction;
  return call.do === 'tool' && resolved.tools[call.tool]?.transactional ? call.transaction : undefined;
}

async function callActivity(
  context: EffectContext,
  step: Step,
  call: Exclude<Call, { do: 'end' | 'wait' | 'question' }>,
  transaction?: Held,
): Promise<Outcome> {
  const { bytes } = measure(call.do === 'tool' ? call.args : call.input);
  await context.budget.roomFor(bytes);
  const plain = optionsOf(context.settings, `${step.type} ${whatOf(step)}`);
  const options = transaction ? withinTransaction(plain) : plain;
  if (call.do === 'ask') {
    // An invalid answer may be followed by a valid one.
    const { tool_timeout_ms } = context.settings;
    const { session_id } = context;
    const { ask } = proxyActivities<MacroActivities>({
      ...options,
      // All tries together have the time of one call; a try that hangs leaves time for another.
      scheduleToCloseTimeout: tool_timeout_ms,
      startToCloseTimeout: Math.ceil(ASK_SHARE * tool_timeout_ms),
    });
    const { output, tokens } = await ask({ ...call.input, ...(session_id !== undefined && { session_id }) });
    return { value: output, tokens };
  }
  const place = transaction && { taskQueue: transaction.taskQueue };
  const within = transaction && { transaction: transaction.key };
  if (call.do === 'fetch') {
    const retry = transaction ? ONCE : REPEATED;
    const { fetchRows } = proxyActivities<MacroActivities>({ ...options, ...place, retry });
    return { value: await fetchRows({ ...call.input, ...within }) };
  }
  const { tool, args, references, ordinal } = call;
  const { workflowId, firstExecutionRunId } = workflowInfo();
  const { session_id, by_agent } = context;
  const { idempotent, read_only } = context.resolved.tools[tool] ?? {};
  // A tool that is not idempotent may have been running when its worker died, so it is not called again.
  const again = idempotent && transaction === undefined;
  const idempotency_key = `${workflowId}:${firstExecutionRunId}:${ordinal}`;
  if (tool === START_TOOL && (args['session_id'] ?? session_id) === session_id)
    context.operations.started(startedBy('bulk', idempotency_key));
  if (tool === TASK_TOOL && session_id !== undefined && args['session_id'] === session_id)
    context.startsTaskRun(startedBy('task', idempotency_key));
  const retry = again ? REPEATED : ONCE;
  const { callTool } = proxyActivities<MacroActivities>({ ...options, ...place, retry });
  const value = await callTool({
    tool,
    args,
    references,
    ...(session_id !== undefined && { session_id }),
    idempotency_key,
    run_id: firstExecutionRunId,
    ...within,
    ...(by_agent && { by_agent }),
  }).catch((error: unknown) => {
    // Work in a transaction is rolled back with it.
    throw read_only || transaction ? error : fromChangingCall(tool, error);
  });
  return { value };
}

export async function waitForOperation(
  { settings, operations }: EffectContext,
  operation_id: string,
): Promise<Outcome> {
  const { awaitOperation } = proxyActivities<MacroActivities>(waitOptions(settings, operation_id));
  const value = (await awaitOperation({ operation_id })) as unknown as Json;
  operations.ended(operation_id);
  return { value };
}

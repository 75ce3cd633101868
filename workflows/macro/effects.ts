import { proxyActivities, workflowInfo, type ActivityOptions } from '@temporalio/workflow';
import type { Json, Step } from '../../src/contract/macro';
import type { MacroActivities, ResolvedMacro, TransactionRef } from '../../src/contract/macro-activities';
import type { Settings } from '../../src/contract/settings';
import type { TraceStep } from '../../src/contract/macro-run';
import { whatOf } from '../../src/core/macro/machine-state';
import type { Call } from '../../src/core/macro/steps';
import { toFailure } from '../failures';
import type { Slots } from './slots';
import { transactions } from './transaction';

/** What a call brought home. */
export interface Outcome {
  value?: Json;
  tokens?: TraceStep['tokens'];
  transaction?: TransactionRef;
}

/** All that the effects of a run are made with. */
export interface EffectContext {
  settings: Settings;
  resolved: ResolvedMacro;
  slots: Slots;
  session_id?: string;
}

const TRIES = 4;
/** What another try would only hear again. */
const FINAL = [
  'INVALID_INPUT',
  'NOT_CONFIGURED',
  'CREDENTIALS_INVALID',
  'FORBIDDEN',
  'NOT_FOUND',
  'UNKNOWN_ADAPTER',
];
/** The summary of an activity in the Temporal UI. Bytes; letters may take four. */
const SUMMARY_LENGTH = 45;
const AGAIN = { initialInterval: '500ms', maximumInterval: '30s', maximumAttempts: TRIES };
/** For what answers the same as long as it is reached. */
const REPEATED = { ...AGAIN, nonRetryableErrorTypes: [...FINAL, 'TOOL_FAILED'] };

/** Loads the macro with all that it calls, and validates it. */
export const { resolveMacro } = proxyActivities<Pick<MacroActivities, 'resolveMacro'>>({
  startToCloseTimeout: '30s',
  retry: { maximumAttempts: 3, nonRetryableErrorTypes: FINAL },
  summary: 'Read and validate the macro',
});

/** Carries a call out. A cancellation of the scope stops it, and is waited for. */
export function perform(context: EffectContext, step: Step, call: Call): Promise<Outcome> {
  if (call.do === 'manage') return manage(call);
  // A person may take days; that must not keep others from their turn.
  if (call.do === 'wait') return waitForOperation(context, call.operation_id);
  return context.slots.use(() => callActivity(context, step, call));
}

async function callActivity(
  context: EffectContext,
  step: Step,
  call: Exclude<Call, { do: 'manage' | 'wait' }>,
): Promise<Outcome> {
  const options = optionsOf(context, step);
  if (call.do === 'ask') {
    // An answer that does not fit may be followed by one that does.
    const { output, tokens } = await proxyActivities<MacroActivities>(options).ask(call.input);
    return { value: output, tokens };
  }
  if (call.do === 'fetch') {
    const { fetchRows } = proxyActivities<MacroActivities>({ ...options, retry: REPEATED });
    return { value: await fetchRows(call.input) };
  }
  const { tool, args, ordinal, transaction } = call;
  const { workflowId, firstExecutionRunId } = workflowInfo();
  const { session_id } = context;
  // Whether a tool that is not idempotent was at work when its worker died nobody knows: it is not called again.
  const again = context.resolved.tools[tool]?.idempotent && transaction === undefined;
  const retry = again ? REPEATED : { maximumAttempts: 1 };
  const { callTool } = proxyActivities<MacroActivities>({ ...options, retry });
  const value = await callTool({
    tool,
    args,
    ...(session_id !== undefined && { session_id }),
    idempotency_key: `${workflowId}:${firstExecutionRunId}:${ordinal}`,
    ...(transaction && { transaction }),
  });
  return { value };
}

function optionsOf({ settings }: EffectContext, step: Step): ActivityOptions {
  return {
    startToCloseTimeout: settings.tool_timeout_ms,
    heartbeatTimeout: settings.heartbeat_timeout_ms,
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    retry: { ...AGAIN, nonRetryableErrorTypes: FINAL },
    summary: `${step.type} ${whatOf(step)}`.slice(0, SUMMARY_LENGTH),
  };
}

/** The activity gives its place on the worker back from time to time, and is tried again for as long as it takes. */
export async function waitForOperation({ settings }: EffectContext, operation_id: string): Promise<Outcome> {
  const { awaitOperation } = proxyActivities<MacroActivities>({
    startToCloseTimeout: '10 minutes',
    heartbeatTimeout: settings.heartbeat_timeout_ms,
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    retry: { initialInterval: '1s', maximumInterval: '10s', nonRetryableErrorTypes: FINAL },
    summary: `wait for ${operation_id}`.slice(0, SUMMARY_LENGTH),
  });
  return { value: (await awaitOperation({ operation_id })) as unknown as Json };
}

async function manage({
  action,
  name,
  database,
  transaction,
}: Extract<Call, { do: 'manage' }>): Promise<Outcome> {
  if (action === 'begin') {
    if (transaction)
      throw noTransaction('A transaction is open here already.', 'Commit it or roll it back first.');
    return { transaction: await transactions.begin(database) };
  }
  if (transaction === undefined)
    throw noTransaction('No transaction is open here.', 'Begin one by {"action": "begin"}.');
  if (action === 'savepoint') {
    await transactions.savepoint(transaction, name ?? 'savepoint');
    return { transaction };
  }
  await (action === 'commit' ? transactions.commit(transaction) : transactions.rollback(transaction));
  // It is renewed after each commit (seed 003, explicit transactions).
  return { transaction: await transactions.begin(database) };
}

const noTransaction = (message: string, hint: string) =>
  toFailure({ code: 'MACRO_FAILED', message: `[GATEWAY ERROR] ${message}`, hint: `[HINT]: ${hint}` });

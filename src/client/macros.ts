import { randomUUID } from 'node:crypto';
import { WorkflowFailedError, type Client, type WorkflowExecutionDescription } from '@temporalio/client';
import { TerminatedFailure } from '@temporalio/common';
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow';
import { BatchgateError, parseInput } from '../contract/errors';
import { parseJobId } from '../contract/job-ids';
import type { Macro, MacroInput } from '../contract/macro';
import {
  answerRequestSchema,
  type AnswerRequest,
  type MacroResult,
  type MacroTrace,
  type MacroTurn,
} from '../contract/macro-run';
import { QUERIES, TASK_QUEUE, UPDATES, WORKFLOW_TYPES } from '../contract/messages';
import { proposedIn } from '../core/macro/proposal';
import { closedRun, nameOf, parseMacroRunInput } from '../core/macro/view';
import { refusePlainSecrets } from '../core/shared/plain-secrets';
import { call, describeWorkflow } from './calls';
import { noSuchJob, wrongKind } from './job-kinds';
import { askIf, sendUpdate } from './messages';
import { toBatchgateError, unlessMissing } from './failures';
import { startOnce } from './start-once';
import type { JobKey } from '../contract/sentinel';
import type { WaitOptions } from './waiting';

export interface MacroOptions extends WaitOptions {
  /** Default: `macro-<uuid>`. The same input under the same id returns the existing run. */
  run_id?: string;
  task_queue?: string;
  /** The job that starts the macro as a part of itself. Both share one slot. */
  parent?: JobKey;
}

/**
 * Starts a macro and returns once its first step may begin.
 * @throws BatchgateError `INVALID_INPUT` with every mistake, `NOT_CONFIGURED` if a model is missing,
 * `JOB_LIMIT_REACHED` or `SESSION_LOCKED`. No step has run then.
 */
export async function startMacro(
  client: Client,
  input: MacroInput,
  options: MacroOptions = {},
): Promise<MacroTurn> {
  const parsed = parseMacroRunInput(input);
  refusePlainSecrets(parsed);
  const workflowId = parseJobId(options.run_id ?? `macro-${randomUUID()}`, WORKFLOW_TYPES.macro);
  const name = nameOf(parsed.macro);
  const start = {
    type: WORKFLOW_TYPES.macro,
    workflowId,
    taskQueue: options.task_queue ?? TASK_QUEUE,
    input: parsed,
    memo: { macro: name, ...(options.parent && { parent: options.parent }) },
    staticSummary: `macro ${name}`.slice(0, 180),
  };
  return startOnce(client, start, () => getMacroTurn(client, workflowId), options);
}

/**
 * Waits for the end of a run, however long that takes.
 * @throws BatchgateError `MACRO_FAILED` for a run that was terminated, which has no result.
 */
export async function awaitMacro(client: Client, runId: string): Promise<MacroResult> {
  await describeMacro(client, runId);
  try {
    // The server holds the poll while nothing happens, and the SDK polls again.
    return (await client.workflow.getHandle(runId).result()) as MacroResult;
  } catch (error) {
    if (!(error instanceof WorkflowFailedError && error.cause instanceof TerminatedFailure))
      throw toBatchgateError(error);
    throw new BatchgateError(
      'MACRO_FAILED',
      `[TOOL ERROR] The macro run ${runId} was terminated.`,
      '[HINT]: What its steps had done stays done; look at its trace, and start another run for the rest.',
    );
  }
}

/** Returns the status of a run with its latest steps, even after its end. */
export async function getMacroTrace(client: Client, runId: string): Promise<MacroTrace> {
  const trace = await askIf<MacroTrace>(client, runId, 'NONE', QUERIES.trace).catch(unlessMissing);
  if (typeof trace === 'object') return trace;
  await describeMacro(client, runId);
  throw noSuchJob(WORKFLOW_TYPES.macro);
}

/** Pauses a run. No further step begins; running steps finish. */
export function pauseMacro(client: Client, runId: string): Promise<MacroTurn> {
  return update(client, runId, UPDATES.pause);
}

export function resumeMacro(client: Client, runId: string): Promise<MacroTurn> {
  return update(client, runId, UPDATES.resume);
}

/**
 * Stops a run at once, with the bulk operations that it started. Only an open transaction is undone.
 * @throws BatchgateError `OPERATION_CLOSED` for a run that has ended.
 */
export async function cancelMacro(client: Client, runId: string): Promise<void> {
  const { status } = await describeMacro(client, runId);
  if (status.name !== 'RUNNING') throw BatchgateError.from(closedRun(await getMacroTurn(client, runId)));
  await call(client, () => client.workflow.getHandle(runId).cancel());
}

/** Answers the question of an `ask` step to a person. */
export function answerMacro(
  client: Client,
  runId: string,
  request: AnswerRequest,
  { decision_id }: { decision_id?: string | undefined } = {},
): Promise<MacroTurn> {
  return update(
    client,
    runId,
    UPDATES.answer,
    parseInput(answerRequestSchema, request, 'The answer'),
    decision_id,
  );
}

/** Returns the status of a run, without its steps. */
export async function getMacroTurn(client: Client, runId: string): Promise<MacroTurn> {
  const { steps: _, steps_truncated: __, ...turn } = await getMacroTrace(client, runId);
  return turn;
}

/**
 * Returns the macro that a run of `propose_macro` proposed, in the form of a macro file.
 * @throws BatchgateError `NOT_FOUND` for a run that proposes no macro.
 */
export async function getProposedMacro(client: Client, runId: string): Promise<Macro> {
  await describeMacro(client, runId);
  const { history } = await call(client, () =>
    client.workflowService.getWorkflowExecutionHistory({
      ...{ namespace: client.options.namespace, execution: { workflowId: runId }, maximumPageSize: 1 },
    }),
  );
  const payloads = history?.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads;
  const [input] = await decodeArrayFromPayloads(client.options.loadedDataConverter, payloads);
  const proposed = proposedIn(parseMacroRunInput(input));
  if (proposed) return proposed;
  throw new BatchgateError(
    'NOT_FOUND',
    `The macro run ${runId} proposes no macro.`,
    'Its macro is in its own file, or in macros_dir.',
  );
}

async function update(
  client: Client,
  runId: string,
  name: string,
  request: object = {},
  updateId?: string,
): Promise<MacroTurn> {
  await describeMacro(client, runId);
  const whenMissing = async () => BatchgateError.from(closedRun(await getMacroTurn(client, runId)));
  return sendUpdate(client, runId, name, request, { whenMissing, updateId });
}

async function describeMacro(client: Client, runId: string): Promise<WorkflowExecutionDescription> {
  const described = await describeWorkflow(client, runId).catch(unlessMissing);
  if (described === undefined) throw noSuchJob(WORKFLOW_TYPES.macro);
  if (described.type === WORKFLOW_TYPES.macro) return described;
  throw wrongKind(runId, described.type, WORKFLOW_TYPES.macro);
}

import { Context } from '@temporalio/activity';
import {
  type AssistantActivities,
  type CallFailure,
  type Proposal,
  type Used,
  type UseInput,
} from '../../src/contract/assistant';
import { BatchgateError, type ErrorCode } from '../../src/contract/errors';
import type { Json } from '../../src/contract/macro';
import type { Scratchpad } from '../../src/contract/scratchpad';
import type { BulkState } from '../../src/contract/operation';
import { shortened } from '../../src/contract/text';
import type { Gateway } from '../../src/contract/tools';
import { isOwnArgument, checkCaller, type Registered } from '../../src/core/assistant/prompt';
import { START_TOOL } from '../../src/core/bulk/operation';
import { isClosed } from '../../src/core/bulk/transitions';
import { describeAdapter, type AdapterRegistry } from '../../src/core/bulk/registry';
import { PROPOSE_TOOL, proposalOutcome } from '../../src/core/macro/proposal';
import { describeTool, type ToolRegistry } from '../../src/core/gateway/tool-registry';
import { unreadableArguments } from '../../src/core/gateway/errors';
import { bytesOf } from '../../src/core/shared/bounds';
import { asActivity } from '../shared/failures';
import { heartbeating, untilEnded } from '../shared/heartbeat';
import type { ActivityDependencies, AssistantDependencies } from '../shared/dependencies';
import { beforeAnswer } from './answers';
import { condense } from './condense';
import { hear } from './hear';
import { think, traitsOf } from './think';
import { countTokens, cutTo } from './tokens';
import { sentences } from '../../src/core/shared/plain-text';

type Needed = Pick<ActivityDependencies, 'profiles' | 'settings' | 'operations' | 'log'> & {
  assistant: AssistantDependencies;
  scratchpad: Scratchpad;
  gateway: Gateway;
  tools: ToolRegistry;
  adapters: AdapterRegistry;
};

/** Creates the activities of assistants from their dependencies. */
export function createAssistantActivities(dependencies: Needed): AssistantActivities {
  const registered = registeredOnce(dependencies);
  return {
    hear: (input) => asActivity(() => hear(dependencies, input)),
    think: (input) => asActivity(() => think(dependencies, registered(), input)),
    useTool: (input) => asActivity(() => heartbeating((signal) => useTool(dependencies, input, signal))),
    condense: (input) => asActivity(() => heartbeating((signal) => condense(dependencies, input, signal))),
    awaitProposal: ({ run_id }) =>
      asActivity(() =>
        untilEnded((signal, within) => dependencies.operations.macroEnded(run_id, signal, within)).then(
          proposalOutcome,
        ),
      ),
    expireProposal: ({ run_id }) => asActivity(() => dependencies.operations.expireProposal(run_id)),
  };
}

/** Describes the registries once: they do not change while a worker runs. */
function registeredOnce({ tools, adapters }: Needed): () => Registered {
  let cache: Registered | undefined;
  return () =>
    (cache ??= {
      tools: tools
        .listTools({ caller: 'assistant' })
        .map((tool) => ({ ...describeTool(tool), roles: tool.roles })),
      adapters: adapters.list().map(describeAdapter),
    });
}

const ANSWER_MS = 200;

/** Makes one call through the gateway. A failure is a result: the model and the person decide how to continue. */
async function useTool(dependencies: Needed, input: UseInput, signal: AbortSignal): Promise<Used> {
  const { session_id, call, categories, role, idempotency_key, run_id, profile } = input;
  const { output_tokens, output_bytes } = input;
  const { info } = Context.current();
  try {
    if (call.unreadable !== undefined) throw unreadableArguments(call.tool);
    checkCaller(role, dependencies.tools.find(call.tool) ?? { name: call.tool });
    const args = Object.fromEntries(
      Object.entries(call.args).filter(([name]) => !isOwnArgument(call.tool, name)),
    );
    const result = (await dependencies.gateway.call(
      // A macro's references are read when it runs.
      {
        ...{ tool: call.tool, args, caller: 'assistant', categories, whole: true },
        ...(call.tool === PROPOSE_TOOL && { references: [] }),
      },
      {
        session_id,
        profile,
        job: { job_id: info.workflowExecution?.workflowId ?? '', run_id },
        idempotency_key,
        repeated: info.attempt > 1,
        signal,
        // The gateway should report the timeout before Temporal does.
        deadline: Date.now() + info.startToCloseTimeoutMs - ANSWER_MS,
      },
    )) as Json;
    if (call.tool === PROPOSE_TOOL) return proposed(result as unknown as Proposal);
    const operation = call.tool === START_TOOL ? liveOperation(result) : undefined;
    const guarded = await guardedOutput(dependencies.scratchpad, result, input);
    return { ...guarded, operation };
  } catch (error) {
    if (signal.aborted || !(error instanceof BatchgateError)) throw error;
    const reason = sentences(error.message, error.hint);
    const output = cutTo({ error: reason }, { tokens: output_tokens, bytes: output_bytes });
    const tokens = countTokens(JSON.stringify(output));
    const failure = failureOf(dependencies.tools, call.tool, error, reason);
    // The turn ends with a question about the reference.
    if (failure.scenario === 'reference_missing') await beforeAnswer(dependencies);
    return { output, tokens, failure };
  }
}

function failureOf(
  tools: ToolRegistry,
  tool: string,
  { code, details }: BatchgateError,
  reason: string,
): CallFailure {
  const fields = (details ?? {}) as Record<string, unknown>;
  const { scenario, fallback, outcome_unknown, ref } = fields;
  const changes = tools.find(tool)?.read_only === false;
  const other =
    typeof fallback === 'string' && isUnavailable(code, scenario, changes) ? tools.find(fallback) : undefined;
  return {
    scenario: typeof scenario === 'string' ? scenario : 'execution_failure',
    said: shortened(reason, 500),
    ...(outcome_unknown === true && { outcome_unknown }),
    ...(other &&
      outcome_unknown !== true && {
        fallback: { tool: other.name, category: other.category, traits: traitsOf(other) },
      }),
    ...(typeof ref === 'string' && { ref }),
  };
}

/**
 * True if the tool is not offered here or its service cannot be reached: correct arguments would not help. A tool
 * that changes data may fail in another way after a change, which its fallback would repeat.
 */
function isUnavailable(code: ErrorCode, scenario: unknown, changes: boolean): boolean {
  if (code === 'ADAPTER_UNAVAILABLE' || code === 'NOT_CONFIGURED' || scenario === 'undefined_tool')
    return true;
  return code === 'TOOL_FAILED' && scenario === 'execution_failure' && !changes;
}

/** Returns the run's id to the model; the question goes to the person. */
function proposed(proposal: Proposal): Used {
  const output = { run_id: proposal.run_id, asked: 'The person reads the macro, and says whether it runs.' };
  return { output, tokens: countTokens(JSON.stringify(output)), proposal };
}

/** Returns the id of an operation that has not ended: its question is open, or will be after the plan. */
function liveOperation(result: Json): string | undefined {
  const { operation_id, state } = (result ?? {}) as { operation_id?: Json; state?: BulkState };
  const isLive = state !== undefined && !isClosed(state);
  return isLive && typeof operation_id === 'string' ? operation_id : undefined;
}

/**
 * Applies the output guard (specification P2): cuts a result over the limit for the model, and saves all of it in the
 * scratchpad. The call was made, so there is a result even if it cannot be saved.
 */
async function guardedOutput(
  scratchpad: Scratchpad,
  result: Json,
  { session_id, output_tokens, output_bytes, idempotency_key }: UseInput,
): Promise<Pick<Used, 'output' | 'tokens'>> {
  const tokens = countTokens(JSON.stringify(result));
  if (tokens <= output_tokens && bytesOf(result) <= output_bytes) return { output: result, tokens };
  const key = `output-${idempotency_key.split(':').slice(-1).join('-')}`;
  const note = await scratchpad.save(session_id, key, result).then(
    () => `The whole result (${tokens} tokens) is kept under ref:${key}.`,
    (error: unknown) => {
      const why = error instanceof BatchgateError ? error.message : 'the scratchpad failed.';
      return `The whole result (${tokens} tokens) was not kept: ${why}`;
    },
  );
  const room = {
    tokens: Math.max(1, output_tokens - countTokens(note) - 20),
    bytes: Math.max(1, output_bytes - Buffer.byteLength(note) - 80),
  };
  const output = { kept: note, shown: cutTo(result, room) };
  return { output, tokens: countTokens(JSON.stringify(output)) };
}

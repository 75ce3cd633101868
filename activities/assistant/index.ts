import { Context } from '@temporalio/activity';
import {
  noModel,
  type AssistantActivities,
  type CallFailure,
  type Entry,
  type Heard,
  type HearInput,
  type ModelCall,
  type Proposal,
  type ThinkInput,
  type Thought,
  type Used,
  type UseInput,
} from '../../src/contract/assistant';
import { BatchgateError, type ErrorCode } from '../../src/contract/errors';
import type { Json } from '../../src/contract/macro';
import type { Scratchpad } from '../../src/contract/scratchpad';
import { cutAt, shortened } from '../../src/contract/text';
import type { Gateway } from '../../src/contract/tools';
import {
  isOwnArgument,
  checkCaller,
  offeredTo,
  offeredTools,
  systemPrompt,
  type Registered,
} from '../../src/core/assistant/prompt';
import { ROUTE_TOOL, unknownCategories } from '../../src/core/assistant/routing';
import { fitsVerbatim, MAX_CONTEXT_BYTES } from '../../src/core/assistant/history';
import { START_TOOL } from '../../src/core/bulk/operation';
import { describeAdapter, type AdapterRegistry } from '../../src/core/bulk/registry';
import { PROPOSE_TOOL, proposalOutcome } from '../../src/core/macro/proposal';
import { describeTool, type ToolRegistry } from '../../src/core/gateway/tool-registry';
import { unreadableArguments } from '../../src/core/gateway/errors';
import { bytesOf, withinBytes } from '../../src/core/shared/bounds';
import { redact, redactAll } from '../../src/core/shared/redact';
import { asActivity } from '../shared/failures';
import { heartbeating, STREAMING_MS, withHeartbeat } from '../shared/heartbeat';
import { untilEnded } from '../shared/heartbeat';
import { readProfile } from '../shared/profiles';
import type { ActivityDependencies } from '../shared/dependencies';
import { condense } from './condense';
import type { AssistantDependencies } from '../shared/dependencies';
import { countTokens, cutTo, firstTokens } from './tokens';
import { sentences } from '../../src/core/shared/plain-text';

type Needed = Pick<ActivityDependencies, 'profiles' | 'settings' | 'operations'> & {
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

/** The share of the limit that the history shows of a message saved in the scratchpad. */
const SHOWN_SHARE = 0.1;

/** Reads the profile. Saves a message over its input limit, or too long for the conversation (specification P2). */
async function hear(
  dependencies: Needed,
  { session_id, profile, turn, text, notice }: HearInput,
): Promise<Heard> {
  if (dependencies.assistant.model === undefined) throw noModel();
  const profileValues = await readProfile(dependencies, profile);
  const limits = {
    context_tokens: profileValues.op_context_limit_tokens,
    output_tokens: profileValues.op_tool_output_limit_tokens,
    steps: profileValues.op_max_steps,
    calls_per_step: profileValues.op_max_tool_calls_per_step,
    calls: profileValues.op_max_total_tool_calls,
    idle_seconds: profileValues.op_idle_threshold_seconds,
  };
  if (text === undefined) {
    const words = notice ?? '';
    return { limits, entry: { role: 'notice', text: words, tokens: countTokens(words) } };
  }
  const tokens = countTokens(text);
  const limit = profileValues.op_user_input_limit_tokens;
  const fullEntry: Entry = { role: 'person', text, tokens };
  if (tokens <= limit && fitsVerbatim(fullEntry, limits.context_tokens)) return { limits, entry: fullEntry };
  const ref = `message-${turn}`;
  await dependencies.scratchpad.save(session_id, ref, text);
  // Redact before cutting: half of a secret would not be recognised.
  const redactedText = redact(text, (await dependencies.assistant.secrets?.()) ?? []);
  const room = Math.floor(Math.min(limit, limits.context_tokens) * SHOWN_SHARE);
  const excerpt = withinBytes(firstTokens(redactedText, Math.max(20, room)), MAX_CONTEXT_BYTES * SHOWN_SHARE);
  const beginning = `ref:${ref} (${tokens} tokens, kept in the scratchpad). It begins:\n${excerpt}`;
  return { limits, entry: { role: 'person', text: beginning, ref, tokens: countTokens(beginning) } };
}

/** Calls the model once. Heartbeats carry the text so far, so none of it is written into the history. */
async function think(
  { assistant, tools }: Needed,
  registered: Registered,
  { turn, step, entries, categories, role }: ThinkInput,
): Promise<Thought> {
  const offer = offeredTo(registered, role);
  const { model, secrets } = assistant;
  if (!model) throw noModel();
  const secretValues = (await secrets?.()) ?? [];
  const request = {
    system: systemPrompt(offer, categories),
    entries: withoutSecrets(entries, secretValues),
    tools: offeredTools(offer, categories),
  };
  const answer = await withHeartbeat(
    (pulse) =>
      model.answer(request, Context.current().cancellationSignal, (text) =>
        pulse.report({ turn, step, text }),
      ),
    STREAMING_MS,
  );
  const calls = answer.calls.map(({ id, tool, args, unreadable, too_large }): ModelCall => {
    const definition = tools.find(tool);
    const unknown = tool === ROUTE_TOOL ? unknownCategories(offer.tools, args) : [];
    return {
      id,
      // Escapes would multiply its length. No tool name has a hyphen, so this is never the name of another tool.
      tool: cutAt(tool.replaceAll(/[^\w-]/g, '-'), 64),
      args: args ?? {},
      ...(unreadable !== undefined && { unreadable }),
      ...(too_large && { too_large }),
      ...(unknown.length > 0 && { unknown_categories: unknown }),
      ...(definition && { traits: traitsOf(definition) }),
    };
  });
  const text = redact(answer.text, secretValues);
  return { text, calls, tokens: countTokens(text + JSON.stringify(calls)), used: answer.used };
}

const traitsOf = ({ read_only, idempotent }: { read_only: boolean; idempotent: boolean }) => ({
  read_only,
  idempotent: read_only || idempotent,
});

/** Removes secrets from all messages of a prompt. The ids that pair a call with its result do not change. */
function withoutSecrets(entries: readonly Entry[], secrets: readonly string[]): readonly Entry[] {
  return entries.map((entry): Entry => {
    if (entry.role === 'tool') return { ...entry, output: redactAll(entry.output, secrets) };
    const text = redact(entry.text, secrets);
    if (entry.role !== 'model') return { ...entry, text };
    const calls = entry.calls.map((call) => ({ ...call, args: redactAll(call.args, secrets) }));
    return { ...entry, text, calls };
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
    return { output, tokens, failure: failureOf(dependencies.tools, call.tool, error, reason) };
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

/** Returns the id of an operation that waits for a confirmation. */
function liveOperation(result: Json): string | undefined {
  const { operation_id, needs_confirmation } = (result ?? {}) as {
    operation_id?: Json;
    needs_confirmation?: Json;
  };
  return needs_confirmation === true && typeof operation_id === 'string' ? operation_id : undefined;
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

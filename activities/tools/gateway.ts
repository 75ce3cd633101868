import { z } from 'zod';
import { BatchgateError, type ErrorBody } from '../../src/contract/errors';
import { errorsForAgent, failureForAgent, withoutPrefix } from '../../src/core/shared/agent-errors';
import type { Profile } from '../../src/contract/profile';
import type { Scratchpad } from '../../src/contract/scratchpad';
import type { Gateway, ToolContext, ToolDefinition, ToolRequest } from '../../src/contract/tools';
import { describeMismatch, readArguments } from '../../src/core/gateway/arguments';
import { clampArguments } from '../../src/core/gateway/clamps';
import { saysUnknown } from '../../src/core/macro/errors';
import { inDoubt, mayHaveChanged, toolFailure } from '../../src/core/gateway/errors';
import { findOffered, type ToolRegistry } from '../../src/core/gateway/tool-registry';
import { redactAll, redact } from '../../src/core/shared/redact';
import { guardOutput } from '../../src/core/gateway/output';
import { type Resolved, findRefs, injectRefs } from '../../src/core/gateway/refs';
import { withLimits } from '../adapters/shared/limits';
import { ProviderFailure, providerText } from '../adapters/shared/failure';

export interface GatewayDependencies {
  readonly registry: ToolRegistry;
  readonly scratchpad: Pick<Scratchpad, 'read'>;
  /** Read at each call, so that a change takes effect at once. */
  readonly profile: () => Promise<Pick<Profile, 'op_tool_output_limit_tokens'>>;
  /** The largest `limit` that a tool receives. */
  readonly maxLimit: number;
  /** Called at each call: a session that calls a tool is active. */
  readonly onCall?: () => void;
  /** Returns the secrets that no error and no result for an agent may contain. */
  readonly secrets?: () => Promise<readonly string[]>;
}

/** Calls tools (specification G1 to G7). Only the handler receives data of the scratchpad. */
export function createGateway(dependencies: GatewayDependencies): Gateway {
  const {
    registry,
    scratchpad,
    profile,
    maxLimit,
    onCall,
    secrets = () => Promise.resolve([]),
  } = dependencies;
  const carryOut = async (request: ToolRequest, context: ToolContext) => {
    const tool = findOffered(registry, request);
    if (tool.transactional && context.database === undefined) {
      throw toolFailure('transaction_missing', `${tool.name} runs inside a transaction, and there is none.`, {
        tool: tool.name,
      });
    }
    const { session_id } = context;
    const keys = findRefs(tool.name, request.args, request.references);
    const data =
      session_id === undefined || keys.length === 0
        ? new Map<string, unknown>()
        : await scratchpad.read(session_id, keys).catch((error: unknown) => {
            throw error instanceof BatchgateError ? error : unread(tool);
          });
    const { args, resolved } = injectRefs(tool.name, request.args, data, request.references);
    const clamped = clampArguments(tool, args, resolved, maxLimit);
    const parsed = readArguments(tool, clamped, resolved);
    if (request.caller === 'assistant' && tool.reads?.(parsed) === false) throw needsPerson(tool);
    const result = checked(tool, await run(tool, parsed, context, resolved, secrets), resolved);
    // The next step of a macro needs the whole result. The limit is for readers.
    if (request.caller === 'macro') return result;
    const answer = redactAll(errorsForAgent(result), await secrets());
    if (request.whole) return answer;
    const { op_tool_output_limit_tokens } = await profile();
    return guardOutput(answer, op_tool_output_limit_tokens);
  };
  return {
    async call(request, context) {
      onCall?.();
      try {
        return await carryOut(request, context);
      } catch (error) {
        // A macro's step that failed because of an internal error is retried.
        const isInternal = !(error instanceof BatchgateError);
        if (isInternal && request.caller === 'macro') throw error;
        throw withDoubt(registry.find(request.tool), failureForAgent(request.tool, error), context);
      }
    },
  };
}

const needsPerson = ({ name }: ToolDefinition) =>
  toolFailure(
    'needs_a_person',
    `${name}: not called, because this call changes data, and nobody has decided it.`,
    {
      tool: name,
    },
  );

const unread = ({ name }: ToolDefinition) =>
  new BatchgateError(
    'INTERNAL',
    `${name}: not called, because the scratchpad cannot be read.`,
    'Try again later.',
  );

/** Marks the error as an unknown outcome if an earlier attempt may have changed something. */
function withDoubt(
  tool: ToolDefinition | undefined,
  failure: BatchgateError,
  { repeated }: ToolContext,
): BatchgateError {
  if (!repeated || tool === undefined || !mayHaveChanged(tool) || saysUnknown(failure.body)) return failure;
  const ownMessage = withoutPrefix(failure.message).replace(fallbackOf(tool), '');
  const reason = `${ownMessage} An earlier attempt failed or was lost, so its effect is unknown.`;
  return inDoubt(tool.name, reason, { cause: failure.body });
}

/** Runs the handler. A handler that ignores its abort signal is abandoned, and its result is dropped. */
async function run(
  tool: ToolDefinition,
  args: Record<string, unknown>,
  { database, ...context }: ToolContext,
  resolved: readonly Resolved[],
  secrets: () => Promise<readonly string[]>,
): Promise<unknown> {
  const ending = (): Ending | undefined =>
    context.signal.aborted ? 'cancelled' : Date.now() >= context.deadline ? 'late' : undefined;
  const early = ending();
  if (early) throw executionFailure(tool, early, { resolved, begun: false });
  let ended: Ending | undefined;
  try {
    return await withLimits(context.deadline, context.signal, async ({ signal }) => {
      signal.addEventListener('abort', () => (ended = ending() ?? 'late'), { once: true });
      const inTransaction = tool.transactional && { database };
      // Listen before the handler begins: its first action may cancel the call.
      const over = aborted(signal);
      const work = (async () => tool.handler(args, { ...context, ...inTransaction, signal }))();
      return Promise.race([over, work]);
    });
  } catch (error) {
    throw executionFailure(tool, ended ?? error, { resolved, begun: true, secrets: await secrets() });
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('The call is over')), { once: true });
  });
}

/** Returns the result after conversion to JSON, checked against the tool's schema. */
function checked(tool: ToolDefinition, result: unknown, resolved: readonly Resolved[]): unknown {
  const unfit = (why: string) => {
    const reason = `${tool.name}: its result ${resolved.length > 0 ? 'does not fit its schema' : why}.`;
    return mayHaveChanged(tool)
      ? inDoubt(tool.name, `${reason} Its effect is unknown.`)
      : toolFailure('result_unfit', reason, { tool: tool.name });
  };
  let plain: unknown;
  let infinite = false;
  const markInfinite = (_: string, value: unknown) => {
    infinite ||= typeof value === 'number' && !Number.isFinite(value);
    return value;
  };
  try {
    plain = JSON.parse(JSON.stringify(result ?? null, markInfinite) ?? 'null');
  } catch {
    throw unfit('is not valid JSON');
  }
  // JSON would replace it with null.
  if (infinite) throw unfit('holds a number that is not finite');
  if (!tool.output) return plain;
  const parsed = z.safeParse(tool.output, plain);
  if (!parsed.success) throw unfit(`does not fit its schema (${describeMismatch(parsed.error)})`);
  return parsed.data;
}

/** The reason why a call ended before its handler answered. */
type Ending = 'cancelled' | 'late';

interface CallSoFar {
  readonly resolved: readonly Resolved[];
  /** The handler was called, so a tool that changes data may have changed it. */
  readonly begun: boolean;
  /** The secrets that the error may not contain. */
  readonly secrets?: readonly string[];
}

/**
 * Converts a handler's exception or time-out into an error. A public error keeps its code, its hint and its details.
 * The message is withheld if the handler received data of the scratchpad: it may quote the data, and the error goes
 * to places that may not receive the data.
 */
function executionFailure(
  tool: Pick<ToolDefinition, 'name' | 'fallback' | 'read_only' | 'transactional'>,
  cause: unknown,
  { resolved, begun, secrets = [] }: CallSoFar,
): BatchgateError {
  const unanswered = cause === 'cancelled' || cause === 'late' || isUnanswered(cause);
  const outcome_unknown = unanswered && begun && mayHaveChanged(tool);
  const refs = [...new Set(resolved.map(({ ref }) => ref))];
  const reason = wordsOf(cause, refs, secrets);
  const unknown = outcome_unknown ? ' Its effect is unknown.' : '';
  // A fallback could repeat the change.
  const other = outcome_unknown ? '' : fallbackOf(tool);
  const message = `${tool.name}: ${reason}${unknown}${other}`;
  if (cause instanceof BatchgateError && cause.code !== 'INTERNAL')
    return refusal(tool, message, withoutData(cause.body, refs, secrets));
  return toolFailure('execution_failure', message, {
    tool: tool.name,
    fallback: tool.fallback,
    ...(outcome_unknown && { outcome_unknown }),
  });
}

function refusal(
  { name, fallback }: Pick<ToolDefinition, 'name' | 'fallback'>,
  message: string,
  { code, hint, details }: Omit<ErrorBody, 'message'>,
): BatchgateError {
  const fields = typeof details === 'object' ? details : {};
  return new BatchgateError(code, message, hint, {
    ...fields,
    tool: name,
    ...(fallback !== undefined && { fallback }),
  });
}

const fallbackOf = ({ fallback }: Pick<ToolDefinition, 'fallback'>): string =>
  fallback === undefined ? '' : ` Its fallback is ${fallback}.`;

/** Removes the parts of an error that may quote the tool's message or its data. */
function withoutData(
  { code, hint, details }: ErrorBody,
  refs: readonly string[],
  secrets: readonly string[],
): Omit<ErrorBody, 'message'> {
  if (refs.length > 0) return { code, hint: '' };
  const isClean =
    details !== undefined && redact(JSON.stringify(details), secrets) === JSON.stringify(details);
  return { code, hint: redact(hint, secrets), ...(isClean && { details }) };
}

function wordsOf(cause: unknown, refs: readonly string[], secrets: readonly string[]): string {
  if (cause === 'cancelled') return 'it was cancelled.';
  if (cause === 'late') return 'it did not answer in time.';
  const code = cause instanceof BatchgateError ? `${cause.code}: ` : '';
  if (refs.length > 0) {
    return `${code}it failed, and its message is withheld because it received the data of ${refs.join(', ')}.`;
  }
  const text = providerText(cause instanceof Error ? cause.message : cause, secrets);
  return `${code}${text === '' ? 'it failed without a message' : text.replace(/\.$/, '')}.`;
}

const isUnanswered = (cause: unknown) =>
  cause instanceof ProviderFailure && (cause.kind === 'no_answer' || cause.kind === 'malformed');

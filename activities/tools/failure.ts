import { BatchgateError, type ErrorBody } from '../../src/contract/errors';
import type { ToolDefinition } from '../../src/contract/tools';
import { mayHaveChanged, toolFailure } from '../../src/core/gateway/errors';
import type { Resolved } from '../../src/core/gateway/refs';
import { redact } from '../../src/core/shared/redact';
import { ProviderFailure, providerText } from '../adapters/shared/failure';

/** Why a call ended without an answer of its handler. */
export type Ending = 'cancelled' | 'late';

interface CallSoFar {
  readonly resolved: readonly Resolved[];
  /** The handler was called, so a tool that changes data may have changed it. */
  readonly begun: boolean;
  /** What may not be shown. */
  readonly secrets?: readonly string[];
}

/**
 * What a handler threw, or that it did not end in time, as one error. A refusal of the public surface keeps its code,
 * its hint and its details. Words of a handler that was handed data of the scratchpad are withheld: they may quote it,
 * and the error goes where the data must not go.
 */
export function executionFailure(
  tool: Pick<ToolDefinition, 'name' | 'fallback' | 'read_only' | 'transactional'>,
  cause: unknown,
  { resolved, begun, secrets = [] }: CallSoFar,
): BatchgateError {
  const unanswered = cause === 'cancelled' || cause === 'late' || isUnanswered(cause);
  const outcome_unknown = unanswered && begun && mayHaveChanged(tool);
  const refs = [...new Set(resolved.map(({ ref }) => ref))];
  const said = wordsOf(cause, refs, secrets);
  const unknown = outcome_unknown ? ' Its effect is unknown.' : '';
  // A fallback would make a change again that may have been made.
  const other = outcome_unknown ? '' : fallbackOf(tool);
  const message = `${tool.name}: ${said}${unknown}${other}`;
  if (cause instanceof BatchgateError && cause.code !== 'INTERNAL')
    return refusal(tool, message, shown(cause.body, refs, secrets));
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
  const own = typeof details === 'object' ? details : {};
  return new BatchgateError(code, message, hint, {
    ...own,
    tool: name,
    ...(fallback !== undefined && { fallback }),
  });
}

export const fallbackOf = ({ fallback }: Pick<ToolDefinition, 'fallback'>): string =>
  fallback === undefined ? '' : ` Its fallback is ${fallback}.`;

/** Our errors may quote a tool's message, or the data that the tool was given. */
function shown(
  { code, hint, details }: ErrorBody,
  refs: readonly string[],
  secrets: readonly string[],
): Omit<ErrorBody, 'message'> {
  if (refs.length > 0) return { code, hint: '' };
  const kept = details !== undefined && redact(JSON.stringify(details), secrets) === JSON.stringify(details);
  return { code, hint: redact(hint, secrets), ...(kept && { details }) };
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

import type { z } from 'zod';
import type { AdapterAction, PrepareRequest } from '../../../src/contract/adapter';
import { BatchgateError, describeIssues, mistakeDetails } from '../../../src/contract/errors';
import { paramErrors, splitParams } from '../../../src/core/bulk/action-params';

/** The parameters of a request in two halves. `query` is empty if the caller named the items. */
interface ParsedAction {
  readonly action: AdapterAction;
  readonly query: Record<string, unknown>;
  readonly change: Record<string, unknown>;
}

/**
 * Finds the action of a request and parses the parameters with the schemas of that action. A schema that requires one
 * of several parameters refines itself with `params: { missing: 'a or b' }`.
 * @throws BatchgateError `INVALID_INPUT`: unknown action; query parameters together with explicit items; missing,
 * unknown or wrong parameters.
 */
export function parseAction(
  toolName: string,
  actions: Readonly<Record<string, AdapterAction>>,
  request: PrepareRequest,
): ParsedAction {
  const action = Object.hasOwn(actions, request.action) ? actions[request.action] : undefined;
  if (action === undefined) {
    throw new BatchgateError(
      'INVALID_INPUT',
      `Unknown action for ${toolName}: ${request.action}`,
      `Use one of: ${Object.keys(actions).join(', ')}.`,
    );
  }
  const { query, change, queryOnly } = splitParams(action, request.params);
  if (request.explicit_items && queryOnly.length > 0) {
    throw new BatchgateError(
      'INVALID_INPUT',
      `Explicit items together with query parameters: ${queryOnly.join(', ')}`,
      'Send either items or query parameters; with items, params holds only the change.',
    );
  }
  const errors = paramErrors(action, request);
  if (errors.length > 0) throw invalidParams(action, request, errors);
  return {
    action,
    query: request.explicit_items ? {} : action.query.parse(query),
    change: action.change.parse(change),
  };
}

function invalidParams(action: AdapterAction, request: PrepareRequest, errors: z.ZodError[]): BatchgateError {
  const missing = errors.flatMap((error) =>
    error.issues.flatMap((issue) => {
      if (issue.code === 'custom')
        return typeof issue.params?.missing === 'string' ? issue.params.missing : [];
      const [name] = issue.path;
      return issue.path.length === 1 && request.params[String(name)] === undefined ? String(name) : [];
    }),
  );
  const names = Object.keys({
    ...(request.explicit_items ? {} : action.query.shape),
    ...action.change.shape,
  });
  return new BatchgateError(
    'INVALID_INPUT',
    missing.length > 0
      ? `Missing required parameters: ${[...new Set(missing)].join(', ')}`
      : `Parameters of ${request.action} are not valid: ${errors.map(describeIssues).join('; ')}`,
    names.length > 0
      ? `${request.action} takes: ${names.join(', ')}. Nothing was read or touched.`
      : `${request.action} takes no parameters here. Nothing was read or touched.`,
    missing.length > 0
      ? { scenario: 'missing_parameter' }
      : errors[0] && mistakeDetails(errors[0], request.params),
  );
}

/** Returns the error for a context that an adapter's `prepare` did not create. */
export function notPrepared(toolName: string, why: string): BatchgateError {
  return new BatchgateError(
    'INVALID_INPUT',
    `The ${toolName} adapter did not prepare this context: ${why}`,
    'Start the operation again.',
  );
}

/**
 * `Promise.all` over `items`, with at most `limit` calls of `work` at once. Results are in the order of the items.
 * After a failure it starts no further call, and it throws once the running calls have ended.
 */
export async function mapConcurrently<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  let failed = false;
  const runner = async () => {
    for (const [index, item] of queue) {
      if (failed) return;
      try {
        results[index] = await work(item);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const runners = Array.from({ length: Math.min(limit, items.length) }, runner);
  await Promise.allSettled(runners);
  await Promise.all(runners);
  return results;
}

import type { z } from 'zod';
import type { BatchgateError } from '../../contract/errors';
import { innermost, scenarioOf } from '../../contract/mistakes';
import { shortened } from '../../contract/text';
import { toolFailure, type Scenario } from './errors';
import { behind, showPath, type Resolved } from './refs';

type Issue = z.core.$ZodIssue;

/**
 * Parses arguments with the tool's schema. Refuses the fields that it does not name, even if it would drop them, so
 * that a misspelt field does not cause an unintended call.
 * @throws BatchgateError `TOOL_FAILED` with the path of each mistake, and the first one's hint.
 */
export function readArguments(
  tool: { readonly name: string; readonly args: z.ZodObject },
  args: unknown,
  resolved: readonly Resolved[],
): Record<string, unknown> {
  const parsed = strictArgs(tool.args).safeParse(args);
  if (parsed.success) return parsed.data;
  throw explain(tool.name, args, parsed.error.issues, resolved);
}

/** A schema that does not mention further fields allows none. */
export function strictArgs(args: z.ZodObject): z.ZodObject {
  return args.def.catchall ? args : args.strict();
}

/** The maximum length of a quotation from the arguments, which may be large. */
const QUOTED = 200;

interface Mistake {
  readonly scenario: Scenario;
  readonly path: string;
  readonly text: string;
}

function explain(
  tool: string,
  args: unknown,
  issues: readonly Issue[],
  resolved: readonly Resolved[],
): BatchgateError {
  const mistakes = issues.map((issue) => {
    const { scenario, path, text } = mistakeOf(issue, args, resolved);
    return { scenario, path: shortened(path, QUOTED), text: shortened(text, QUOTED) };
  });
  const [first] = mistakes;
  const texts = [...new Set(mistakes.map(({ path, text }) => `${path}: ${text}`))].slice(0, 5);
  return toolFailure(first?.scenario ?? 'invalid_value', `${tool}: ${texts.join('; ')}.`, {
    tool,
    ...(first && { path: first.path }),
  });
}

function mistakeOf(outer: Issue, args: unknown, resolved: readonly Resolved[]): Mistake {
  const issue = innermost(outer);
  const path = issue.path.filter((part) => typeof part !== 'symbol');
  const from = behind(path, resolved);
  if (from) {
    // Neither the message of a schema nor the names of fields may contain saved data.
    const expectation = issue.code === 'invalid_type' ? `, expected ${issue.expected} there` : '';
    const text = `the data of ${from.ref} does not fit${expectation}`;
    return { scenario: 'reference_unfit', path: showPath(from.path), text };
  }
  const place = showPath(path);
  if (issue.code === 'unrecognized_keys') {
    const unknown = issue.keys.map((key) => showPath([...path, key])).join(', ');
    return { scenario: 'unknown_parameter', path: unknown, text: 'there is no such field' };
  }
  const scenario = scenarioOf(issue, args);
  return { scenario, path: place, text: scenario === 'missing_parameter' ? 'is missing' : issue.message };
}

/** Describes the mistakes in a result and their places, without any of its content. */
export function describeMismatch(error: z.ZodError): string {
  return error.issues
    .slice(0, 5)
    .map((issue) => {
      const path = issue.path.filter((part) => typeof part !== 'symbol');
      const place = path.length === 0 ? 'the result' : showPath(path);
      return `${place}: ${issue.code === 'invalid_type' ? `expected ${issue.expected}` : issue.code}`;
    })
    .join('; ');
}

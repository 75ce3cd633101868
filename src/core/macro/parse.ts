import {
  getNodePath,
  getNodeValue,
  parseTree,
  printParseErrorCode,
  type Node,
  type ParseError,
} from 'jsonc-parser';
import { z } from 'zod';
import { isTooDeep, MAX_DEPTH, TOO_DEEP } from '../../contract/text';
import { macroSchema, STEP_TYPES, type Macro } from '../../contract/macro';
import { BatchgateError } from '../../contract/errors';
import { InexactNumber, inexactNumbers, nestingOf, repeatedKeys, type NumberPlace } from '../shared/json';

/** The maximum number of mistakes that are reported, because each place is counted from the text's beginning. */
const MOST_NAMED = 20;
const OPTIONS = { allowTrailingComma: true, disallowComments: false };

/** Parses the text of a macro file, JSON with comments. */
export function parseMacroText(text: string, label: string): { macro: Macro } | { mistakes: Mistake[] } {
  // The parser recurses for each level, and its stack is limited.
  if (nestingOf(text) > MAX_DEPTH) return { mistakes: [nestedTooDeep(label)] };
  const errors: ParseError[] = [];
  const bare = text.replace(/^\uFEFF/, '');
  const tree = parseTree(bare, errors, OPTIONS);
  if (errors.length > 0 || tree === undefined) {
    const reported = errors.length > 0 ? errors.slice(0, MOST_NAMED) : [undefined];
    return { mistakes: reported.map((error) => noJson(text, label, error)) };
  }
  const inexact = inexactNumbers(bare);
  if (inexact.length > 0)
    return { mistakes: inexact.slice(0, MOST_NAMED).map((place) => inexactMistake(bare, label, place)) };
  const repeated = repeatedKeys(tree).slice(0, MOST_NAMED);
  if (repeated.length > 0) return { mistakes: repeated.map((key) => repeatedMistake(key, bare, label)) };
  return parseMacro(getNodeValue(tree), label);
}

function repeatedMistake(key: Node, text: string, macro: string): Mistake {
  const place = placeOf(text, key.offset);
  const message = `the field "${String(key.value)}" is given twice in one object, again at ${place}`;
  return { macro, path: pathText(getNodePath(key)), message, hint: 'Remove one of them.' };
}

const inexactMistake = (text: string, macro: string, { number, offset }: NumberPlace): Mistake => {
  const { message, hint } = new InexactNumber(number);
  return { macro, path: '', message: `${message.replace(/\.$/, '')}, at ${placeOf(text, offset)}`, hint };
};

function placeOf(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n');
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

/** Checks the shape of one macro. `label` is used while it has no name. */
export function parseMacro(value: unknown, label: string): { macro: Macro } | { mistakes: Mistake[] } {
  if (isTooDeep(value)) return { mistakes: [nestedTooDeep(label)] };
  const parsed = macroSchema.safeParse(value);
  if (parsed.success) return { macro: parsed.data };
  const name = (value as { name?: unknown } | null)?.name;
  const macro = typeof name === 'string' && name.length <= 150 ? name : label;
  return { mistakes: parsed.error.issues.map((issue) => ({ macro, ...mistakeOf(issue, value) })) };
}

const nestedTooDeep = (macro: string): Mistake => ({
  macro,
  path: '',
  message: TOO_DEEP,
  hint: 'Move the inner steps into another macro, and call it.',
});

type Issue = z.core.$ZodIssue;

function mistakeOf(issue: Issue, value: unknown): Omit<Mistake, 'macro'> {
  const path = pathText(issue.path);
  if (issue.code === 'unrecognized_keys') {
    const keys = issue.keys.join(', ');
    return { path, message: `unknown field ${keys}`, hint: `Remove ${keys}, or correct its spelling.` };
  }
  if (issue.code === 'invalid_union' && issue.path.at(-1) === 'type') {
    const stepType = issue.path.reduce<unknown>(
      (at, part) => (at as Record<PropertyKey, unknown>)?.[part],
      value,
    );
    return {
      path,
      message:
        stepType === undefined ? 'a step has no type' : `unknown step type ${JSON.stringify(stepType)}`,
      hint: `Use one of: ${STEP_TYPES.join(', ')}.`,
    };
  }
  return { path, message: issue.message, hint: 'See macro.schema.json for the values allowed here.' };
}

function noJson(text: string, label: string, error: ParseError | undefined): Mistake {
  const place = placeOf(text, error?.offset ?? 0);
  const what = error === undefined ? 'it is empty' : printParseErrorCode(error.error);
  return {
    macro: label,
    path: '',
    message: `is not valid JSON with comments: ${what} at ${place}`,
    hint: 'Correct it there; comments and trailing commas are allowed.',
  };
}

/** The JSON Schema of macro files, for editors: the content of the package's `macro.schema.json`. */
export function macroJsonSchema(): object {
  return {
    ...z.toJSONSchema(macroSchema, { io: 'input' }),
    title: 'batchgate macro',
    description: 'A script of steps; see docs/macros.md.',
    allowComments: true,
    allowTrailingCommas: true,
  };
}

/** One mistake in a macro. `path`: its place in the macro's file, such as `steps[2].then[0].args.id`. */
export interface Mistake {
  macro: string;
  path: string;
  message: string;
  hint: string;
}

/** A JSON path in the notation of errors and traces. */
export function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((part, at) => (typeof part === 'number' ? `[${part}]` : `${at === 0 ? '' : '.'}${String(part)}`))
    .join('');
}

const SHOWN = 5;

/** All mistakes as one error of the public surface: `INVALID_INPUT`, with every mistake in its details. */
export function mistakesError(mistakes: readonly Mistake[]): BatchgateError {
  const lines = mistakes.slice(0, SHOWN).map(({ macro, path, message }) => {
    const place = path === '' ? macro : `${macro} ${path}`;
    return `${place}: ${message.replace(/\.$/, '')}`;
  });
  const more = mistakes.length > SHOWN ? `; and ${mistakes.length - SHOWN} more` : '';
  const many = mistakes.length === 1 ? 'has a mistake' : `has ${mistakes.length} mistakes`;
  return new BatchgateError(
    'INVALID_INPUT',
    `The macro ${many}: ${lines.join('; ')}${more}.`,
    mistakes.length === 1
      ? (mistakes[0]?.hint ?? '')
      : 'Correct each of them; `details` has a hint for every one. Nothing was run.',
    { mistakes },
  );
}

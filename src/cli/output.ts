import { createInterface } from 'node:readline/promises';
import type * as StringWidth from 'string-width';
import { z } from 'zod';
import { BatchgateError } from '../contract/errors';
import { visibleText, jsonLine, oneLine } from '../core/shared/plain-text';
import type { Reader } from '../core/bulk/preview-text';
import { io } from './io';
import { bad, dim } from './style';
import { withoutHint, withoutPrefix } from '../core/shared/agent-errors';

/** Prints one wire object on a line of its own, as `--json` promises. */
export function printJson(value: unknown): void {
  io().stdout.write(`${jsonLine(value)}\n`);
}

export function print(line: string): void {
  io().stdout.write(`${line}\n`);
}

/** The person at this terminal. */
export function localReader(): Reader {
  return {
    // Few texts contain a time, and the first formatter of a process is slow to create.
    get time_zone() {
      return Intl.DateTimeFormat().resolvedOptions().timeZone;
    },
  };
}

/** Prints everything except the answer, on the error stream, so that a pipe gets only the answer. */
export function note(line: string): void {
  io().stderr.write(`${line}\n`);
}

/** Prints the next commands on the error stream, so that a pipe gets only rows. */
export function noteNext(...commands: string[]): void {
  if (commands.length === 0) return;
  const lines = commands.map((command) => `npx batchgate ${command}`);
  note(dim(`\nNext: ${lines.join('\n      ')}`, io().stderr));
}

/** Asks a question at the terminal. Returns whether the answer is yes. */
export async function confirmedAtTerminal(question: string): Promise<boolean> {
  const lines = createInterface({ input: io().stdin, output: io().stderr });
  try {
    const answer = await lines.question(`${visibleText(question)} (y/N) `);
    return /^y(?:es)?$/i.test(answer.trim());
  } finally {
    lines.close();
  }
}

/** Formats rows under a header, with columns as wide as their cells. `paint` colours a cell once its width is known. */
export function table(
  header: string[],
  rows: string[][],
  paint: (cell: string, column: number) => string = (cell) => cell,
): string {
  // Loaded here: it builds its patterns as it loads, which takes longer than a verb that prints no table.
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const { default: stringWidth } = require('string-width') as typeof StringWidth;
  const cells = rows.map((row) => header.map((_, column) => oneLine(row[column] ?? '')));
  const widths = header.map((name, column) =>
    cells.reduce((width, row) => Math.max(width, stringWidth(row[column] ?? '')), stringWidth(name)),
  );
  const line = (row: string[], painted = paint) =>
    row
      .map((cell, column) => {
        const last = row.slice(column + 1).every((next) => next === '');
        const room = (widths[column] ?? 0) - stringWidth(cell);
        return `${painted(cell, column)}${last ? '' : ' '.repeat(room)}`;
      })
      .join('  ')
      .trimEnd();
  return [line(header, (cell) => cell), ...cells.map((row) => line(row))].join('\n');
}

/** `left`: Ctrl-C stopped the watching, and the job continues; the code is that of a shell. */
export const EXIT = { done: 0, refused: 1, usage: 2, unreachable: 3, left: 130 } as const;

/** An error in the command line, reported before any call: arguments that exclude each other, or an invalid value. */
export class UsageError extends BatchgateError {
  constructor(message: string, hint: string) {
    super('INVALID_INPUT', message, hint);
  }
}

function exitCodeOf(error: BatchgateError): number {
  if (error instanceof UsageError) return EXIT.usage;
  return error.body.code === 'TEMPORAL_UNAVAILABLE' ? EXIT.unreachable : EXIT.refused;
}

/** Converts any error to the public shape. */
export function knownError(error: unknown): BatchgateError {
  if (error instanceof BatchgateError) return error;
  return (
    fromSystem(error) ??
    new BatchgateError(
      'INTERNAL',
      error instanceof Error ? error.message : String(error),
      'This is a defect. Please report it with the output of `npx batchgate doctor`.',
    )
  );
}

/** The mistakes of a macro, each with its hint. */
function mistakeLines(details: unknown): string[] | undefined {
  const parsed = mistakesSchema.safeParse(details);
  return parsed.data?.mistakes.map(({ macro, path, message, hint }) => {
    const place = path === '' ? macro : `${macro} ${path}`;
    return `  ${place}: ${withoutPrefix(message)}\n    ${withoutHint(hint)}`;
  });
}

const mistakesSchema = z.object({
  mistakes: z.array(z.object({ macro: z.string(), path: z.string(), message: z.string(), hint: z.string() })),
});

/** Prints an error, as JSON or in words with its hint. Returns the exit code. */
export function fail(error: unknown, json: boolean): number {
  const failure = knownError(error);
  if (json) printJson(failure.toJSON());
  else {
    const lines = mistakeLines(failure.details);
    // The message repeats the mistakes, which are listed one by one.
    const message = lines ? failure.message.replace(/: .*$/s, ':') : failure.message;
    note(
      [
        `${bad(failure.code, io().stderr)}: ${visibleText(withoutPrefix(message))}`,
        ...(lines ?? [withoutHint(failure.hint)]).map(visibleText),
      ].join('\n'),
    );
  }
  return exitCodeOf(failure);
}

const CAUSES: Readonly<Record<string, string>> = {
  EACCES: 'this user has no permission',
  EPERM: 'this user has no permission',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of the disk is used up',
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of the path is not a folder',
  EEXIST: 'something else has this name',
  EISDIR: 'it is a folder',
  EMFILE: 'too many files are open',
};

/** The reason for which the system refused access to a file, in words; undefined for any other error. */
export function causeOf(error: unknown): { cause: string; path: string } | undefined {
  const { code, path } = (error ?? {}) as NodeJS.ErrnoException;
  const cause = CAUSES[code ?? ''];
  return cause === undefined || path === undefined ? undefined : { cause, path };
}

/** A file of ours that cannot be created, read or written is a problem of the machine, not a defect. */
function fromSystem(error: unknown): BatchgateError | undefined {
  const refusal = causeOf(error);
  if (refusal === undefined) return undefined;
  return new BatchgateError(
    'NOT_CONFIGURED',
    `${refusal.path} cannot be used: ${refusal.cause}.`,
    'Make its folder writable and free some disk space, or set BATCHGATE_DATA_DIR to another folder; `npx batchgate doctor` checks each part.',
  );
}

import { BatchgateError, type ErrorBody } from '../contract/errors';

/** One wire object on a line of its own: what `--json` promises. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Everything that is not the answer goes here, so that output pipes. */
export function note(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Rows under a header, columns as wide as they need. */
export function table(header: string[], rows: string[][]): string {
  const widths = header.map((name, column) =>
    Math.max(name.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (cells: string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [line(header), ...rows.map(line)].join('\n');
}

export const EXIT = { done: 0, refused: 1, usage: 2, unreachable: 3 } as const;

function exitCodeOf(error: ErrorBody): number {
  return error.code === 'TEMPORAL_UNAVAILABLE' ? EXIT.unreachable : EXIT.refused;
}

/** Shows an error in its one shape, or in words with its hint; answers the exit code. */
export function fail(error: unknown, json: boolean): number {
  const known =
    error instanceof BatchgateError
      ? error
      : new BatchgateError(
          'INTERNAL',
          error instanceof Error ? error.message : String(error),
          'This is a defect; please report it.',
        );
  if (json) printJson(known.toJSON());
  else note(`${known.code}: ${known.message}\n${known.hint}`);
  return exitCodeOf(known.body);
}

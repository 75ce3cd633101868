import { z } from 'zod';
import { InvalidArgumentError, type Command } from 'commander';
import { InexactNumber, readJson } from '../core/shared/json';
import { sizesIn } from '../core/bulk/ramp';
import { io } from './io';
import { fail } from './output';
import { sentences } from '../core/shared/plain-text';

/**
 * Adds a verb with `--json`. `work` receives whether JSON is requested, the arguments and the options. Its errors are
 * printed in the common shape, and set the exit code.
 */
export function verb<A extends unknown[]>(
  program: Command,
  usage: string,
  description: string | { title: string },
  work: (json: boolean, ...args: A) => Promise<number | void>,
): Command {
  return program
    .command(usage)
    .description(typeof description === 'string' ? description : inSentence(description.title))
    .option('--json', 'print exactly one JSON object, or one per line for lists')
    .action(async (...received: unknown[]) => {
      const args = received.slice(0, -1);
      const { json = false, ...options } = args.pop() as { json?: boolean };
      try {
        io().setExitCode((await work(json, ...([...args, options] as unknown as A))) ?? 0);
      } catch (error) {
        io().setExitCode(fail(error, json));
      }
    });
}

/** A sentence as the description of a verb or an option, which begins with a small letter. */
export const inSentence = (words: string): string => words.charAt(0).toLowerCase() + words.slice(1);

export function wholeNumber(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isSafeInteger(value) && value >= 0) return value;
  throw new InvalidArgumentError('It is not a whole number.');
}

export function wholeNumbers(text: string): number[] {
  const numbers = sizesIn(text);
  if (numbers) return numbers;
  throw new InvalidArgumentError('It is not a list of whole numbers, such as 1,5,20.');
}

/** A list such as `person:anna,group:finance`. */
export const texts = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

export function share(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= 0 && value <= 1) return value;
  throw new InvalidArgumentError('It is not a number from 0 to 1.');
}

export function jsonObject(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = readJson(text);
  } catch (error) {
    if (error instanceof InexactNumber) throw new InvalidArgumentError(sentences(error.message, error.hint));
    throw new InvalidArgumentError(`It is not valid JSON: ${error instanceof Error ? error.message : ''}`);
  }
  const parsed = z.record(z.string(), z.unknown()).safeParse(value);
  if (parsed.success) return parsed.data;
  throw new InvalidArgumentError('It is not a JSON object.');
}

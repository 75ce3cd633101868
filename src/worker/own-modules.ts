import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import type { ConfigFile } from '../host/config-file';
import { BatchgateError, describeIssues } from '../contract/errors';

export const functionShape = z.custom<(...args: never[]) => unknown>(
  (value) => typeof value === 'function',
  'is no function',
);

/** The export that modules of the user must have, and the page that explains it. */
interface Exported {
  readonly name: 'adapters' | 'tools';
  readonly shape: z.ZodType;
  readonly page: string;
}

/**
 * Loads the exports with this name from the modules at these paths, in order.
 * @throws BatchgateError `NOT_CONFIGURED` naming the module and what is wrong with it.
 */
export async function loadOwn<T>(
  { folder }: Pick<ConfigFile, 'folder'>,
  paths: readonly string[],
  exported: Exported,
): Promise<T[]> {
  const loaded = await Promise.all(paths.map((path) => load<T>(resolve(folder, path), path, exported)));
  return loaded.flat();
}

async function load<T>(place: string, path: string, { name, shape, page }: Exported): Promise<T[]> {
  const unusable = (why: string) =>
    new BatchgateError(
      'NOT_CONFIGURED',
      `The ${name} of ${path} cannot be used: ${why}`,
      `Name a JavaScript module that exports an array of ${name} as \`${name}\`; see ${page}.`,
    );
  let value: unknown;
  try {
    // Node's loader follows no links in a path while the file that the process last accessed is a socket or a pipe.
    // Then the same module may be loaded twice, and one copy stays empty.
    const real = await realpath(place).catch(() => place);
    value = ((await import(pathToFileURL(real).href)) as Record<string, unknown>)[name];
  } catch (error) {
    throw unusable(error instanceof Error ? error.message : String(error));
  }
  const parsed = z.array(shape).min(1).safeParse(value);
  if (!parsed.success) throw unusable(describeIssues(parsed.error));
  // Returned unchanged, because their methods may need further members.
  return value as T[];
}

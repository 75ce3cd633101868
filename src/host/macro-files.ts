import { readdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { BatchgateError } from '../contract/errors';
import type { Macro, MacroBundle } from '../contract/macro';
import { calledBy } from '../core/macro/calls';
import { mistakesError, type Mistake, parseMacroText } from '../core/macro/parse';

import { NotAFile, readBounded, whenMissing } from './files';

const EXTENSION = '.json';
/** No macro is larger. */
const MAX_FILE_BYTES = 2_000_000;

/**
 * Reads a macro file with all that it calls: beside the file first, then in `macrosDir`.
 * @throws BatchgateError `INVALID_INPUT` with every mistake of shape; a macro that is not found is left out.
 */
export async function loadMacroFile(path: string, macrosDir?: string): Promise<MacroBundle> {
  const text = await readMacro(path);
  if (text === undefined) {
    throw new BatchgateError(
      'INVALID_INPUT',
      `There is no macro file ${path}.`,
      'Give the path of a .json file, or the name of one in macros_dir; see `batchgate macro list`.',
    );
  }
  const parsed = parseMacroText(text, path);
  if ('mistakes' in parsed) throw mistakesError(parsed.mistakes);
  return loadCalled(parsed.macro, {}, [
    dirname(resolve(path)),
    ...(macrosDir === undefined ? [] : [macrosDir]),
  ]);
}

/** Loads a macro with all that it calls, from `inline` or from the first folder that has it. */
export async function loadCalled(
  root: Macro,
  inline: Readonly<Record<string, Macro>>,
  folders: readonly string[],
): Promise<MacroBundle> {
  const macros: Record<string, Macro> = { ...inline, [root.name]: root };
  const mistakes: Mistake[] = [];
  const names = Object.values(macros).flatMap(({ steps }) => calledBy(steps));
  const visited = new Set<string>();
  for (let name = names.pop(); name !== undefined; name = names.pop()) {
    if (Object.hasOwn(macros, name) || visited.has(name)) continue;
    visited.add(name);
    const loaded = await findMacro(name, folders);
    if (loaded === undefined) continue;
    if ('mistakes' in loaded) mistakes.push(...loaded.mistakes);
    else {
      macros[name] = loaded.macro;
      names.push(...calledBy(loaded.macro.steps));
    }
  }
  if (mistakes.length > 0) throw mistakesError(mistakes);
  return { root: root.name, macros };
}

/** The macro of this name in the first folder that has its file; undefined if no folder has it. */
export async function findMacro(
  name: string,
  folders: readonly string[],
): Promise<{ macro: Macro } | { mistakes: Mistake[] } | undefined> {
  // A name must not lead out of the folder.
  if (!/^\w[\w.-]*$/.test(name)) return undefined;
  for (const folder of folders) {
    const path = join(folder, `${name}${EXTENSION}`);
    const text = await readMacro(path);
    if (text === undefined) continue;
    const parsed = parseMacroText(text, path);
    if ('mistakes' in parsed || parsed.macro.name === name) return parsed;
    const message = `the macro in ${path} is called '${parsed.macro.name}'`;
    return {
      mistakes: [{ macro: name, path: 'name', message, hint: 'Name the file after its macro.' }],
    };
  }
  return undefined;
}

/** The macros of a folder by name, and the mistakes of those that cannot be read. */
export async function listMacros(
  folder: string,
): Promise<({ file: string } & ({ macro: Macro } | { mistakes: Mistake[] }))[]> {
  const names = ((await readdir(folder).catch(whenMissing)) ?? [])
    .filter((name) => name.endsWith(EXTENSION))
    .sort();
  return Promise.all(
    names.map(async (name) => {
      const file = join(folder, name);
      return { file, ...parseMacroText((await readMacro(file)) ?? '', file) };
    }),
  );
}

async function readMacro(path: string): Promise<string | undefined> {
  try {
    const text = await readBounded(path, MAX_FILE_BYTES);
    if (text !== undefined) return text;
  } catch (error) {
    if (!(error instanceof NotAFile)) return whenMissing(error);
    throw noMacroFile(path, 'is not a file');
  }
  throw noMacroFile(path, `is larger than ${MAX_FILE_BYTES} bytes`);
}

const noMacroFile = (path: string, why: string) =>
  new BatchgateError('INVALID_INPUT', `${path} ${why}.`, 'Name a macro file; nothing was started.');

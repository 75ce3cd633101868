import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type * as Outline from '../src/cli/outline';
import type * as Program from '../src/cli/program';
import type * as Verbs from '../src/cli/verbs';

const CLI = join(__dirname, '../dist/src/cli');

/** Writes the data of all verbs for completions, from the compiled program. */
export async function outlineVerbs(): Promise<void> {
  const built = createRequire(join(CLI, 'main.js'));
  const { outlineOf } = built('./outline.js') as typeof Outline;
  const { createProgram } = built('./program.js') as typeof Program;
  const { VERBS } = built('./verbs.js') as typeof Verbs;
  await writeFile(join(CLI, 'verbs.json'), JSON.stringify(outlineOf(await createProgram(VERBS))));
}

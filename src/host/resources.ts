import { realpath, stat } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { BatchgateError } from '../contract/errors';
import type { MacroBundle } from '../contract/macro';
import { stepsIn } from '../core/macro/calls';
import type { Mistake } from '../core/macro/parse';
import { isLiteral } from '../core/macro/template';

export const MAX_FILE_BYTES = 20_000_000;

const JSON_FILE = '.json';
const KINDS = [JSON_FILE, '.csv', '.tsv', '.txt', '.xlsx'];
const kindOf = (path: string) => extname(path).toLowerCase();
export const isJson = (path: string): boolean => kindOf(path) === JSON_FILE;

/** The source and file of a `fetch`: a folder under the resources and a file in it. */
export interface Resource {
  source: string;
  resource: string;
}

/**
 * The path of a JSON file, a table or a workbook under the folder of resources. Files elsewhere are
 * refused, also through links.
 * @throws BatchgateError `NOT_CONFIGURED` without such a folder; `INVALID_INPUT` for a file that is not there.
 */
export async function findResource(
  { source, resource }: Resource,
  resourcesDir: string | undefined,
): Promise<string> {
  const label = shownName({ source, resource });
  if (resourcesDir === undefined) {
    throw new BatchgateError(
      'NOT_CONFIGURED',
      `There is no database '${source}', and no folder of resources.`,
      'Name the database under "databases", or set "resources_dir", in batchgate.config.json where the worker runs.',
    );
  }
  const none = () =>
    new BatchgateError(
      'INVALID_INPUT',
      `There is no resource '${label}'.`,
      `Name a file under resources_dir of one of the kinds ${KINDS.join(', ')}.`,
    );
  if (!KINDS.includes(kindOf(resource))) throw none();
  let root: string;
  let realPath: string;
  try {
    root = await realpath(resourcesDir);
    realPath = await realpath(join(root, source, resource));
  } catch {
    throw none();
  }
  if (!realPath.startsWith(`${root}${sep}`)) throw none();
  const file = await stat(realPath);
  // A folder, or a pipe without a writer.
  if (!file.isFile()) throw none();
  if (file.size <= MAX_FILE_BYTES) return realPath;
  throw resourceTooLarge({ source, resource });
}

const shownName = ({ source, resource }: Resource) => (source === '.' ? resource : `${source}/${resource}`);

export const resourceTooLarge = (resource: Resource) =>
  new BatchgateError(
    'INVALID_INPUT',
    `'${shownName(resource)}' is larger than ${MAX_FILE_BYTES} bytes.`,
    'Split it into parts.',
  );

/** The mistakes of fetches that name neither a database nor an existing file. Names with templates are not checked. */
export async function sourceMistakes(
  { macros }: MacroBundle,
  { databases, resourcesDir }: { databases: readonly string[]; resourcesDir?: string },
): Promise<Mistake[]> {
  const fetches = Object.values(macros).flatMap(({ name, steps }) =>
    stepsIn(steps).flatMap(({ step, path }) =>
      step.type === 'fetch' && isLiteral([step.source, step.resource]) && !databases.includes(step.source)
        ? [{ macro: name, path, step }]
        : [],
    ),
  );
  const mistakes = fetches.map(async ({ macro, path, step }): Promise<Mistake[]> => {
    try {
      await findResource(step, resourcesDir);
      return [];
    } catch (error) {
      if (!(error instanceof BatchgateError)) throw error;
      return [{ macro, path: `${path}.source`, message: error.message, hint: error.hint }];
    }
  });
  return (await Promise.all(mistakes)).flat();
}

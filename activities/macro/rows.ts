import { readFile, realpath, stat } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { parse as parseCsv } from 'csv-parse/sync';
import { BatchgateError } from '../../src/contract/errors';
import type { Json } from '../../src/contract/macro';
import type { FetchInput } from '../../src/contract/macro-activities';
import { selectRows } from '../../src/core/macro/select-rows';

const MAX_FILE_BYTES = 20_000_000;

/**
 * The rows of a JSON or CSV file under the folder of resources. A file elsewhere is not read, whatever links lead there.
 * @throws BatchgateError `NOT_CONFIGURED` without such a folder; `INVALID_INPUT` for a file that is not there or no list.
 */
export async function readFileRows(input: FetchInput, resourcesDir: string | undefined): Promise<Json[]> {
  const path = await findResource(input, resourcesDir);
  const text = await readFile(path, 'utf8');
  const csv = extname(path).toLowerCase() === '.csv';
  return selectRows(csv ? csvRows(text, input) : jsonRows(text, input), input, csv);
}

async function findResource(
  { source, resource }: FetchInput,
  resourcesDir: string | undefined,
): Promise<string> {
  const shown = source === '.' ? resource : `${source}/${resource}`;
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
      `There is no resource '${shown}'.`,
      'Name a .json or .csv file under resources_dir.',
    );
  if (!['.json', '.csv'].includes(extname(resource).toLowerCase())) throw none();
  let root: string;
  let found: string;
  try {
    root = await realpath(resourcesDir);
    found = await realpath(join(root, source, resource));
  } catch {
    throw none();
  }
  if (!found.startsWith(`${root}${sep}`)) throw none();
  const file = await stat(found);
  // A folder, or a pipe that nobody writes to.
  if (!file.isFile()) throw none();
  if (file.size <= MAX_FILE_BYTES) return found;
  throw new BatchgateError(
    'INVALID_INPUT',
    `'${shown}' is larger than ${MAX_FILE_BYTES} bytes.`,
    'Cut it into parts.',
  );
}

function jsonRows(text: string, { resource }: FetchInput): Json[] {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    throw new BatchgateError('INVALID_INPUT', `'${resource}' is no JSON.`, 'Correct the file.');
  }
  return (Array.isArray(value) ? value : [value]) as Json[];
}

function csvRows(text: string, { resource }: FetchInput): Json[] {
  try {
    return parseCsv(text, { columns: true, bom: true, skip_empty_lines: true });
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unknown error';
    throw new BatchgateError(
      'INVALID_INPUT',
      `'${resource}' is no CSV with a header: ${why}.`,
      'Correct the file.',
    );
  }
}

import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { parse as parseCsv } from 'csv-parse/sync';
import { BatchgateError } from '../../src/contract/errors';
import type { Json } from '../../src/contract/macro';
import type { FetchInput } from '../../src/contract/macro-activities';
import { findResource } from '../../src/host/resources';
import { InexactNumber, readJson } from '../../src/core/shared/json';
import { selectRows } from '../../src/core/macro/select-rows';

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

function jsonRows(text: string, { resource }: FetchInput): Json[] {
  let value: unknown;
  try {
    value = readJson(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    if (error instanceof InexactNumber) {
      throw new BatchgateError('INVALID_INPUT', `'${resource}': ${error.message}`, error.hint);
    }
    throw new BatchgateError('INVALID_INPUT', `'${resource}' is not valid JSON.`, 'Correct the file.');
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

import { BatchgateError } from '../../src/contract/errors';
import type { Json } from '../../src/contract/macro';
import type { FetchInput } from '../../src/contract/macro-activities';
import { InexactNumber, inexactNumbers } from '../../src/core/shared/json';
import { selectRows } from '../../src/core/macro/select-rows';
import { sentences } from '../../src/core/shared/plain-text';
import { readBytes } from '../../src/host/files';
import { NULL_CELL } from '../../src/host/items/table-items';
import { findResource, isJson, MAX_FILE_BYTES, resourceTooLarge } from '../../src/host/resources';
import { mistakeText, placeAt, UnfitFile } from '../../src/host/tables/mistake';
import { readTable } from '../../src/host/tables/table';
import { decodeText } from '../../src/host/tables/text';

/**
 * Returns the rows of a JSON file, a table or a workbook in the folder of resources. Does not follow links out
 * of the folder.
 * @throws BatchgateError `NOT_CONFIGURED` without such a folder; `INVALID_INPUT` for a file that is missing or no list.
 */
export async function readFileRows(input: FetchInput, resourcesDir: string | undefined): Promise<Json[]> {
  const path = await findResource(input, resourcesDir);
  const bytes = await readBytes(path, MAX_FILE_BYTES);
  if (!bytes) throw resourceTooLarge(input);
  const json = isJson(path);
  try {
    return selectRows(json ? jsonRows(bytes) : await tableRows(bytes), input, !json);
  } catch (error) {
    if (!(error instanceof UnfitFile)) throw error;
    const [mistake] = error.mistakes;
    throw new BatchgateError(
      'INVALID_INPUT',
      `'${input.resource}' cannot be read: ${mistakeText(mistake)}.`,
      sentences(mistake.hint),
    );
  }
}

function jsonRows(bytes: Buffer): Json[] {
  const { text } = decodeText(bytes);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const offset = Number(/ at position (\d+)/.exec(String(error))?.[1] ?? text.length);
    throw new UnfitFile([
      { ...placeAt(text, offset), message: 'it is not valid JSON', hint: 'Correct the file' },
    ]);
  }
  const [inexact] = inexactNumbers(text);
  if (!inexact) return (Array.isArray(value) ? value : [value]) as Json[];
  const { message, hint } = new InexactNumber(inexact.number);
  throw new UnfitFile([{ ...placeAt(text, inexact.offset), message: message.replace(/\.$/, ''), hint }]);
}

async function tableRows(bytes: Buffer): Promise<Json[]> {
  const rows: Json[] = [];
  for (const { cells, mistakes } of (await readTable(bytes, { known: [] })).rows) {
    const [mistake] = mistakes;
    if (mistake) throw new UnfitFile([mistake]);
    const values = Object.entries(cells).map(([name, cell]) => [name, cell === NULL_CELL ? null : cell]);
    rows.push(Object.fromEntries(values) as Json);
  }
  return rows;
}

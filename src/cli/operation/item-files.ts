import { z } from 'zod';
import { BatchgateError } from '../../contract/errors';
import { tooMany } from '../../core/bulk/input';
import { sentences } from '../../core/shared/plain-text';
import { readBytes } from '../../host/files';
import { ITEM_FILE_ENDINGS, itemReader, itemsOfRows, type ItemList } from '../../host/items/item-list';
import type { ItemRows } from '../../host/items/item-rows';
import { mistakeText, UnfitFile, type FileMistake } from '../../host/tables/mistake';

const SHOWN_MISTAKES = 10;
/** Far more than a list for one operation needs, also with the columns of a report. */
const MAX_FILE_BYTES = 50_000_000;

/**
 * Reads the items of a file: see `itemsOfRows`.
 * @throws BatchgateError `INVALID_INPUT` naming the place of each mistake, `TOO_MANY_ITEMS`.
 */
export async function readItems(path: string, limit: number): Promise<Omit<ItemList, 'beyond'>> {
  const { beyond, ...list } = await listIn(path, limit);
  const excess = tooMany(list.items.length + beyond, limit);
  if (excess) {
    throw new BatchgateError(
      excess.code,
      excess.message,
      `Split ${path} into several operations, or raise BATCHGATE_MAX_TOTAL_ITEMS here and for the worker.`,
      excess.details,
    );
  }
  if (list.items.length === 0) throw unreadable(path, 'it contains no items', 'Write one item per line');
  return list;
}

async function listIn(path: string, limit: number): Promise<ItemList> {
  const rows = await rowsOf(path);
  try {
    return itemsOfRows(rows, limit);
  } catch (error) {
    throw error instanceof UnfitFile ? unfit(path, error.mistakes) : error;
  }
}

async function rowsOf(path: string): Promise<ItemRows> {
  const reader = itemReader(path);
  if (!reader) {
    const kinds = ITEM_FILE_ENDINGS.join(', ');
    throw unreadable(path, `its name ends in none of ${kinds}`, 'Give a .csv, .xlsx or .jsonl file');
  }
  try {
    const bytes = await readBytes(path, MAX_FILE_BYTES);
    if (bytes) return await reader(bytes);
  } catch (error) {
    if (error instanceof BatchgateError) throw error;
    if (error instanceof UnfitFile) throw unfit(path, error.mistakes);
    throw unreadable(path, (error as Error).message, 'Check its name and that it can be read');
  }
  throw unreadable(path, `it is larger than ${MAX_FILE_BYTES} bytes`, 'Split it into several operations');
}

const FIX = 'Correct these lines';

function unfit(path: string, mistakes: readonly FileMistake[], how?: string): BatchgateError {
  const [only, ...others] = mistakes;
  if (only && others.length === 0) return unreadable(path, mistakeText(only), only.hint, how);
  const more = mistakes.length > SHOWN_MISTAKES ? `\n  and ${mistakes.length - SHOWN_MISTAKES} more` : '';
  const lines = mistakes
    .slice(0, SHOWN_MISTAKES)
    .map((mistake) => `\n  ${sentences(mistakeText(mistake), mistake.hint)}`);
  const what = `it has ${mistakes.length} mistakes:${lines.join('')}${more}`;
  return unreadable(path, what.replace(/\.$/, ''), FIX, how);
}

const misfits = z.object({
  mistakes: z.array(
    z.object({ item_id: z.string(), column: z.string(), message: z.string(), hint: z.string() }),
  ),
});

/** Converts a refusal that names items to one that names lines of their file. Returns other errors unchanged. */
export function atLines(error: unknown, path: string, lines: ReadonlyMap<string, number>): unknown {
  if (!(error instanceof BatchgateError)) return error;
  const itemMistakes = misfits.safeParse(error.details).data?.mistakes ?? [];
  const [first, ...others] = itemMistakes.flatMap(({ item_id, ...mistake }): FileMistake[] => {
    const line = lines.get(item_id);
    return line === undefined ? [] : [{ line, ...mistake }];
  });
  return first ? unfit(path, [first, ...others], 'do not fit') : error;
}

function unreadable(path: string, what: string, hint: string, how = 'cannot be read'): BatchgateError {
  return new BatchgateError(
    'INVALID_INPUT',
    `The items of ${path} ${how}: ${what}.`,
    `${hint}; nothing was started.`,
  );
}

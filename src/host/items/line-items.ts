import { invisibleInId, shortenedId } from '../../core/shared/item-ids';
import type { ItemRow, ItemRows } from './item-rows';

/** Blanks that a person types. Others belong to what was copied, and make another id. */
const TYPED_BLANKS = /^[ \t\r]+|(?<![ \t\r])[ \t\r]+$/g;

/**
 * Items as a person lists them, or pastes them from a spreadsheet without its header: one id per line, with the name
 * after a tab or a comma.
 */
export const lineItems = (text: string): ItemRows => ({ rows: itemRows(text), notes: [] });

function* itemRows(text: string): Generator<ItemRow> {
  let line = 0;
  for (const written of text.split('\n')) {
    line++;
    const content = written.replace(TYPED_BLANKS, '');
    if (content !== '') yield itemRow(content, line);
  }
}

function itemRow(content: string, line: number): ItemRow {
  const [, id = content, name] = /^([^\t]+)\t(.*)$/.exec(content) ?? /^([^,]+),(.*)$/.exec(content) ?? [];
  const [item = '', display_name] = [id, name].map((one) => one?.replace(TYPED_BLANKS, ''));
  const mistake = shortenedId(item) ?? invisibleInId(item);
  const named = display_name === undefined || display_name === '' ? {} : { display_name };
  return {
    line,
    value: { id: item, ...named },
    mistakes: mistake ? [{ line, ...mistake }] : [],
    columnOf: () => undefined,
  };
}

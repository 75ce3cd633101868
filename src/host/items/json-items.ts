import { findNodeAtLocation, parseTree, type ParseError } from 'jsonc-parser';
import { isTooDeep, MAX_DEPTH, shortened, TOO_DEEP } from '../../contract/text';
import { InexactNumber, inexactNumbers, nestingOf, repeatedKeys } from '../../core/shared/json';
import { quoted } from '../../core/shared/plain-text';
import { encodingNotes } from '../tables/table';
import { decodeText } from '../tables/text';
import type { FileMistake } from '../tables/mistake';
import { withoutOurs, type ItemRow, type ItemRows } from './item-rows';

/** No item needs a longer line, and a file without line breaks is not a list. */
const MAX_LINE_CHARACTERS = 1_048_576;
/** More than any accepted item has, so that its mistakes are named at their places. */
const MAX_LEVELS = 2 * MAX_DEPTH;

/** The items of a text with one JSON object a line. @throws like `decodeText`. */
export function jsonItems(bytes: Buffer): ItemRows {
  const { text, encoding } = decodeText(bytes);
  return { rows: itemRows(text), notes: encodingNotes(encoding) };
}

/** A line ends at a line feed only: the Unicode separators are part of a name, in JSON too. */
function* itemRows(text: string): Generator<ItemRow> {
  let line = 0;
  for (const source of text.split('\n')) {
    line++;
    const content = source.trim();
    if (content !== '') yield itemRow(content, line, source.indexOf(content) + 1);
  }
}

function itemRow(content: string, line: number, begin: number): ItemRow {
  const result = valueOf(content);
  if ('message' in result) {
    const { offset, ...mistake } = result;
    const column = offset === undefined ? {} : { column: begin + offset };
    return { line, value: undefined, mistakes: [{ line, ...column, ...mistake }], columnOf: () => undefined };
  }
  const { value } = result;
  const columnOf = (path: readonly PropertyKey[]) => {
    const root = treeOf(content);
    const node = root && findNodeAtLocation(root, path as (string | number)[]);
    return node && begin + node.offset;
  };
  return { line, value: withoutOurs(value), mistakes: [], columnOf };
}

type Mistake = Pick<FileMistake, 'message' | 'hint'> & { offset?: number | undefined };

function valueOf(content: string): { value: unknown } | Mistake {
  if (content.length > MAX_LINE_CHARACTERS)
    return { message: 'it is longer than 1 MiB', hint: 'Write one item per line' };
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch (error) {
    const [reason = ''] = (error as Error).message.split(/, \S*"| (?:in JSON )?at position /);
    const message = `it is not valid JSON: ${reason}`;
    return { offset: brokenAt(content), message, hint: 'Write one JSON object per line' };
  }
  const [place] = inexactNumbers(content);
  if (!place) return repeatedMistake(content, value) ?? { value };
  const { message, hint } = new InexactNumber(place.number);
  return { offset: place.offset, message: message.replace(/\.$/, ''), hint: hint.replace(/\.$/, '') };
}

function repeatedMistake(content: string, value: unknown): Mistake | undefined {
  const root = treeOf(content);
  if (!root) {
    // The schema refuses a value that is so deep. Otherwise the text has the levels in a value that was dropped.
    return isTooDeep(value, MAX_LEVELS) ? undefined : { message: `it ${TOO_DEEP}`, hint: 'Correct it' };
  }
  const [key] = repeatedKeys(root);
  if (!key) return undefined;
  const message = `the field ${quoted(shortened(String(key.value)))} is given twice in one object`;
  return { offset: key.offset, message, hint: 'Remove one of them' };
}

/** Undefined for a text that is nested so deep that the parser, which recurses for each level, could fail. */
const treeOf = (content: string) => (nestingOf(content) > MAX_LEVELS ? undefined : parseTree(content));

function brokenAt(content: string): number | undefined {
  const errors: ParseError[] = [];
  try {
    parseTree(content, errors, { disallowComments: true });
  } catch {
    // It is nested too deep for the parser, which recurses for each level.
  }
  return errors[0]?.offset;
}

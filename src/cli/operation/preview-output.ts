import { stringify } from 'csv-stringify/sync';
import {
  PREVIEW_COLUMNS,
  type BulkPreview,
  type ItemState,
  type PreviewedItem,
} from '../../contract/preview';
import { presentChange } from '../../core/bulk/change';
import { groupLines, groupsOf, groupsSummary } from '../../core/bulk/groups';
import { revisionLines } from '../../core/bulk/revisions';
import { presentPreview } from '../../core/bulk/presenter';
import { previewText, stateText, type Reader } from '../../core/bulk/preview-text';
import { idText, jsonLine, markdownLine, nameText } from '../../core/shared/plain-text';
import { plural } from '../../core/shared/quantities';
import { asCell, BLANK_EDGES } from '../../core/shared/spreadsheet';
import { localReader, table } from '../output';

export const PREVIEW_FORMATS = ['table', 'md', 'csv', 'jsonl'] as const;
export type PreviewFormat = (typeof PREVIEW_FORMATS)[number];

/** The most items that fit on a screen. More are summarised by what happens to them. */
const ON_A_SCREEN = 20;
/** The most items with one effect that are named here. More are named in the other formats only. */
const NAMED = 5;

/** A preview for the terminal, or as a file of the format. */
export function previewOutput(preview: BulkPreview, format: PreviewFormat): string {
  const reader = localReader();
  if (format === 'jsonl') return preview.items.map((item) => `${jsonLine(item)}\n`).join('');
  if (format === 'csv') return csv(preview.items, reader);
  const head = [presentChange(preview.change), presentPreview(preview), ...revisionLines(preview)];
  const digest = ['', `digest  ${preview.digest}`, ''];
  if (format === 'table' && preview.items.length > ON_A_SCREEN)
    return [...head, '', ...summedUp(preview, reader), ...digest].join('\n');
  const lines = [...head, ...truncationLines(preview)];
  const rows = preview.items.map((item) => [
    String(item.batch ?? 1),
    idText(item.id),
    nameText(item.display_name),
    meaning(item, reader),
  ]);
  if (format === 'md') return markdown(lines, rows);
  return [...lines, '', table(['batch', 'id', 'name', 'change'], rows), ...digest].join('\n');
}

/** The note for a preview that is too large to list all items; CSV and JSONL have no room for it. */
export const truncationLines = ({ items, total, noun, items_truncated }: BulkPreview): string[] =>
  items_truncated ? [`The first ${items.length} of ${plural(total, noun.one, noun.many)} are listed.`] : [];

/** The groups in one line, and the items of the small groups. */
function summedUp({ items, total, items_truncated }: BulkPreview, reader: Reader): string[] {
  const groups = groupsOf(items);
  const of = items_truncated ? `Of the first ${items.length} of ${total}: ` : '';
  const small = groups.filter(({ members }) => members.length <= NAMED);
  return [
    `${of}${groupsSummary(groups, reader)}`,
    ...groupLines(items, reader, small),
    '',
    `Each ${items_truncated ? 'of these' : 'item'}, before and after: add --format md, csv or jsonl.`,
  ];
}

function meaning({ skipped, ...item }: PreviewedItem, reader: Reader): string {
  return [...(skipped ? ['stays as it is'] : []), previewText(item, reader)]
    .filter((text) => text !== '')
    .join('; ');
}

function csv(items: readonly PreviewedItem[], reader: Reader): string {
  const state = (value: ItemState | undefined) => (value ? stateText(value, reader) : '');
  const rows = items.map(({ before, after, already, skipped, ...item }) => ({
    ...item,
    id: asCell(item.id),
    display_name: asCell(item.display_name),
    expected_error: asCell(item.expected_error ?? ''),
    conflict: asCell(item.conflict ?? ''),
    not_shown: asCell(item.not_shown ?? ''),
    before: asCell(state(before)),
    after: asCell(state(after)),
    already: already ? 'yes' : '',
    skipped: skipped ? 'yes' : '',
  }));
  return stringify(rows, {
    header: true,
    columns: PREVIEW_COLUMNS,
    quoted_match: BLANK_EDGES,
  });
}

function markdown(lines: string[], rows: string[][]): string {
  return [
    ...lines.map((line) => `${markdownLine(line)}\n\n`),
    '| batch | id | name | change |\n| --- | --- | --- | --- |\n',
    ...rows.map((row) => `| ${row.map((cell) => markdownLine(asCell(cell))).join(' | ')} |\n`),
  ].join('');
}

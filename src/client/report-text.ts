import { stringify } from 'csv-stringify/sync';
import { presentChange } from '../core/bulk/change';
import { reportGroupText, reportGroups } from '../core/bulk/report-groups';
import { requesterLines } from '../core/bulk/requester';
import { stateText, type Reader } from '../core/bulk/preview-text';
import { idText, jsonLine, markdownLine, nameText } from '../core/shared/plain-text';
import { asCell, BLANK_EDGES } from '../core/shared/spreadsheet';
import { spanText } from '../core/shared/time-spans';
import type { Report, ReportColumn, ReportRow } from '../contract/report';
import type { QuestionRecord } from '../contract/record';
import { columnsOf, type OpenReport } from './report';

export const REPORT_FORMATS = ['csv', 'jsonl', 'md'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

/** Yields a report as text, row by row, so that a long report is sent while it is read. */
export async function* reportParts(
  { columns, rows, questions, ...head }: OpenReport,
  format: ReportFormat,
  reader: Reader,
): AsyncGenerator<string> {
  if (format === 'jsonl') {
    for await (const row of rows) yield `${jsonLine(row)}\n`;
    return;
  }
  yield headOf(head, columns, format);
  const seenRows: ReportRow[] = [];
  for await (const row of rows) {
    if (format === 'md') seenRows.push(row);
    yield lineOf(row, columns, format, reader);
  }
  if (format === 'md') yield below(seenRows, questions());
}

/** Returns the text of a complete report. */
export function reportText(
  { rows, questions = [], ...head }: Pick<Report, 'rows'> & Partial<Pick<Report, 'questions'>> & Head,
  format: ReportFormat,
  reader: Reader,
): string {
  if (format === 'jsonl') return rows.map((row) => `${jsonLine(row)}\n`).join('');
  const columns = columnsOf({
    before: rows.some((row) => row.before),
    after: rows.some((row) => row.after),
    resolutions: rows.some((row) => row.resolved_at),
    questions: rows.some((row) => row.asked_at),
  });
  const lines = rows.map((row) => lineOf(row, columns, format, reader));
  const rest = format === 'md' ? below(rows, questions) : '';
  return [headOf(head, columns, format), ...lines, rest].join('');
}

/** The items grouped by result, and the questions. They come last, because a report is sent while it is read. */
function below(rows: readonly ReportRow[], questions: readonly QuestionRecord[]): string {
  const groups = reportGroups(rows).map((group) => `- ${markdownLine(reportGroupText(group))}\n`);
  return [...(groups.length > 0 ? ['\n', ...groups] : []), questionsTable(questions)].join('');
}

/** The table of questions and answers below the rows. */
const questionsTable = (questions: readonly QuestionRecord[]): string =>
  questions.length === 0 ? '' : `\n${questionsText(questions, 'md')}`;

/** Returns the questions and answers of an operation as text. */
export function questionsText(questions: readonly QuestionRecord[], format: ReportFormat): string {
  if (format === 'jsonl') return questions.map((row) => `${jsonLine(row)}\n`).join('');
  const rows = questions.map(questionCells);
  if (format === 'csv') return [csv(QUESTION_COLUMNS), ...rows.map(csv)].join('');
  const lines = rows.map((cells) => md(cells.map((text) => markdownLine(asCell(text)))));
  return [md(QUESTION_COLUMNS), `|${' --- |'.repeat(QUESTION_COLUMNS.length)}\n`, ...lines].join('');
}

type TableFormat = Exclude<ReportFormat, 'jsonl'>;
const csv = (values: readonly (string | number)[]) =>
  stringify([values.map((value) => (typeof value === 'string' ? asCell(value) : value))], {
    quoted_match: BLANK_EDGES,
  });
const md = (values: readonly (string | number)[]) => `| ${values.join(' | ')} |\n`;

type Head = Pick<Report, 'change' | 'requested_by' | 'reason' | 'by_agent' | 'policy'>;

function headOf(head: Head, columns: readonly ReportColumn[], format: TableFormat): string {
  if (format === 'csv') return csv(columns);
  const lines = [
    ...(head.change ? [presentChange(head.change)] : []),
    ...requesterLines(head),
    ...(head.policy === undefined ? [] : [head.policy]),
  ];
  const above = lines.map((line) => `${markdownLine(line)}\n\n`).join('');
  return `${above}${md(columns)}|${' --- |'.repeat(columns.length)}\n`;
}

function lineOf(
  row: ReportRow,
  columns: readonly ReportColumn[],
  format: TableFormat,
  reader: Reader,
): string {
  const values = columns.map((name) => textOf(name, row, reader));
  return format === 'csv' ? csv(values) : md(columns.map((name, at) => cell(name, values[at])));
}

function textOf(column: ReportColumn, row: ReportRow, reader: Reader): string | number {
  if (column !== 'before' && column !== 'after') return row[column] ?? '';
  const state = row[column];
  return state ? stateText(state, reader) : '';
}

function cell(column: ReportColumn, value: string | number = ''): string {
  const text = String(value);
  if (column === 'id') return markdownLine(asCell(idText(text)));
  return markdownLine(asCell(column === 'display_name' ? nameText(text) : text));
}

const NOT_KNOWN = 'not known';

export const QUESTION_COLUMNS = [
  ...['question', 'asked_at', 'waited', 'shown_at', 'read', 'decided_at', 'decision', 'by', 'where', 'note'],
] as const;

/** Returns a question of a report in words. */
export function questionCells(question: QuestionRecord): string[] {
  const { batch, attempt, asked_at, shown_at, read_seconds, decided_at, decision } = question;
  const isAnswered = decision !== undefined;
  return [
    `batch ${batch}${attempt > 1 ? `, attempt ${attempt}` : ''}`,
    ...[asked_at, spanText(question.waited_seconds)],
    shown_at ?? (isAnswered ? NOT_KNOWN : ''),
    read_seconds === undefined ? (isAnswered ? NOT_KNOWN : '') : spanText(read_seconds),
    ...[decided_at ?? '', decisionText(question)],
    isAnswered ? (question.by ?? 'no name') : '',
    isAnswered ? (question.door ?? question.via ?? NOT_KNOWN) : '',
    question.note ?? '',
  ];
}

function decisionText({ decision, open, withdrawn }: QuestionRecord): string {
  if (decision === undefined) return open ? 'open' : 'no answer';
  if (!withdrawn) return decision;
  const { by = 'no name', at, scheduled_for } = withdrawn;
  const later = scheduled_for === undefined ? '' : ` for ${scheduled_for}`;
  return `${decision}${later}, taken back by ${by} at ${at}`;
}

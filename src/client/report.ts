import { Readable } from 'node:stream';
import type { Client } from '@temporalio/client';
import { QUERIES } from '../contract/messages';
import type { LedgerItem, LedgerRecord } from '../contract/ledger-record';
import type { Change } from '../contract/change';
import type { Answer, QuestionRecord } from '../contract/record';
import type { ItemsPage } from '../contract/operation';
import { REPORT_COLUMNS, type Report, type ReportColumn, type ReportRow } from '../contract/report';
import { answeredOf, questionOf, questionsOf } from '../core/bulk/answers';
import { itemsInBatches } from '../core/bulk/ledger-status';
import { codeAt, OUTCOME_OF } from '../core/bulk/outcomes';
import { reportGroups } from '../core/bulk/report-groups';
import { policySentence } from '../core/policy/words';
import { ask } from './messages';
import { ledgerParts, noRecord, readLedger } from './ledger';
import { getBulkStatus, locateOperation } from './status';

/** Returns the columns of a report in which some rows have values. */
export const columnsOf = ({ before, after, resolutions, questions }: Shows): ReportColumn[] =>
  REPORT_COLUMNS.filter((name) => {
    if (name === 'before') return before;
    if (name === 'after') return after;
    if (OF_QUESTIONS.has(name)) return questions;
    return !name.startsWith('resolved_') || resolutions;
  });

type Shows = LedgerRecord['shows'];

const OF_QUESTIONS: ReadonlySet<ReportColumn> = new Set([
  ...(['asked_at', 'waited_seconds', 'confirmed_in', 'shown_at', 'read_seconds'] as const),
]);

const PAGE = 1_000;

/**
 * Returns the outcome of each item, its time, and who confirmed it, from the ledger, compared with Temporal's history.
 */
export async function getReport(client: Client, operationId: string): Promise<Report> {
  const record = await readLedger(client, await locateOperation(client, operationId));
  const { answers, change } = record;
  const items = itemsInBatches(record);
  const status = await getBulkStatus(client, operationId);
  const { reset, revises, revision, sent_back } = status;
  const questions = questionsOf(answers, status, new Date().toISOString());
  const header = {
    ...(revises !== undefined && { revises }),
    ...(revision && { revision }),
    ...(sent_back && { sent_back }),
    ...(record.edits && { edits: record.edits.map(({ subject: _, ...edit }) => edit) }),
  };
  const facts = {
    ...(change && { change }),
    ...(reset && { reset }),
    ...askedIn(record),
    ...header,
    questions,
  };
  const rowOf = rowWith(answers);
  const rows = items.map(rowOf);
  // A workflow that was terminated or deleted answers no query; then only the ledger remains.
  const history = await historyOutcomes(client, operationId).catch(() => undefined);
  const groups = reportGroups(rows);
  if (history === undefined) return { ...facts, rows, groups };
  const differences = rows.flatMap(({ id, outcome }, at) => {
    const other = OUTCOME_OF[codeAt(history, items[at]?.index ?? at)];
    const late = other === 'in_doubt' && items[at]?.resolution !== undefined;
    return other === outcome || late ? [] : [{ id, ledger: outcome, history: other }];
  });
  return { ...facts, rows, groups, differences };
}

/** Returns the requester of an operation, the reason, and the policy's requirement. */
function askedIn({
  requested_by,
  terms = {},
}: LedgerRecord): Pick<Report, 'requested_by' | 'reason' | 'by_agent' | 'policy'> {
  const { reason, by_agent, policy } = terms;
  return {
    ...(requested_by !== undefined && { requested_by }),
    ...(reason !== undefined && { reason }),
    ...(by_agent && { by_agent }),
    ...(policy?.requirement && { policy: policySentence(policy.requirement) }),
  };
}

/** A report that is read row by row. */
export interface OpenReport extends Pick<Report, 'requested_by' | 'reason' | 'by_agent' | 'policy'> {
  change?: Change;
  /** The columns that may have values. */
  columns: ReportColumn[];
  /** The rows, read from the ledger alone, in parts and on demand. */
  rows: AsyncIterable<ReportRow>;
  /** Returns the answered questions of the rows that were read. */
  questions: () => QuestionRecord[];
}

/**
 * Opens a report with the rows from a place on.
 * @throws BatchgateError `NOT_FOUND` when the ledger has no record of the operation.
 */
export async function openReport(client: Client, operationId: string, from = 0): Promise<OpenReport> {
  const place = await locateOperation(client, operationId);
  const parts = ledgerParts(client, place, from);
  const first = await parts.next();
  if (first.done) throw noRecord(operationId);
  const { change, shows, items, answers, terms } = first.value;
  const head = { ...(change && { change }), ...askedIn(first.value), columns: columnsOf(shows) };
  if (terms?.batch_sizes) {
    // The batches of later items follow from the outcomes of all earlier items.
    const record = await readLedger(client, place);
    const whole = itemsInBatches(record).slice(from).map(rowWith(record.answers));
    const rows = Readable.from(whole) as AsyncIterable<ReportRow>;
    return { ...head, rows, questions: () => answeredOf(record.answers) };
  }
  const seenAnswers = [...answers];
  async function* rows() {
    yield* items.map(rowWith(answers));
    for await (const part of parts) {
      seenAnswers.push(...part.answers);
      yield* part.items.map(rowWith(part.answers));
    }
  }
  return { ...head, rows: rows(), questions: () => answeredOf(seenAnswers) };
}

/** Returns a function that makes a row of the report, with the question whose answer confirmed the item. */
function rowWith(answers: readonly Answer[]): (item: LedgerItem) => ReportRow {
  const keyOf = (batch: number, at: string) => `${batch} ${at}`;
  const confirmations = new Map(answers.map((answer) => [keyOf(answer.batch, answer.at), answer]));
  return (item) => {
    const { batch, confirmed_at } = item;
    const answer = confirmed_at === undefined ? undefined : confirmations.get(keyOf(batch, confirmed_at));
    return { ...rowOf(item), ...(answer && questionPart(answer)) };
  };
}

function questionPart(answer: Answer): Partial<ReportRow> {
  const { asked_at, shown_at, read_seconds, waited_seconds, door } = questionOf(answer);
  return {
    ...{ asked_at, waited_seconds },
    ...(door !== undefined && { confirmed_in: door }),
    ...(shown_at !== undefined && { shown_at, read_seconds }),
  };
}

function rowOf(item: LedgerItem): ReportRow {
  const { index: _, raw_data: __, retryable: ___, edition: ____, resolution, state, preview, ...row } = item;
  return {
    ...row,
    ...(resolution && {
      ...(resolution.by !== undefined && { resolved_by: resolution.by }),
      resolved_at: resolution.at,
      resolved_reason: resolution.reason,
    }),
    ...(preview?.before && { before: preview.before }),
    ...(preview?.after && { after: preview.after }),
    outcome: state === 'planned' ? 'pending' : state === 'intended' ? 'in_doubt' : state,
  };
}

/** Returns the workflow's outcome codes, one for each place in the plan. */
async function historyOutcomes(client: Client, operationId: string): Promise<string> {
  for (let codes = ''; ;) {
    const request = { offset: codes.length, limit: PAGE };
    const page = await ask(client, operationId, (handle) =>
      handle.query<ItemsPage, [object]>(QUERIES.items, request),
    );
    codes += page.outcomes;
    if (page.outcomes === '' || codes.length >= page.total) return codes;
  }
}

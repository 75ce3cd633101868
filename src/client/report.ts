import type { Client } from '@temporalio/client';
import type { Change } from '../contract/change';
import { QUERIES } from '../contract/messages';
import type { ItemOutcome, ItemsPage } from '../contract/operation';
import { codeAt, OUTCOME_OF } from '../core/bulk/outcomes';
import { ask } from './messages';
import { readLedger } from './ledger';
import { describeOperation } from './operations';

/** One item of a report. Times are ISO 8601. */
export interface ReportRow {
  id: string;
  display_name: string;
  batch: number;
  outcome: ItemOutcome;
  error?: string;
  confirmed_by?: string;
  confirmed_at?: string;
  finished_at?: string;
}

export interface Report {
  /** What was done to each of them; absent where the ledger never saw the plan. */
  change?: Change;
  rows: ReportRow[];
  /** Items of which ledger and history say different things; undefined where the history is no longer kept. */
  differences?: { id: string; ledger: ItemOutcome; history: ItemOutcome }[];
}

const PAGE = 1_000;

/** What was done to each item, on whose word and when: from the ledger, held against Temporal's history. */
export async function getReport(client: Client, operationId: string): Promise<Report> {
  const description = await describeOperation(client, operationId);
  const { items, change } = await readLedger(client, description);
  const facts = { ...(change && { change }) };
  const rows = items.map(({ index: _, raw_data: __, retryable: ___, state, ...row }): ReportRow => ({
    ...row,
    outcome: state === 'planned' ? 'pending' : state === 'intended' ? 'in_doubt' : state,
  }));
  // A terminated workflow answers no query; the ledger stands alone then.
  const history = await historyItems(client, operationId).catch(() => undefined);
  if (!history) return { ...facts, rows };
  const differences = rows.flatMap(({ id, outcome }, at) => {
    const said = history[items[at]?.index ?? at];
    const other = said && (said.id ?? id) === id ? said.outcome : 'pending';
    return other === outcome ? [] : [{ id, ledger: outcome, history: other }];
  });
  return { ...facts, rows, differences };
}

/** What the workflow says of each place of the plan; without the id of an item that it does not hold. */
async function historyItems(
  client: Client,
  operationId: string,
): Promise<{ id?: string; outcome: ItemOutcome }[]> {
  const rows: { id?: string; outcome: ItemOutcome }[] = [];
  for (;;) {
    const request = { offset: rows.length, limit: PAGE };
    const page = await ask(client, operationId, (handle) =>
      handle.query<ItemsPage, [object]>(QUERIES.items, request),
    );
    const { codes = '' } = page.elsewhere ?? {};
    const unnamed = [...codes].map((_, at) => ({ outcome: OUTCOME_OF[codeAt(codes, at)] }));
    const before = rows.length;
    rows.push(...page.items, ...unnamed);
    if (rows.length === before || rows.length >= page.total) return rows;
  }
}

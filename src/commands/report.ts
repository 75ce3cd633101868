import { z } from 'zod';
import { getBulkStatus, getItemProof, getReport, openReport, REPORT_FORMATS } from '../client';
import { itemProofSchema } from '../contract/item-proof';
import { MAX_ID_LENGTH } from '../contract/items';
import { itemOutcomeSchema, type BulkStatus, type ItemOutcome } from '../contract/operation';
import { reportRowSchema, reportSchema, type ReportRow } from '../contract/report';
import { upTo } from '../contract/text';
import { MAY } from '../core/access/permissions';
import { command, type AnyCommand } from './command';
import { operation_id } from './fields';

const looks = { group: 'operations', may: MAY.look, effect: 'reads', idempotent: true } as const;

export const reportCommand = command({
  ...looks,
  name: 'getReport',
  title: 'Report of a bulk operation',
  does: 'Shows one row for each item: its outcome, error and batch, who confirmed it and when.',
  input: z.strictObject({
    operation_id,
    format: z
      .enum(['json', ...REPORT_FORMATS])
      .default('json')
      .describe('json compares the rows with the history too; the others are sent while they are read'),
  }),
  output: reportSchema,
  http: { route: 'GET /v1/operations/{operation_id}/report' },
  run: (client, input) => getReport(client, input.operation_id),
});

const reportPageCommand = command({
  ...looks,
  name: 'getReportPage',
  title: 'Report of a bulk operation',
  does: 'One row for each item, page by page: its outcome, error, batch, who confirmed it and when. For all items, also those that have not run.',
  input: z.strictObject({
    operation_id,
    outcome: itemOutcomeSchema.optional().describe('Only those with this outcome'),
    offset: z.number().int().min(0).max(1_000_000).default(0).describe('next_offset of the page before'),
    limit: z.number().int().min(1).max(200).default(50).describe('How many rows at most'),
  }),
  output: z.object({
    rows: z.array(reportRowSchema),
    total: z.number().int(),
    next_offset: z.number().int().optional(),
  }),
  agent: {
    name: 'get_bulk_report',
    said: ({ rows, total }) => `${rows.length} of ${total} rows.`,
  },
  async run(client, { operation_id: id, offset, limit, outcome }) {
    const total = rowsWith(outcome, await getBulkStatus(client, id));
    const rows: ReportRow[] = [];
    let before = outcome === undefined ? 0 : offset;
    for await (const row of (await openReport(client, id, offset - before)).rows) {
      if (outcome !== undefined && row.outcome !== outcome) continue;
      if (before-- > 0) continue;
      if (rows.length === limit) return { rows, total, next_offset: offset + limit };
      rows.push(row);
    }
    return { rows, total };
  },
});

/** A proof shows all frozen data of the item and all parameters, so it requires the permission to decide. */
const proofCommand = command({
  ...looks,
  may: MAY.decide,
  name: 'getItemProof',
  title: 'Proof of what was confirmed of one item',
  does: 'Proves of one item what was confirmed of it, and by whom: its frozen data and the change, with the path to the digest of each confirmed question, without the other items.',
  input: z.strictObject({
    operation_id,
    item_id: upTo(MAX_ID_LENGTH).min(1).describe('The id of the item'),
  }),
  output: itemProofSchema,
  http: { route: 'GET /v1/operations/{operation_id}/proof' },
  run: (client, input) => getItemProof(client, input.operation_id, input.item_id),
});

/** Returns the number of report rows with this outcome. Default: all rows. */
function rowsWith(outcome: ItemOutcome | undefined, status: BulkStatus): number {
  if (outcome === undefined) return status.total;
  return outcome === 'pending' ? status.remaining : status[outcome];
}

export const REPORTS: readonly AnyCommand[] = [reportCommand, reportPageCommand, proofCommand];

import type { Client } from '@temporalio/client';
import { parseInput } from '../contract/errors';
import {
  itemsRequestSchema,
  pageRequestSchema,
  QUERIES,
  type ItemsRequest,
  type PageRequest,
} from '../contract/messages';
import type { BulkStatus, ErrorsPage, ItemError, ItemRow, ItemsPage } from '../contract/operation';
import type { BulkProgressContract, CompletionGuardResult } from '../contract/progress';
import { bulkContract, bulkGuard } from '../core/bulk/contract-progress';
import type { OperationState } from '../core/bulk/operation';
import { countOutcomes } from '../core/bulk/outcomes';
import { DEFAULT_PAGE, errorsPage, itemsPage } from '../core/bulk/view';
import { endedState, ledgerState, resultOf } from './ended';
import { orDeleted, stateOfDeleted } from './deleted';
import { unlessMissing } from './failures';
import { askIf } from './messages';
import { describeOperation } from './status';

export async function getBulkErrors(
  client: Client,
  operationId: string,
  page: PageRequest = {},
): Promise<{ errors: ItemError[]; total: number }> {
  const request = parseInput(pageRequestSchema, page, 'The page');
  const { rows: errors, total } = await gathered<ErrorsPage, ItemError>(client, operationId, request, {
    query: QUERIES.errors,
    answer: errorsPage,
    rowsOf: (answer) => answer.errors,
  });
  return { errors, total };
}

export async function getBulkItems(
  client: Client,
  operationId: string,
  page: ItemsRequest = {},
): Promise<{ items: ItemRow[]; total: number }> {
  const request = parseInput(itemsRequestSchema, page, 'The page');
  const { rows: items, total } = await gathered<ItemsPage, ItemRow>(client, operationId, request, {
    query: QUERIES.items,
    answer: itemsPage,
    rowsOf: (answer) => answer.items,
  });
  return { items, total };
}

/** Reads a whole page, in several answers if necessary. The ledger completes items without a name in the workflow. */
async function gathered<A extends ItemsPage | ErrorsPage, R>(
  client: Client,
  operationId: string,
  request: ItemsRequest,
  pages: {
    query: string;
    answer: (state: OperationState, page: ItemsRequest) => A;
    rowsOf: (answer: A) => R[];
  },
): Promise<{ rows: R[]; total: number }> {
  const { offset = 0, limit = DEFAULT_PAGE } = request;
  const rows: R[] = [];
  let ledger: OperationState | undefined;
  for (;;) {
    const page = { ...request, offset: offset + rows.length, limit: limit - rows.length };
    const state = ledger;
    const answer = state
      ? pages.answer(state, page)
      : await orDeleted(
          client,
          operationId,
          () => answered<A>(client, operationId, pages.query, (ended) => pages.answer(ended, page), page),
          (record) => pages.answer((ledger = stateOfDeleted(record)), page),
        );
    const more = pages.rowsOf(answer);
    rows.push(...more);
    const { total } = answer;
    if (rows.length >= limit || offset + rows.length >= total) return { rows, total };
    if (more.length > 0) continue;
    if (ledger) return { rows, total };
    ledger = await ledgerState(client, await describeOperation(client, operationId)).catch(unlessMissing);
    // The worker has another ledger, so nothing more can be named.
    if (!ledger) return { rows, total };
  }
}

/** Whether the operation can be completed, and what is missing. */
export async function getCompletionGuard(
  client: Client,
  operationId: string,
): Promise<CompletionGuardResult> {
  return query(client, operationId, QUERIES.guard, (state) => bulkGuard(state, { items: true }));
}

/** The progress contract (specification T1). */
export async function getBulkProgress(client: Client, operationId: string): Promise<BulkProgressContract> {
  return query(client, operationId, QUERIES.progress, bulkContract);
}

/**
 * Like `query`. For an operation that ended with items in doubt, the answer is from the ledger, because people may have
 * resolved them since.
 */
async function answered<T extends object>(
  client: Client,
  operationId: string,
  name: string,
  answer: (state: OperationState) => T,
  page: object,
): Promise<T> {
  const reply = await askIf<T>(client, operationId, 'NOT_OPEN', name, page);
  if (typeof reply === 'object') return reply;
  const result = reply === 'ended' ? await resultOf(client, operationId) : undefined;
  if (result?.operation_id === operationId && result.in_doubt > 0) {
    const state = await endedState(client, await describeOperation(client, operationId));
    if (hasAllOf(result, state)) return answer(state);
  }
  return query(client, operationId, name, answer, page);
}

/** A ledger that was lost or replaced in the meantime does not have the outcomes of the whole operation. */
function hasAllOf({ total, remaining }: BulkStatus, { codes }: OperationState): boolean {
  return codes.length === total && countOutcomes(codes).pending === remaining;
}

/** Queries the workflow. If it was ended from outside and cannot answer, `answer` is used instead. */
async function query<T extends object>(
  client: Client,
  operationId: string,
  name: string,
  answer: (state: OperationState) => T,
  ...args: object[]
): Promise<T> {
  const fromWorkflow = async () => {
    const reply = await askIf<T>(client, operationId, 'NOT_COMPLETED_CLEANLY', name, ...args);
    if (typeof reply === 'object') return reply;
    return answer(await endedState(client, await describeOperation(client, operationId)));
  };
  return orDeleted(client, operationId, fromWorkflow, (record) => answer(stateOfDeleted(record)));
}

import type { Client } from '@temporalio/client';
import type { LedgerRecord } from '../contract/ledger-record';
import type { PageRequest } from '../contract/messages';
import type { ItemGroup, ShownItem } from '../contract/preview';
import { itemGroups } from '../core/bulk/groups';
import { DEFAULT_PAGE } from '../core/bulk/view';
import { findInLedger, ledgerParts, readLedger } from './ledger';
import { locateOperation } from './status';

/** Returns the parameters of the change with which the remaining items were planned. */
export async function getChangeParams(client: Client, operationId: string): Promise<Record<string, unknown>> {
  const parts = ledgerParts(client, await locateOperation(client, operationId));
  const first = await parts.next();
  return first.done ? {} : (first.value.change_params ?? {});
}

/**
 * Returns the ledger's record of an operation's request, with its items and their outcomes.
 * @throws BatchgateError `NOT_FOUND`
 */
export const getRequest = async (client: Client, operationId: string): Promise<LedgerRecord> =>
  readLedger(client, await locateOperation(client, operationId));

/** Returns all items of a plan with their previews; none before there is a plan. */
export async function getPlannedItems(client: Client, operationId: string): Promise<ShownItem[]> {
  const record = await findInLedger(client, await locateOperation(client, operationId));
  return (record?.items ?? []).map(({ id, display_name, preview }) => ({ id, display_name, ...preview }));
}

/** Returns a page of the groups of a plan, outliers first, each with all of its items. */
export async function getBulkGroups(
  client: Client,
  operationId: string,
  { offset = 0, limit = DEFAULT_PAGE }: PageRequest = {},
): Promise<{ groups: ItemGroup[]; total: number }> {
  const groups = itemGroups(await getPlannedItems(client, operationId));
  return { groups: groups.slice(offset, offset + limit), total: groups.length };
}

import type { Client } from '@temporalio/client';
import { ledgerParts } from './ledger';
import { locateOperation } from './status';

/** The parameters of the change with which the items that are left were planned. */
export async function getChangeParams(client: Client, operationId: string): Promise<Record<string, unknown>> {
  const parts = ledgerParts(client, await locateOperation(client, operationId));
  const first = await parts.next();
  return first.done ? {} : (first.value.change_params ?? {});
}

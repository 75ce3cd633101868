import type { Client } from '@temporalio/client';
import { continueBulkOperation, getBulkStatus, gateOf } from '../../src/client';
import type { ContinueRequest } from '../../src/contract/messages';
import type { BulkTurn } from '../../src/contract/operation';

/** Confirms the open question, like a person who has just read it. */
export async function confirmOpen(
  client: Client,
  operationId: string,
  request: ContinueRequest = {},
): Promise<BulkTurn> {
  const open = gateOf(await getBulkStatus(client, operationId));
  return continueBulkOperation(client, operationId, { ...open, ...request });
}

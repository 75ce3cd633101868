import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { z } from 'zod';
import { parseInput } from '../contract/errors';
import type { ItemProof } from '../contract/item-proof';
import { MAX_ID_LENGTH } from '../contract/items';
import { WORKFLOW_TYPES } from '../contract/messages';
import { upTo } from '../contract/text';
import { locateOperation } from './status';
import { runOnce } from './waiting';

const requestSchema = z.object({ item_id: upTo(MAX_ID_LENGTH).min(1) });

/**
 * Proves of one item what was confirmed of it, from the ledger: without the other items, and so that anybody can check
 * it. See docs/proofs.md.
 * @throws BatchgateError `NOT_FOUND`
 */
export async function getItemProof(client: Client, operationId: string, itemId: string): Promise<ItemProof> {
  const { item_id } = parseInput(requestSchema, { item_id: itemId }, 'The request');
  const { workflowId: operation_id, taskQueue } = await locateOperation(client, operationId);
  const workflowId = `proof-${randomUUID()}`;
  const input = { operation_id, item_id };
  return runOnce(client, { type: WORKFLOW_TYPES.itemProof, workflowId, taskQueue, input });
}

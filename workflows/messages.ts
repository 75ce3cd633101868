import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import {
  QUERIES,
  SIGNALS,
  UPDATES,
  type CancelRequest,
  type CompleteRequest,
  type ContinueRequest,
  type ExtendRequest,
  type ItemsRequest,
  type PageRequest,
  type ResolveRequest,
} from '../src/contract/messages';
import type { BulkStatus, BulkTurn, ItemError, ItemRow } from '../src/contract/operation';
import type { BulkProgressContract, CompletionGuardResult } from '../src/contract/progress';

export const readyUpdate = defineUpdate<BulkTurn>(UPDATES.ready);
export const continueUpdate = defineUpdate<BulkTurn, [ContinueRequest?]>(UPDATES.continue);
export const cancelUpdate = defineUpdate<BulkTurn, [CancelRequest?]>(UPDATES.cancel);
export const completeUpdate = defineUpdate<CompletionGuardResult, [CompleteRequest?]>(UPDATES.complete);
export const extendUpdate = defineUpdate<BulkTurn, [ExtendRequest]>(UPDATES.extend);
export const resolveUpdate = defineUpdate<BulkTurn, [ResolveRequest]>(UPDATES.resolve);
export const continueSignal = defineSignal<[ContinueRequest?]>(SIGNALS.continue);
export const cancelSignal = defineSignal<[CancelRequest?]>(SIGNALS.cancel);
export const statusQuery = defineQuery<BulkStatus>(QUERIES.status);
export const errorsQuery = defineQuery<{ errors: ItemError[]; total: number }, [PageRequest?]>(
  QUERIES.errors,
);
export const itemsQuery = defineQuery<{ items: ItemRow[]; total: number }, [ItemsRequest?]>(QUERIES.items);
export const guardQuery = defineQuery<CompletionGuardResult>(QUERIES.guard);
export const progressQuery = defineQuery<BulkProgressContract>(QUERIES.progress);

import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import {
  QUERIES,
  SIGNALS,
  UPDATES,
  type CancelRequest,
  type CompleteRequest,
  type ContinueRequest,
  type DelegateRequest,
  type EditRequest,
  type ExtendRequest,
  type ItemsRequest,
  type PageRequest,
  type ResolveRequest,
  type ReviseRequest,
  type WithdrawRequest,
} from '../../src/contract/messages';
import type { BulkStatus, BulkTurn, ItemError, ItemRow } from '../../src/contract/operation';
import type { BulkProgressContract, CompletionGuardResult } from '../../src/contract/progress';

export const readyUpdate = defineUpdate<BulkTurn>(UPDATES.ready);
export const continueUpdate = defineUpdate<BulkTurn, [(ContinueRequest | null)?]>(UPDATES.continue);
export const cancelUpdate = defineUpdate<BulkTurn, [(CancelRequest | null)?]>(UPDATES.cancel);
export const completeUpdate = defineUpdate<CompletionGuardResult, [(CompleteRequest | null)?]>(
  UPDATES.complete,
);
export const extendUpdate = defineUpdate<BulkTurn, [ExtendRequest]>(UPDATES.extend);
export const resolveUpdate = defineUpdate<BulkTurn, [ResolveRequest]>(UPDATES.resolve);
export const reviseUpdate = defineUpdate<BulkTurn, [ReviseRequest]>(UPDATES.revise);
export const reviseSignal = defineSignal<[ReviseRequest]>(SIGNALS.revise);
export const editUpdate = defineUpdate<BulkTurn, [EditRequest]>(UPDATES.edit);
export const continueSignal = defineSignal<[(ContinueRequest | null)?]>(SIGNALS.continue);
export const cancelSignal = defineSignal<[(CancelRequest | null)?]>(SIGNALS.cancel);
export const withdrawUpdate = defineUpdate<BulkTurn, [(WithdrawRequest | null)?]>(UPDATES.withdraw);
export const withdrawSignal = defineSignal<[(WithdrawRequest | null)?]>(SIGNALS.withdraw);
export const delegateUpdate = defineUpdate<BulkTurn, [DelegateRequest]>(UPDATES.delegate);
export const statusQuery = defineQuery<BulkStatus>(QUERIES.status);
export const errorsQuery = defineQuery<{ errors: ItemError[]; total: number }, [(PageRequest | null)?]>(
  QUERIES.errors,
);
export const itemsQuery = defineQuery<{ items: ItemRow[]; total: number }, [(ItemsRequest | null)?]>(
  QUERIES.items,
);
export const guardQuery = defineQuery<CompletionGuardResult>(QUERIES.guard);
export const progressQuery = defineQuery<BulkProgressContract>(QUERIES.progress);

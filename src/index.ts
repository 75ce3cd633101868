export { Batchgate, startWorker } from './batchgate';
export type { EmbeddedWorker, StartWorkerOptions, WorkerLog } from './worker/start-worker';
export { BatchgateError, errorBodySchema, HTTP_STATUS } from './contract/errors';
export type { ErrorBody, ErrorCode } from './contract/errors';
export { changeSchema } from './contract/change';
export type { Change } from './contract/change';
export { bulkItemSchema, bulkResultSchema, preparedBulkContextSchema } from './contract/items';
export type { BulkItem, BulkResult, PreparedBulkContext, UndoData } from './contract/items';
export { bulkPreviewSchema } from './contract/preview';
export type { BulkPreview, ItemPreview, ItemState } from './contract/preview';
export { bulkOperationInputSchema, bulkStatusSchema, bulkTurnSchema } from './contract/operation';
export type { BulkOperationInput, BulkState, BulkStatus, BulkTurn, ItemError } from './contract/operation';
export { bulkProgressContractSchema, completionGuardResultSchema } from './contract/progress';
export type { BulkProgressContract, CompletionGuardResult } from './contract/progress';
export {
  standaloneContractInputSchema,
  standaloneContractSchema,
  standaloneStatusSchema,
} from './contract/task-run';
export type { StandaloneContract, StandaloneContractInput, StandaloneStatus } from './contract/task-run';
export { macroInputSchema, macroSchema } from './contract/macro';
export type { Macro, MacroInput } from './contract/macro';
export { macroTraceSchema } from './contract/macro-run';
export type { MacroResult, MacroTrace } from './contract/macro-run';
export { taskRunInputSchema, taskRunStatusSchema } from './contract/task-run';
export type { TaskRunInput, TaskRunStatus } from './contract/task-run';
export type {
  AdapterAction,
  BatchCall,
  BulkAdapter,
  CallLimits,
  PrepareRequest,
  SuggestRequest,
  Reconciliation,
} from './contract/adapter';
export { defineTool } from './contract/tools';
export type { ToolCaller, ToolContext, ToolDatabase, ToolDefinition } from './contract/tools';
export type { ToolDescription } from './contract/tools';
export { defineAdapter } from '../activities/adapters/kit/define';
export { jsonClient } from '../activities/adapters/kit/json-client';
export type { AskJson } from '../activities/adapters/kit/json-client';
export type {
  ActionDefinition,
  AdapterDefinition,
  Prepared,
  Tool,
  ToolItem,
  WrittenItem,
} from '../activities/adapters/kit/types';
export { byName } from '../activities/adapters/shared/names';
export { mapConcurrently, parseAction } from '../activities/adapters/shared/actions';
export { createAllowance, unlimited } from '../activities/adapters/shared/allowance';
export type { Allowance } from '../activities/adapters/shared/allowance';
export {
  changedSincePreview,
  difference,
  keepingUndo,
  undoOf,
} from '../activities/adapters/shared/frozen-state';
export { failureOf, ProviderFailure, providerText } from '../activities/adapters/shared/failure';
export { callError, failedResult } from '../activities/adapters/shared/results';
export { sendRequest } from '../activities/adapters/shared/send';
export type { WebAnswer, WebRequest } from '../activities/adapters/shared/send';
export { createRegistry } from './core/bulk/registry';
export type { AdapterRegistry } from './core/bulk/registry';
export { nameText, quoted } from './core/shared/plain-text';
export { presentBatchItems, presentBulkStatus } from './core/bulk/presenter';
export { presentBulkErrors } from './core/bulk/troubles';
export { classifyBulkIntent } from './core/intent/classifier';
export type { BulkIntent } from './core/intent/classifier';
export { checkCompletionGuard } from './core/progress/completion-guard';
export {
  createProgressContract,
  markStopConditionSatisfied,
  recordCompleted,
  recordFailed,
  recordSkipped,
  updateCursor,
} from './core/progress/contract';
export { parseState, serializeState } from './core/progress/standalone-contract';
export {
  cancelBulkOperation,
  completeBulkOperation,
  continueBulkOperation,
  extendBulkOperation,
  getBulkStatus,
  handleMessage,
  listBulkOperations,
  previewBulkOperation,
  resolveItem,
  retryFailedItems,
  startBulkOperation,
  undoBulkOperation,
} from './client';

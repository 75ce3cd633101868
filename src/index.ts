export { BatchgateError, errorBodySchema, HTTP_STATUS } from './contract/errors';
export type { ErrorBody, ErrorCode } from './contract/errors';
export { changeSchema } from './contract/change';
export type { Change } from './contract/change';
export { bulkItemSchema, bulkResultSchema, preparedBulkContextSchema } from './contract/items';
export type { BulkItem, BulkResult, PreparedBulkContext } from './contract/items';
export { bulkOperationInputSchema, bulkStatusSchema, bulkTurnSchema } from './contract/operation';
export type { BulkOperationInput, BulkState, BulkStatus, BulkTurn, ItemError } from './contract/operation';
export { bulkProgressContractSchema, completionGuardResultSchema } from './contract/progress';
export type { BulkProgressContract, CompletionGuardResult } from './contract/progress';
export {
  standaloneContractInputSchema,
  standaloneContractSchema,
  standaloneStatusSchema,
} from './contract/standalone-contract';
export type {
  StandaloneContract,
  StandaloneContractInput,
  StandaloneStatus,
} from './contract/standalone-contract';
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
  Reconciliation,
} from './contract/adapter';
export { defineTool } from './contract/tools';
export type { ToolCaller, ToolContext, ToolDatabase, ToolDefinition } from './contract/tools';
export type { ToolDescription } from './contract/tool-description';
export { mapConcurrently, parseAction } from './provider/actions';
export { createAllowance, unlimited } from './provider/allowance';
export type { Allowance } from './provider/allowance';
export { failureOf, ProviderFailure, providerText } from './provider/failure';
export { callError, failedResult } from './provider/results';
export { sendRequest } from './provider/send';
export type { WebAnswer, WebRequest } from './provider/send';
export { createRegistry } from './core/registry';
export type { AdapterRegistry } from './core/registry';
export { nameText, quoted } from './core/plain-text';
export { presentBatchItems, presentBulkStatus } from './core/presenter';
export { presentBulkErrors } from './core/troubles';
export { classifyBulkIntent } from './core/intent';
export type { BulkIntent } from './core/intent';
export { checkCompletionGuard } from './core/completion-guard';
export {
  createProgressContract,
  markStopConditionSatisfied,
  recordCompleted,
  recordFailed,
  recordSkipped,
  updateCursor,
} from './core/progress';
export { parseState, serializeState } from './core/state';
export {
  cancelBulkOperation,
  completeBulkOperation,
  continueBulkOperation,
  extendBulkOperation,
  getBulkStatus,
  handleMessage,
  listBulkOperations,
  resolveItem,
  retryFailedItems,
  startBulkOperation,
} from './client';

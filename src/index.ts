export { Batchgate, startWorker } from './batchgate';
export { BatchgateError } from './contract/errors';

export type { BulkOperationInput, BulkStatus, BulkTurn } from './contract/operation';
export type { BulkItem, BulkResult, PreparedBulkContext } from './contract/items';
export type { BulkPreview } from './contract/preview';
export type { Change } from './contract/change';
export type { BulkProgressContract, CompletionGuardResult } from './contract/progress';

export { builtIn } from './built-in';
export { defineAdapter } from '../activities/adapters/kit/define';
export type {
  ActionDefinition,
  AdapterDefinition,
  Prepared,
  Tool,
  ToolItem,
} from '../activities/adapters/kit/types';
export type { BulkAdapter, CallLimits } from './contract/adapter';
export { jsonClient } from '../activities/adapters/kit/json-client';
export { ProviderFailure } from '../activities/adapters/shared/failure';
export { byName } from '../activities/adapters/shared/names';
export { quoted } from './core/shared/plain-text';
export { defineTool } from './contract/tools';
export type { ToolDefinition } from './contract/tools';

export { presentBulkStatus } from './core/bulk/presenter';
export { presentBulkErrors } from './core/bulk/troubles';
export { classifyBulkIntent } from './core/intent/classifier';
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

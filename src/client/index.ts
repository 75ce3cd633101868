export {
  cancelBulkOperation,
  completeBulkOperation,
  continueBulkOperation,
  extendBulkOperation,
  getBulkErrors,
  getBulkItems,
  getBulkStatus,
  getCompletionGuard,
  resolveItem,
  startBulkOperation,
} from './operations';
export type { StartOptions } from './operations';
export { listBulkOperations } from './listing';
export type { ListFilter, OperationRow } from './listing';
export { handleMessage } from './conversation';
export type { MessageContext, Turn } from './conversation';
export { retryFailedItems, startRemainingItems } from './follow-ups';
export { getReport } from './report';
export type { Report, ReportRow } from './report';

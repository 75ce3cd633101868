export {
  cancelBulkOperation,
  completeBulkOperation,
  continueBulkOperation,
  extendBulkOperation,
  getBulkErrors,
  getBulkItems,
  getBulkStatus,
  getCompletionGuard,
  NO_GATE,
  resolveItem,
  startBulkOperation,
} from './operations';
export type { StartOptions } from './operations';
export { listBulkOperations } from './listing';
export type { ListFilter, OperationRow } from './listing';
export { glanceAt } from './glance';
export type { Glance } from './glance';
export { gateOf, handleMessage } from './conversation';
export type { MessageContext, SeenGate, Turn } from './conversation';
export { retryFailedItems, startRemainingItems } from './follow-ups';
export { resumeJobs } from './resume';
export type { Resumed, ResumeFilter } from './resume';
export { getReport } from './report';
export type { Report, ReportRow } from './report';
export {
  cancelTaskRun,
  completeTaskRun,
  getTaskRun,
  listTaskRuns,
  recordTaskRun,
  startTaskRun,
} from './task-runs';
export type { TaskRunRow } from './task-runs';
export { getProfile, setProfile } from './profiles';
export { getCooldown, getJobs, touch } from './sentinel';
export { progressContracts } from '../progress-contracts';
export type { ProgressContracts } from '../progress-contracts';
export { awaitMacro, cancelMacro, getMacroTrace, pauseMacro, resumeMacro, startMacro } from './macros';
export type { MacroOptions } from './macros';

export {
  cancelBulkOperation,
  completeBulkOperation,
  continueBulkOperation,
  extendBulkOperation,
  getBulkStatus,
  getStatusAfter,
  NO_GATE,
  resolveItem,
  startBulkOperation,
} from './operations';
export type { StartOptions } from './operations';
export { getBulkErrors, getBulkItems, getCompletionGuard } from './queries';
export { listBulkOperations, listJobs, listMacroRuns, listTaskRuns } from './listing';
export type { JobFilter, JobRow, ListFilter, MacroRow, OperationRow, TaskRunRow } from './listing';
export { cancelJob, getJob } from './jobs';
export type { JobStatus } from './jobs';
export { glanceAt } from './operation-watch';
export type { Glance } from './operation-watch';
export { macroQuestionSeen } from './macro-answers';
export { gateOf, handleMessage } from './conversation';
export type { MessageContext, SeenGate, Turn } from './conversation';
export { retryFailedItems, startRemainingItems } from './follow-ups';
export { resumeJobs } from './resume';
export type { Resumed, ResumeFilter } from './resume';
export { endQuarantined } from './end';
export type { Ended } from './end';
export { findQuarantined } from './quarantine';
export type { Quarantined } from './quarantine';
export { getReport } from './report';
export type { Report, ReportRow } from './report';
export { cancelTaskRun, completeTaskRun, getTaskRun, recordTaskRun, startTaskRun } from './task-runs';
export { getProfile, setProfile } from './profiles';
export { getScratchpad, getScratchpadPage, listScratchpad, putScratchpad } from './scratchpads';
export { getCooldown, getJobs, signalActivity, touch } from './sentinel';
export { progressContracts } from '../host/progress-contracts';
export type { ProgressContracts } from '../host/progress-contracts';
export {
  answerMacro,
  awaitMacro,
  cancelMacro,
  getMacroTrace,
  getMacroTurn,
  pauseMacro,
  resumeMacro,
  startMacro,
} from './macros';
export type { MacroOptions } from './macros';
export type { WaitOptions } from './waiting';

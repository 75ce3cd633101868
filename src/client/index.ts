export {
  beginBatch,
  cancelBulkOperation,
  completeBulkOperation,
  continueBulkOperation,
  delegateApproval,
  editBulkOperation,
  extendBulkOperation,
  resolveItem,
  reviseBulkOperation,
  startBulkOperation,
  withdrawBulkOperation,
} from './operations';
export { getBulkStatus, getStatusAfter } from './status';
export type { DecisionOptions, Vouch } from './signer';
export { gateOf, NO_GATE, questionNotSeen } from './shown-gates';
export { getBulkErrors, getBulkItems, getBulkProgress, getCompletionGuard } from './queries';
export { jobIdOf, jobTitle, listBulkOperations, listJobs, listMacroRuns, listTaskRuns } from './listing';
export type { AssistantRow, JobRow, MacroRow, OperationRow, TaskRunRow } from '../contract/rows';
export { cancelJob, getJob, getSessionOf } from './jobs';
export type { JobStatus } from './jobs';
export { watchChanges, watchOperation } from './operation-events';
export { progressOf } from './operation-records';
export { glanceAt, latestChange } from './operation-watch';
export { unlessMissing } from './failures';
export { macroQuestionSeen } from './macro-answers';
export { handleMessage } from './conversation';
export type { SeenGate } from '../core/intent/conversation';
export type { MessageContext, Turn } from './turn';
export {
  findAssistant,
  followTurn,
  getAssistant,
  lookAtAssistant,
  openQuestions,
  sayInSession,
  stopAssistant,
} from './assistant';
export { watchAssistant } from './assistant-events';
export type { Said, TurnEvent } from './assistant';
export { getBulkGroups, getChangeParams, getPlannedItems, getRequest } from './editable';
export { editMeant } from './message-actions';
export { retryFailedItems, startRemainingItems } from './follow-ups';
export { undoBulkOperation } from './undo';
export {
  auditPage,
  createKey,
  exportAudit,
  getItemProof,
  getProfile,
  keepSignInLink,
  listKeys,
  operationStats,
  previewBulkOperation,
  revokeKey,
  setProfile,
  suggestValues,
} from './requests';
export { listInterrupted, looseTaskRuns, resumeJobs } from './resume';
export { endQuarantined } from './end';
export { findQuarantined } from './quarantine';
export { firstRunOf, rememberQueue } from './calls';
export { getReport, openReport } from './report';
export type { ReportRow } from '../contract/report';
export {
  QUESTION_COLUMNS,
  questionCells,
  questionsText,
  REPORT_FORMATS,
  reportParts,
  reportText,
} from './report-text';
export type { ReportFormat } from './report-text';
export { cancelTaskRun, completeTaskRun, getTaskRun, recordTaskRun, startTaskRun } from './task-runs';
export { getScratchpad, getScratchpadPage, listScratchpad, putScratchpad } from './scratchpads';
export { getCooldown, getJobs, keepNote, noteActivity, signalActivity, touch } from './sentinel';
export { progressContracts } from '../host/progress-contracts';
export type { ProgressContracts } from '../host/progress-contracts';
export {
  answerMacro,
  awaitMacro,
  cancelMacro,
  getMacroTrace,
  getMacroTurn,
  getProposedMacro,
  pauseMacro,
  resumeMacro,
  startMacro,
} from './macros';
export {
  cancelDeliveries,
  listDeliveries,
  missingReceivers,
  moveDeliveries,
  retryDeliveries,
  testWebhook,
} from './webhooks';
export { findPollers, findWorkers } from './waiting';
export type { WaitOptions } from './waiting';

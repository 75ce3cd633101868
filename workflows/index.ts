export { assistant } from './assistant/workflow';
export { bulkOperation } from './bulk/operation';
export { bulkPreview } from './bulk/preview';
export { macro } from './macro/workflow';
export {
  accessKeys,
  auditExport,
  endRecord,
  itemProof,
  lateResolution,
  ledgerRead,
  operationStats,
  profile,
  scratchpad,
  suggestions,
} from './requests';
export { hygiene } from './sentinel/workflow';
export { sentinel } from './sentinel/workflow';
export { taskRun } from './task-run/workflow';
export { webhookDelivery } from './webhooks/delivery';

export { createBatchgateWorker } from './create-worker';
export type { CreateWorkerOptions } from './create-worker';
export type { BatchgateWorker } from './together';
export { ensureHygieneSchedule } from '../temporal/hygiene-schedule';
export { openStore } from '../store/open';
export type { Store, StoreOptions } from '../store/open';
export { createGmailAdapter } from '../../activities/adapters/gmail';
export { settingsSchema } from '../contract/settings';
export type { Settings } from '../contract/settings';

export { bulkOperation } from './bulk-operation';
export { hygiene } from './hygiene';
export { ledgerRead } from './ledger-read';
export { profile } from './profile';
export { macro } from './macro';
export { sentinel } from './sentinel';
export { taskRun } from './task-run';

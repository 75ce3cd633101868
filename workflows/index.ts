export { bulkOperation } from './bulk-operation';
export { hygiene } from './hygiene';
export { ledgerRead } from './ledger-read';
export { sentinel } from './sentinel';
export { taskRun } from './task-run';

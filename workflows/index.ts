export { bulkOperation } from './bulk-operation';
export { ledgerRead } from './ledger-read';
export { taskRun } from './task-run';

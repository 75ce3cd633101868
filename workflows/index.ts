export { bulkOperation } from './bulk/operation';
export { hygiene } from './sentinel/hygiene';
export { ledgerRead } from './bulk/ledger-read';
export { profile } from './profile';
export { macro } from './macro/workflow';
export { scratchpad } from './scratchpad';
export { sentinel } from './sentinel/workflow';
export { taskRun } from './task-run/workflow';

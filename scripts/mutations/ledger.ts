import type { Mutation } from './mutation';

const STORE = { file: 'src/postgres/store/access.ts', tests: ['store/access'] };
const FILES = { file: 'src/host/files.ts', tests: ['unit/private-files'] };

/** The ledger, the store of keys and sessions, and files. */
export const LEDGER_MUTATIONS: readonly Mutation[] = [
  {
    name: 'batch-altered',
    guards: 'a row of the ledger that was changed after its question',
    file: 'activities/bulk/evidence.ts',
    find: 'if (treeDigest(tree) !== input.digest)',
    replace: 'if (false)',
    tests: ['faults/altered-ledger'],
  },
  {
    name: 'batch-evidence',
    guards: 'a batch that died, and a ledger that knows nothing of it',
    file: 'activities/bulk/evidence.ts',
    find: 'if (ledger.storeId !== store_id) return undefined;',
    replace: '',
    tests: ['unit/reconcile'],
  },
  {
    name: 'reset-slot',
    guards: 'an operation that is reset after its end, and whose session has another job by now',
    file: 'workflows/bulk/operation.ts',
    find: 'await takeSlotAgain(operation, results);',
    replace: '',
    bundled: 'await ?\\(0, ?\\w+\\.takeSlotAgain\\)\\(operation, ?results\\)[,;]',
    tests: ['workflows/resets'],
  },
  {
    name: 'batch-claim',
    guards: 'a second worker that runs a batch which another one holds',
    file: 'src/postgres/store/batch-functions.ts',
    find: 'where b.epoch < excluded.epoch',
    replace: 'where true',
    tests: ['store/ledger'],
  },
  {
    name: 'batch-fence',
    guards: 'a worker that was given up and wakes again',
    file: 'src/postgres/store/batch-functions.ts',
    find: 'where operation_id = of_operation and batch = of_batch and epoch = of_epoch for update;\n  if not found then return -1;',
    replace:
      'where operation_id = of_operation and batch = of_batch for update;\n  if not found then return -1;',
    tests: ['store/ledger'],
  },
  {
    ...FILES,
    name: 'file-mode',
    guards: 'a login that another user of the machine reads',
    find: 'mode = 0o600',
    replace: 'mode = 0o644',
  },
  {
    ...FILES,
    name: 'file-draft',
    guards: 'a link of another user through which a file is written',
    find: "await rm(draft, { force: true });\n  try {\n    const file = await open(draft, 'wx', mode);",
    replace: "try {\n    const file = await open(draft, 'w', mode);",
  },
  {
    ...FILES,
    name: 'folder-exposed',
    guards: 'a data folder that other users look into without a warning',
    find: '(mode & 0o077) === 0',
    replace: '(mode & 0o007) === 0',
  },
  {
    ...STORE,
    name: 'store-revoked',
    guards: 'a key that was revoked',
    find: ".where('revoked_at', 'is', null)",
    replace: '',
  },
  {
    ...STORE,
    name: 'store-expired-key',
    guards: 'a key after its time',
    find: ".where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)]));",
    replace: ';',
  },
  {
    ...STORE,
    name: 'store-link-once',
    guards: 'a sign-in link that is used twice',
    find: "    takeLink: (hash) =>\n      db\n        .deleteFrom('sign_in_links')",
    replace: "    takeLink: (hash) =>\n      db\n        .updateTable('sign_in_links').set({ hash })",
  },
  {
    ...STORE,
    name: 'store-first-answer',
    guards: 'a second answer under the same Idempotency-Key',
    find: "        .where('answer', 'is', null)\n",
    replace: '',
  },
];

// A worker with an adapter of its own: `worker.mjs ADDRESS TASK_QUEUE`. It serves until SIGTERM.
import { NativeConnection } from '@temporalio/worker';
import { createRegistry } from 'batchgate';
import {
  createBatchgateWorker,
  createCalendarAdapter,
  createGmailAdapter,
  createHttpAdapter,
  createSqlAdapter,
  createTrelloAdapter,
  ensureSearchAttributes,
  openStore,
  settingsSchema,
} from 'batchgate/worker';
import { createShelfAdapter } from './shelf.mjs';
import { API_KEY, startShelfServer } from './shelf-library.mjs';

const [address, taskQueue] = process.argv.slice(2);
const library = await startShelfServer();
const store = await openStore({ dataDir: 'data' });
const connection = await NativeConnection.connect({ address });
await ensureSearchAttributes(connection, 'default');
const account = { accessToken: async () => 'never asked for' };
const worker = await createBatchgateWorker({
  connection,
  namespace: 'default',
  taskQueue,
  dependencies: {
    adapters: createRegistry([
      createShelfAdapter({ url: library.url, key: API_KEY }),
      createGmailAdapter(account),
      createCalendarAdapter(account),
      createTrelloAdapter({ baseUrl: library.url, credentials: async () => ({ key: 'k', token: 't' }) }),
    ]),
    ledger: store.ledger,
    hygiene: store.hygiene,
    scratchpad: store.scratchpad,
    profiles: store.profiles,
    settings: settingsSchema.parse({}),
    log: { info() {}, warn: console.warn },
  },
});
process.once('SIGTERM', () => worker.shutdown());
const running = worker.run();
console.log(`ready with ${[createHttpAdapter, createSqlAdapter].map(({ name }) => name).join(' and ')} too`);
await running;
await store.close();
await connection.close();
const withdrawn = [...library.books.values()].filter((book) => book.withdrawn).length;
await library.close();
console.log(`${withdrawn} books withdrawn`);

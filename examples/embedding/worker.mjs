// A whole worker with an adapter of its own: `worker.mjs ADDRESS TASK_QUEUE`. It serves until SIGTERM.
import { NativeConnection } from '@temporalio/worker';
import { builtIn, startWorker } from 'batchgate';
import { createShelfAdapter } from '../adapters/shelf.mjs';
import { API_KEY, startShelfServer } from '../adapters/shelf-library.mjs';

const [address, taskQueue] = process.argv.slice(2);
const library = await startShelfServer();
const shelf = createShelfAdapter({ url: library.url, key: API_KEY });
const gmail = builtIn.gmail({ accessToken: async () => 'the token of your own login' });

const connection = await NativeConnection.connect({ address });
const worker = await startWorker({ connection, taskQueue, adapters: [shelf, gmail] });
process.once('SIGTERM', () => worker.stop());
console.log('ready');
await worker.ended;
await connection.close();

const withdrawn = [...library.books.values()].filter((book) => book.withdrawn).length;
await library.close();
console.log(`${withdrawn} books withdrawn`);

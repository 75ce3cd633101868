// A worker of the package beside this file: `worker.mjs ADDRESS TASK_QUEUE DATABASE_URL TOOL_URL`, and `broken` for a
// tool that fails. It serves until it is killed.
import { NativeConnection } from '@temporalio/worker';
import { startWorker } from 'batchgate';
import { createFakeAdapter } from 'batchgate/testing';

const [address, taskQueue, databaseUrl, toolUrl, broken] = process.argv.slice(2);
const items = Array.from({ length: 12 }, (_, at) => ({
  ...{ id: `item-${at + 1}`, display_name: `Item ${at + 1}` },
}));
const ask = async (path, method) => (await fetch(`${toolUrl}/${path}`, { method })).json();
const tool = (toolName, more = {}) =>
  createFakeAdapter({
    ...{ toolName, items: () => items, ...more },
    apply: ({ id }) => ask(`${toolName}/${id}`, 'POST'),
  });

const connection = await NativeConnection.connect({ address });
await startWorker({
  ...{ connection, taskQueue, store: { databaseUrl } },
  adapters: [
    ...['asked', 'confirmed', 'scheduled', 'doubtful', 'shared', 'edited'].map((name) => tool(name)),
    tool('held', { readBack: ({ id }) => ask(`held/${id}`, 'GET') }),
    tool('failing', {
      readBack: ({ id }) => ask(`failing/${id}`, 'GET'),
      onCall(method) {
        if (broken && method === 'executeBatch') throw new Error('the tool is broken');
      },
    }),
  ],
  policies: [{ name: 'two', when: 'domain == "shared"', require: { approvals: 2 } }],
});
console.log('ready');

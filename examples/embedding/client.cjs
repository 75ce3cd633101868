// A client alone: `client.cjs ADDRESS TASK_QUEUE DOMAIN ACTION PARAMS`. Confirms the first batch and prints the status.
const { Client, Connection } = require('@temporalio/client');
const { BatchgateError } = require('batchgate');
const { continueBulkOperation, getBulkStatus, startBulkOperation } = require('batchgate/client');

async function main([address, task_queue, domain, action, params]) {
  const connection = await Connection.connect({ address });
  const client = new Client({ connection });
  try {
    const input = { domain, action, params: JSON.parse(params) };
    const { operation_id, next_batch } = await startBulkOperation(client, input, { task_queue });
    // Show `next_batch` to a person, and confirm exactly that when they agree.
    const { number, attempt, digest } = next_batch;
    await continueBulkOperation(client, operation_id, { batch: number, attempt, digest, by: 'ana' });
    console.log(JSON.stringify(await getBulkStatus(client, operation_id)));
  } catch (error) {
    if (!(error instanceof BatchgateError)) throw error;
    console.log(JSON.stringify(error.toJSON()));
  } finally {
    await connection.close();
  }
}

main(process.argv.slice(2));

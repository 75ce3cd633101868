// A whole client: `client.cjs ADDRESS TASK_QUEUE DOMAIN ACTION PARAMS`. Confirms the first batch and prints the status.
const { Client, Connection } = require('@temporalio/client');
const { Batchgate, BatchgateError } = require('batchgate');

async function main([address, taskQueue, domain, action, params]) {
  const connection = await Connection.connect({ address });
  const batchgate = new Batchgate({ client: new Client({ connection }), taskQueue });
  try {
    const input = { domain, action, params: JSON.parse(params) };
    const { operation_id, next_batch } = await batchgate.start(input);
    // If nothing matches, the operation has completed without a question.
    if (next_batch) {
      // Show `next_batch` to a person, and confirm exactly that when they agree.
      const { number, attempt, digest } = next_batch;
      await batchgate.continue(operation_id, { batch: number, attempt, digest, by: 'ana' });
    }
    console.log(JSON.stringify(await batchgate.status(operation_id)));
  } catch (error) {
    if (!(error instanceof BatchgateError)) throw error;
    console.log(JSON.stringify(error.toJSON()));
  } finally {
    await connection.close();
  }
}

main(process.argv.slice(2));

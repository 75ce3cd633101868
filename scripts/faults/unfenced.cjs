// Loaded into a worker before its own code: the ledger then accepts every write, even of a claim that was fenced off.
const batches = require('../../dist/src/postgres/store/batches.js');

const { writeIntents, writeResults } = batches;
/** The claim that holds the batch now, even if another worker made it. */
async function holder(db, { operation_id, batch }) {
  const { epoch } = await db
    .selectFrom('batches')
    .select('epoch')
    .where('operation_id', '=', operation_id)
    .where('batch', '=', batch)
    .executeTakeFirstOrThrow();
  return { operation_id, batch, epoch };
}
batches.writeIntents = async (db, claim, rows, deadline, confirmed) =>
  writeIntents(db, confirmed ? claim : await holder(db, claim), rows, deadline, confirmed);
batches.writeResults = async (db, claim, results) => {
  await writeResults(db, claim, results);
  return { isHeld: true, written: results.length };
};

// Loaded into a worker before its own code: the ledger then accepts every write, even of a claim that was fenced off.
const { sql } = require('kysely');
const batches = require('../../dist/src/postgres/store/batches.js');

const { writeResults } = batches;
batches.held = ({ operation_id, batch }) =>
  sql`select * from batchgate.batches where operation_id = ${operation_id} and batch = ${batch} for update`;
batches.writeResults = async (db, claim, results) => {
  await writeResults(db, claim, results);
  return { isHeld: true, written: results.length };
};

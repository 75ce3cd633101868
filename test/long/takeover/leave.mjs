// A client of the package beside this file: `leave.mjs ADDRESS TASK_QUEUE`. It leaves a job open in each state, prints the
// ids, and ends when it is killed: one confirmation waits for its batch.
import { Client, Connection } from '@temporalio/client';
import { Batchgate } from 'batchgate';

const [address, taskQueue] = process.argv.slice(2);
const connection = await Connection.connect({ address });
const batchgate = new Batchgate({ client: new Client({ connection }), taskQueue });
const start = (domain, batch_size = 12) =>
  batchgate.start({ domain, action: 'mark', params: { group: 'all' }, batch_size });
const gateOf = ({ next_batch: { number: batch, attempt, digest } }) => ({
  batch,
  attempt,
  digest,
  by: 'ana',
});
const confirm = (turn, more = {}) => batchgate.continue(turn.operation_id, { ...gateOf(turn), ...more });

const asked = await start('asked', 5);
const confirmed = await start('confirmed', 5);
const [scheduled, failed, doubtful, approved, edited, held] = [
  ...[await start('scheduled'), await start('failing'), await start('doubtful'), await start('shared')],
  ...[await start('edited'), await start('held')],
];
await confirm(confirmed);
await confirm(scheduled, { not_before: new Date(Date.now() + 3_600_000).toISOString() });
for (const one of [failed, doubtful, approved]) await confirm(one);
await batchgate.edit(edited.operation_id, { ...gateOf(edited), change: { mark: 'read' } });
const sentBack = await start('edited');
await batchgate.revise(sentBack.operation_id, { ...gateOf(sentBack), note: 'Five at a time.' });
void confirm(held);
const question = { type: 'ask', of: 'person', prompt: 'Which?', output_variable: 'x' };
const steps = [question, { type: 'set', variable: 'y', expression: 'x' }];
const macro = await batchgate.macros.start({ macro: { name: 'asks', steps } });
const paused = await batchgate.macros.start({ macro: { name: 'is-paused', steps } });
await batchgate.macros.pause(paused.run_id);
const task = await batchgate.taskRuns.start({ goal: 'Read', contract: { expected_total: 2 } });
await batchgate.taskRuns.record(task.task_run_id, { completed: ['a'] });
const operations = { asked, confirmed, scheduled, failed, doubtful, approved, edited, held };
console.log(
  JSON.stringify({
    operations: Object.fromEntries(Object.entries(operations).map(([name, one]) => [name, one.operation_id])),
    ...{ run_id: macro.run_id, paused_id: paused.run_id, task_run_id: task.task_run_id },
    sent_back: sentBack.operation_id,
  }),
);

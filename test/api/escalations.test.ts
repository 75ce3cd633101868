import { setTimeout as pause } from 'node:timers/promises';
import { listBulkOperations, watchOperation } from '../../src/client';
import type { OperationEvent } from '../../src/contract/operation';
import { countingTool, startHarness, type Harness } from '../helpers/harness';
import { startHttpApi, type HttpApi } from '../helpers/http-api';
import { lookAgain } from '../helpers/look-again';
import { readEvents } from './event-reader';

/** Escalations in the streams and lists, also of a worker that was away. */
let harness: Harness;
let http: HttpApi;

beforeAll(async () => {
  const approved = { approvals: 2, from: ['role:admin'] };
  const [operators, dora] = [{ to: ['role:operator'] }, { to: ['person:Dora'] }];
  harness = await startHarness({
    adapters: [countingTool(12).adapter],
    policies: [
      {
        name: 'soon',
        when: 'params.group == "soon"',
        require: { ...approved, escalate: [{ after: 1, ...operators }] },
      },
      {
        name: 'late',
        when: 'params.group == "late"',
        require: {
          ...approved,
          escalate: [
            { after: 10, ...operators },
            { after: 11, ...dora },
          ],
        },
      },
    ],
  });
  http = await startHttpApi(harness);
});
afterAll(async () => {
  await http?.close();
  await harness?.close();
});

const start = (group: string) => harness.start({ params: { group }, requested_by: 'Rita' });

async function escalationOf(id: string): Promise<OperationEvent | undefined> {
  for await (const event of watchOperation(harness.client, id, new AbortController().signal))
    if (event !== 'caught_up' && event.escalated_to) return event;
  return undefined;
}

it('tells the streams when others are asked too, after a restart of the worker', async () => {
  const authorization = `Bearer ${await http.key('viewer')}`;
  const all = await readEvents(`${http.url}/v1/events`, { authorization });
  const { operation_id: id } = await start('soon');
  await harness.restartWorker();
  expect(await escalationOf(id)).toMatchObject({
    escalated_to: ['role:operator'],
    gate: { batch: 1, attempt: 1 },
  });
  const its = () =>
    all.seen.map(({ data }) => data as OperationEvent).filter((one) => one.operation_id === id);
  await all.until(() => its().some(({ escalated_to }) => escalated_to !== undefined));
  expect(its().at(-1)).toMatchObject({ state: 'awaiting_confirmation', escalated_to: ['role:operator'] });
  all.leave();
  const { body } = await http.done('GET', `/v1/operations/${id}`);
  expect(body.approvals.from).toEqual(['role:admin', 'role:operator']);
  await http.done('POST', `/v1/operations/${id}/cancel`);
});

it('tells the streams and the lists of all steps that became due while no worker was running', async () => {
  const { operation_id: id } = await start('late');
  await harness.stopWorker();
  await pause(11_500);
  await harness.restartWorker();
  const to = ['role:operator', 'person:Dora'];
  expect((await escalationOf(id))?.escalated_to).toEqual(to);
  const { client, taskQueue: task_queue } = harness;
  const escalated = async () =>
    (await listBulkOperations(client, { task_queue })).find((row) => row.operation_id === id)?.escalated?.to;
  // The list lags.
  while ((await escalated()) === undefined) await lookAgain();
  expect(await escalated()).toEqual(to);
  await http.done('POST', `/v1/operations/${id}/cancel`);
});

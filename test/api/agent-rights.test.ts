import {
  cancelJob,
  getCooldown,
  previewBulkOperation,
  setProfile,
  startTaskRun,
  touch,
} from '../../src/client';
import { countingTool, startHarness, type Harness } from '../helpers/harness';
import { lookAgain } from '../helpers/look-again';
import { startHttpApi, type HttpApi } from '../helpers/http-api';

/** What an agent may do over HTTP as over MCP. */
let harness: Harness;
let http: HttpApi;
beforeAll(async () => {
  harness = await startHarness({ adapters: [countingTool(12).adapter] });
  http = await startHttpApi(harness);
});
afterAll(async () => {
  await http?.close();
  await harness?.close();
});

it('lets an agent stop what it started and end the task runs of its sessions, as over MCP, and nothing of others', async () => {
  const { client, taskQueue: task_queue } = harness;
  const key = await http.key('agent');
  const asked = { domain: 'fake', action: 'mark', params: { group: 'all' }, session_id: 'stops-its-own' };
  const { body: started } = await http.ask('POST', '/v1/operations', { key, body: asked });
  const theirs = await harness.start({ session_id: 'of-a-person' });
  const cancel = (id: string) => http.ask('POST', `/v1/operations/${id}/cancel`, { key });
  expect(await cancel(theirs.operation_id)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
  expect((await cancel(started.operation_id)).body).toMatchObject({ state: 'cancelled' });
  const run = async (session_id: string) => {
    const terms = { goal: 'read', session_id, contract: { expected_total: 1 } };
    return `/v1/task-runs/${(await startTaskRun(client, terms, { task_queue })).task_run_id}`;
  };
  const own = await http.key('agent', 'agent-');
  const [first, second] = [await run('agent-one'), await run('agent-two')];
  await http.ask('POST', `${first}/record`, { key: own, body: { completed: ['a'] } });
  for (const [path, body] of [
    [`${first}/complete`, { force: true, reason: 'the agent says so' }],
    [`${second}/cancel`, {}],
  ] as const)
    expect(await http.ask('POST', path, { key, body })).toMatchObject({
      status: 403,
      body: { code: 'FORBIDDEN' },
    });
  expect((await http.ask('POST', `${first}/complete`, { key: own })).body).toMatchObject({
    allowed: true,
    evidence: 'It is complete: 1 of 1 completed, 0 failed, 0 skipped.',
  });
  expect((await http.ask('POST', `${second}/cancel`, { key: own })).body).toMatchObject({
    state: 'cancelled',
  });
  await client.workflow.getHandle(theirs.operation_id).cancel();
});

it('is the requester of the follow-ups that it starts, also by a message, and may stop them', async () => {
  const key = await http.key('agent');
  const [left, expired] = await Promise.all([
    harness.start({ requested_by: 'Anna' }),
    harness.start({ requested_by: 'Anna', session_id: 'late', idle_timeout_seconds: 1 }),
  ]);
  await cancelJob(harness.client, left.operation_id);
  const resumed = await http.ask('POST', `/v1/operations/${left.operation_id}/resume`, { key });
  // The rest inherits that second.
  while ((await harness.status(expired.operation_id)).state !== 'expired');
  const say = async () =>
    (await http.done('POST', '/v1/sessions/late/messages', { key, body: { text: 'run the rest' } })).body;
  let turn = await say();
  while (!turn.handled) turn = await say();
  for (const { operation_id: id } of [resumed.body, turn.status])
    expect(await harness.status(id)).toMatchObject({ requested_by: 'the agent', by_agent: true });
  const cancelled = await http.ask('POST', `/v1/operations/${resumed.body.operation_id}/cancel`, { key });
  expect(cancelled.body).toMatchObject({ state: 'cancelled' });
});

it('counts what it reads, and what is refused, as activity', async () => {
  const key = await http.key('agent');
  const last = async () => (await getCooldown(harness.client, harness.taskQueue))?.last_activity_at ?? '';
  await touch(harness.client, {}, harness.taskQueue);
  for (const path of ['/v1/operations', '/v1/tools', '/v1/operations/none']) {
    const before = await last();
    // A report that took too long is dropped, and the next call sends one.
    do {
      await http.ask('GET', path, { key });
      await lookAgain();
    } while ((await last()) <= before);
  }
});

it('is active by a preview, a change of a profile and a refused decision, over any client', async () => {
  const { client, taskQueue } = harness;
  const last = async () => (await getCooldown(client, taskQueue))?.last_activity_at ?? '';
  const status = await harness.start({});
  const asked = { domain: 'fake', action: 'mark', params: { group: 'all' } };
  for (const act of [
    () => previewBulkOperation(client, asked, { task_queue: taskQueue }),
    () => setProfile(client, { op_max_steps: null }, undefined, taskQueue),
    () => client.workflow.getHandle(status.operation_id).signal('continue', { batch: 7 }),
  ]) {
    const before = await last();
    await act();
    while ((await last()) <= before) await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await cancelJob(client, status.operation_id);
});

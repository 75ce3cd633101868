import { startHarness, type Harness } from '../helpers/harness';
import { agent, connectAgent, mcpContext, type Connected } from '../helpers/mcp';

let harness: Harness;
let ada: Connected;
let bob: Connected;

beforeAll(async () => {
  harness = await startHarness({ adapters: [] });
  const context = mcpContext(harness, []);
  ada = await connectAgent(context, agent('ada'));
  bob = await connectAgent(context, agent('bob'), {});
});
afterAll(async () => {
  await ada?.close();
  await bob?.close();
  await harness?.close();
});

const begin = async (contract: object) =>
  (await ada.call('task_run_start', { goal: 'read the pages', contract })).data.task_run_id as string;
const complete = (task_run_id: string, more: object = {}) =>
  ada.call('task_run_complete', { task_run_id, ...more });
const statusOf = async (task_run_id: string) => (await ada.call('task_run_get', { task_run_id })).data;

it('counts what is recorded, and completes only when the guard allows it', async () => {
  const task_run_id = await begin({ expected_items: ['a', 'b'] });
  await ada.call('task_run_update', { task_run_id, completed: ['a'] });
  const blocked = await complete(task_run_id);
  expect(blocked.data).toMatchObject({ allowed: false });
  expect(blocked.texts[0]).toBe('Not complete yet. 1 item(s) have no outcome yet.');
  await ada.call('task_run_update', { task_run_id, completed: ['b'] });
  expect((await bob.call('task_run_get', { task_run_id })).data.error.code).toBe('NOT_FOUND');
  const { data, texts } = await complete(task_run_id);
  const evidence = 'It is complete: 2 of 2 completed, 0 failed, 0 skipped.';
  expect(data).toEqual({ allowed: true, missing_count: 0, failed_count: 0, evidence });
  expect(texts[0]).toBe('It is complete: 2 of 2 completed, 0 failed, 0 skipped.');
  expect(await statusOf(task_run_id)).toMatchObject({ completed_count: 2 });
});

it('says that a stop condition is satisfied', async () => {
  const task_run_id = await begin({ stop_condition: 'no next page' });
  const skipped = [{ item: 'c', reason: 'a copy of a' }];
  await ada.call('task_run_update', { task_run_id, completed: ['a'], skipped });
  const blocked = await complete(task_run_id);
  expect(blocked.texts[0]).toBe('Not complete yet. Its stop condition is not marked satisfied.');
  expect(blocked.data.reason).toContain('"no next page" is not marked satisfied');
  const { texts } = await complete(task_run_id, { stop_condition_satisfied: true });
  expect(texts[0]).toBe('It is complete: 1 completed, 0 failed, 1 skipped. Its stop condition is satisfied.');
});

it('completes by force only with a reason, which is recorded with the name of the agent', async () => {
  const task_run_id = await begin({ expected_total: 2, stop_condition: 'no next page' });
  const force = true;
  expect((await complete(task_run_id, { force })).data.error).toMatchObject({
    code: 'INVALID_INPUT',
    message: '[GATEWAY ERROR] Forced completion needs a reason.',
  });
  const reason = 'the person needs no page';
  expect((await complete(task_run_id, { force, reason, by: 'Grace' })).data.error).toMatchObject({
    code: 'INVALID_INPUT',
    message: '[GATEWAY ERROR] task_run_complete: by: there is no such field.',
  });
  expect((await statusOf(task_run_id)).state).toBe('running');
  const { data, texts } = await complete(task_run_id, { force, reason });
  expect(data).toMatchObject({ allowed: true, missing_count: 2 });
  expect(texts[0]).toBe(
    'It is complete by force, which is recorded: 0 of 2 completed, 0 failed, 0 skipped. Its stop condition is not marked satisfied.',
  );
  const { state, forced } = await statusOf(task_run_id);
  expect({ state, forced }).toMatchObject({
    state: 'completed',
    forced: { by: 'agent of agent ada', reason },
  });
});

it('cancels what will not go on, which frees its slot, and nothing of another agent', async () => {
  const task_run_id = await begin({ expected_total: 2 });
  expect((await bob.call('task_run_cancel', { task_run_id })).data.error.code).toBe('NOT_FOUND');
  await ada.call('task_run_update', { task_run_id, completed: ['a'] });
  const { data } = await ada.call('task_run_cancel', { task_run_id });
  expect(data).toMatchObject({ state: 'cancelled', completed: ['a'] });
  expect((await complete(task_run_id)).data.error.code).toBe('OPERATION_CLOSED');
  const again = await ada.call('task_run_start', { goal: 'again', contract: { expected_total: 1 } });
  expect(again.data.state).toBe('running');
  await ada.call('task_run_cancel', { task_run_id: again.data.task_run_id });
});

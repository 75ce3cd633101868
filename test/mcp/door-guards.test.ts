import type { Client as McpClient } from '@modelcontextprotocol/client';
import type { ConfirmMode } from '../../src/contract/access';
import { confirmOpen } from '../helpers/confirm';
import { countingTool, startHarness, type Harness } from '../helpers/harness';
import { agent, connectAgent, mcpContext, type Connected } from '../helpers/mcp';

/** What an agent, or the host that it runs in, cannot do whatever it sends. */
let harness: Harness;
const tool = countingTool(12);
const open: Connected[] = [];

beforeAll(async () => void (harness = await startHarness({ adapters: [tool.adapter] })));
afterAll(async () => {
  await Promise.all(open.map((one) => one.close()));
  await harness?.close();
});

/** A host that says it can show forms and links, and sends its own answers. */
async function hostile(confirm: ConfirmMode, id: string) {
  const context = mcpContext(harness, [tool.adapter], { confirm });
  const one = await connectAgent(context, agent(id), {
    versionNegotiation: { mode: 'auto' },
    capabilities: { elicitation: { form: {}, url: {} } },
    inputRequired: { autoFulfill: false },
  });
  open.push(one);
  const asked = { domain: 'fake', action: 'mark', params: { group: 'all' }, reason: 'Old.', batch_size: 5 };
  const { data } = await one.call('start_bulk_operation', asked);
  return { ...one, operation_id: data.operation_id as string };
}

/** One call without the client's automatic answers. */
const round = (client: McpClient, args: object, more: object = {}): Promise<any> =>
  client.callTool(
    { name: 'continue_bulk_operation', arguments: { batch: 1, ...args }, ...more },
    { allowInputRequired: true },
  );
const accepting = (content: object) => ({
  decision: { action: 'accept', content },
  approval: { action: 'accept', content },
});
const untouched = async (operation_id: string) =>
  expect(await harness.status(operation_id)).toMatchObject({ state: 'awaiting_confirmation', processed: 0 });

it('where the page decides, asks by no form, and takes no answer to one', async () => {
  const { client, operation_id } = await hostile('link', 'forger');
  const question = await round(client, { operation_id });
  expect(Object.values(question.inputRequests).map(({ params }: any) => params.mode)).toEqual(['url']);
  for (const content of [{ decision: 'continue' }, { decision: 'cancel' }]) {
    const { requestState } = await round(client, { operation_id });
    const answer = await round(
      client,
      { operation_id },
      { inputResponses: accepting(content), requestState },
    );
    expect(answer.structuredContent.decision).toBe('waiting');
    await untouched(operation_id);
  }
  await harness.client.workflow.getHandle(operation_id).cancel();
});

it('where the page or a form decides, takes no message for an answer', async () => {
  for (const confirm of ['link', 'elicit'] as const) {
    const { client, operation_id } = await hostile(confirm, `messenger-${confirm}`);
    await round(client, { operation_id, person_message: 'continue' });
    await round(client, { operation_id, person_message: 'cancel' });
    await untouched(operation_id);
    await harness.client.workflow.getHandle(operation_id).cancel();
  }
});

it('where messages decide, takes none about a question that the agent was not shown', async () => {
  const { client, call, operation_id } = await hostile('message', 'blind');
  // Another door confirms, so that the agent was shown an older question.
  await confirmOpen(harness.client, operation_id);
  const late = await call('continue_bulk_operation', { operation_id, batch: 2, person_message: 'continue' });
  expect(late.data).toMatchObject({ decision: 'waiting', processed: 5 });
  expect((await harness.status(operation_id)).processed).toBe(5);
  const stale = await round(client, { operation_id, batch: 1, person_message: 'continue' });
  expect(stale.structuredContent.processed).toBe(5);
  await harness.client.workflow.getHandle(operation_id).cancel();
});

it('takes no form without a decision, or with exclusions that are not of the list', async () => {
  const { client, operation_id } = await hostile('elicit', 'vague');
  for (const content of [
    {},
    { decision: 'perhaps' },
    { decision: 'continue', exclude: '99' },
    { decision: 'continue', exclude: 'all' },
  ]) {
    const { requestState } = await round(client, { operation_id });
    const answer = await round(
      client,
      { operation_id },
      { inputResponses: accepting(content), requestState },
    );
    expect([content, answer.structuredContent.processed ?? 0]).toEqual([content, 0]);
    await untouched(operation_id);
  }
  const { requestState } = await round(client, { operation_id });
  const declined = { decision: { action: 'decline' } };
  await round(client, { operation_id }, { inputResponses: declined, requestState });
  await untouched(operation_id);
  await harness.client.workflow.getHandle(operation_id).cancel();
});

it('refuses a call about another batch than the open one', async () => {
  const { call, operation_id } = await hostile('link', 'ahead');
  const { data } = await call('continue_bulk_operation', { operation_id, batch: 2 });
  expect(data.error.code).toBe('STALE_CONFIRMATION');
  await harness.client.workflow.getHandle(operation_id).cancel();
});

it('shows and ends no job of another agent, by a tool or as a resource', async () => {
  const [ada, bob] = [await hostile('link', 'ada'), await hostile('link', 'bob')];
  const { operation_id } = ada;
  for (const name of ['get_bulk_status', 'get_bulk_report', 'cancel_bulk_operation'])
    expect((await bob.call(name, { operation_id })).data.error.code).toBe('NOT_FOUND');
  for (const uri of [
    `batchgate://operations/${operation_id}`,
    `batchgate://operations/${operation_id}/report`,
  ])
    await expect(bob.client.readResource({ uri })).rejects.toThrow();
  const own = await ada.client.readResource({ uri: `batchgate://operations/${operation_id}` });
  expect(JSON.stringify(own)).toContain(operation_id);
  await untouched(operation_id);
  for (const one of [ada, bob]) await harness.client.workflow.getHandle(one.operation_id).cancel();
});

it('starts no macro for a key with a session prefix', async () => {
  const caller = { ...agent('confined'), session_prefix: 'team.' };
  const confined = await connectAgent(mcpContext(harness, [tool.adapter]), caller);
  open.push(confined);
  const { data } = await confined.call('run_macro', { macro: 'tidy' });
  expect(data.error).toMatchObject({
    code: 'FORBIDDEN',
    message: expect.stringContaining('begin with team.'),
  });
});

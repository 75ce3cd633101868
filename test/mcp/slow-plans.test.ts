import { agent, connectAgent, mcpContext, type Connected } from '../helpers/mcp';
import { countingTool, gateway, startHarness, type Harness } from '../helpers/harness';

/** A plan that takes longer than a host waits for a call. */
let harness: Harness;
let held = gateway();
const { adapter } = countingTool(12);
const slow = {
  ...adapter,
  prepare: async (...request: Parameters<typeof adapter.prepare>) => {
    await held.opened;
    return adapter.prepare(...request);
  },
};
const open: Connected[] = [];
const mark = { domain: 'fake', action: 'mark', params: { group: 'all' }, reason: 'They are all read.' };

beforeAll(async () => void (harness = await startHarness({ adapters: [slow] })));
beforeEach(() => void (held = gateway()));
afterEach(() => held.open());
afterAll(async () => {
  await Promise.all(open.map((one) => one.close()));
  await harness?.close();
});

async function connect(id: string, started: number): Promise<Connected> {
  const waits = { silent: 20, told: 60_000, started, progress: 50, suggestions: 30_000 };
  const one = await connectAgent(mcpContext(harness, [slow], { waits }), agent(id));
  open.push(one);
  return one;
}

it('answers a start with the id of the operation and its next step, before the host gives up', async () => {
  const { call } = await connect('silent', 2_000);
  const { data, texts, isError } = await call('start_bulk_operation', mark);
  expect(isError).toBe(false);
  expect(data).toMatchObject({ state: 'preparing', next_step: expect.stringContaining('get_bulk_status') });
  expect(texts[0]).toContain('Preparing to mark');
  const { operation_id } = data;
  expect(data.approval_url).toContain(operation_id);
  held.open();
  let status = data;
  while (status.state === 'preparing') status = (await call('get_bulk_status', { operation_id })).data;
  expect(status).toMatchObject({ state: 'awaiting_confirmation', next_batch: { number: 1 } });
  await call('cancel_bulk_operation', { operation_id });
});

it('reports progress to a host that asks for it, and answers with the question', async () => {
  const { call } = await connect('told', 20);
  const messages: (string | undefined)[] = [];
  const heard = gateway();
  const onprogress = ({ message }: { message?: string }) => {
    messages.push(message);
    heard.open();
  };
  const started = call('start_bulk_operation', mark, { onprogress });
  await heard.opened;
  held.open();
  const { data } = await started;
  expect(data).toMatchObject({ state: 'awaiting_confirmation', next_batch: { number: 1 } });
  expect(messages[0]).toBe('The operation is being planned.');
  await call('cancel_bulk_operation', { operation_id: data.operation_id });
});

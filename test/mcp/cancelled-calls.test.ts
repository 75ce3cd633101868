import { InMemoryTransport } from '@modelcontextprotocol/client';
import { continueBulkOperation } from '../../src/client';
import { serveMcp } from '../../src/mcp/stdio';
import { agent, mcpContext } from '../helpers/mcp';
import { countingTool, gateway, startHarness, type Harness } from '../helpers/harness';

let harness: Harness;
const held = gateway();
const tool = countingTool(6, { apply: async (item) => void (item.id === 'slow' && (await held.opened)) });
const told = { progressToken: 'told' };

beforeAll(async () => (harness = await startHarness({ adapters: [tool.adapter] })));
afterAll(() => harness?.close());

/** A host that writes its messages by itself. Each wait resolves when the server has begun it. */
async function rawHost(id: string) {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const waits = { silent: 60_000, told: 60_000, started: 60_000, progress: 20, suggestions: 1_000 };
  serveMcp(mcpContext(harness, [tool.adapter], { waits }), agent(id), far, () => undefined);
  const answers = new Map<unknown, (message: any) => void>();
  near.onmessage = (message: any) => {
    answers.get(message.id ?? message.params?.progressToken)?.(message);
    // Only the first message about a wait counts.
    answers.delete(message.params?.progressToken);
  };
  await near.start();
  const send = (message: object) => near.send({ jsonrpc: '2.0', ...message } as never);
  let last = 0;
  const ask = async (method: string, params: object) => {
    const id = ++last;
    const answer = new Promise<any>((resolve) => answers.set(id, resolve));
    await send({ id, method, params });
    return (await answer).result;
  };
  const call = async (name: string, args: object) =>
    (await ask('tools/call', { name, arguments: args })).structuredContent;
  const clientInfo = { name: 'host', version: '1' };
  await ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  await send({ method: 'notifications/initialized' });
  return {
    call,
    /** Begins a wait of this tool and cancels it with these parameters. */
    async cancelled(name: string, args: object, reason: object) {
      const id = ++last;
      const progressToken = `wait-${id}`;
      const begun = new Promise((resolve) => answers.set(progressToken, resolve));
      await send({ id, method: 'tools/call', params: { name, arguments: args, _meta: { progressToken } } });
      await begun;
      await send({ method: 'notifications/cancelled', params: { requestId: id, ...reason } });
    },
    /** Cancels the call at once. */
    async takenBack(name: string, args: object, reason: object) {
      const id = ++last;
      await send({ id, method: 'tools/call', params: { name, arguments: args, _meta: told } });
      await send({ method: 'notifications/cancelled', params: { requestId: id, ...reason } });
    },
  };
}

const REASONS = [
  ...['', 'context deadline exceeded', 'context canceled', 'AbortError: aborted', 'user interrupted turn'],
  ...['tool call exceeded 60s', 'Request timed out', 'the user cancelled the operation', 'cancel'],
];
const mark = {
  domain: 'fake',
  action: 'mark',
  params: { group: 'all' },
  batch_size: 5,
  reason: 'They are all read.',
};

it('ends the wait of any tool and cancels nothing, whatever its reason', async () => {
  const host = await rawHost('waits');
  const { operation_id } = await host.call('start_bulk_operation', mark);
  const waits = [
    ['continue_bulk_operation', { operation_id, batch: 1 }],
    ['complete_bulk_operation', { operation_id }],
    ['extend_bulk_operation', { operation_id }],
  ] as const;
  for (const reason of [{}, ...REASONS.map((text) => ({ reason: text }))])
    for (const [name, args] of waits) await host.cancelled(name, args, reason);
  // Whatever those calls did is done before this decision.
  await continueBulkOperation(harness.client, operation_id, { batch: 1, by: 'Grace' });
  const after = await host.call('get_bulk_status', { operation_id });
  expect(after).toMatchObject({ state: 'awaiting_confirmation', processed: 5 });
  expect(after.confirmations).toMatchObject([{ decision: 'continue', by: 'Grace' }]);
  expect(await host.call('cancel_bulk_operation', { operation_id })).toMatchObject({ state: 'cancelled' });
});

it('lets a running batch run to its end', async () => {
  const host = await rawHost('runs');
  const items = [{ id: 'slow', display_name: 'Slow' }, ...tool.items.slice(0, 4)];
  const { operation_id } = await host.call('start_bulk_operation', { ...mark, params: {}, items });
  const running = continueBulkOperation(harness.client, operation_id, { batch: 1, by: 'Grace' });
  await host.cancelled('continue_bulk_operation', { operation_id, batch: 1 }, {});
  held.open();
  expect(await running).toMatchObject({ state: 'completed', succeeded: 5 });
});

it('leaves a start as it is: its question waits', async () => {
  const host = await rawHost('starts');
  await host.takenBack('start_bulk_operation', mark, { reason: 'context canceled' });
  const live = async () => (await host.call('list_bulk_operations', {})).items;
  let rows = await live();
  while (rows.length === 0 || rows[0].state === 'preparing') rows = await live();
  // A second start of the conversation would be refused, or find it cancelled.
  expect(rows).toMatchObject([{ state: 'awaiting_confirmation' }]);
  const second = await host.call('start_bulk_operation', mark);
  expect(second.error?.code).toBe('SESSION_LOCKED');
  await host.call('cancel_bulk_operation', { operation_id: rows[0].operation_id });
});

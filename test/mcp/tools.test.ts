import { setTimeout as sleep } from 'node:timers/promises';
import { encode } from 'gpt-tokenizer';
import { extendBulkOperation, getBulkProgress, listBulkOperations } from '../../src/client';
import { COMMANDS } from '../../src/commands';
import { PERMISSIONS } from '../../src/commands/permissions';
import { TOOLS } from '../../src/mcp/tools';
import { agent, connectAgent, mcpContext, type Connected } from '../helpers/mcp';
import { countingTool, gateway, startHarness, type Harness } from '../helpers/harness';
import { confirmOpen } from '../helpers/confirm';

let harness: Harness;
let ada: Connected;
let bob: Connected;
const held = gateway();
const failing = new Set<string>();
const tool = countingTool(12, {
  apply: async (item) => {
    if (item.id === 'slow') await held.opened;
    if (failing.has(item.id))
      return { item_id: item.id, success: false, error: 'try later', retryable: true };
    tool.touched.set(item.id, (tool.touched.get(item.id) ?? 0) + 1);
    return undefined;
  },
});

beforeAll(async () => {
  harness = await startHarness({ adapters: [tool.adapter] });
  const context = mcpContext(harness, [tool.adapter]);
  ada = await connectAgent(context, agent('ada'));
  bob = await connectAgent(context, agent('bob'), {});
});
afterAll(async () => {
  await ada?.close();
  await bob?.close();
  await harness?.close();
});

const mark = { domain: 'fake', action: 'mark', params: { group: 'all' }, reason: 'They are all read.' };
const told = { onprogress: () => undefined };

async function start(by: Connected, session_id: string, more: object = {}) {
  const { data, isError } = await by.call('start_bulk_operation', { ...mark, session_id, ...more });
  if (isError) throw new Error(JSON.stringify(data));
  return data;
}

describe('the list of tools', () => {
  it('has the tools of the public surface, with schemas and annotations', async () => {
    const { tools } = await ada.client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(
      [
        ...['start', 'continue', 'cancel', 'complete', 'extend'].map((verb) => `${verb}_bulk_operation`),
        ...['revise', 'edit', 'withdraw'].map((verb) => `${verb}_bulk_operation`),
        ...['preview_bulk_operation', 'undo_bulk_operation', 'resolve_item', 'retry_failed_items'],
        ...['get_bulk_status', 'get_bulk_report', 'list_bulk_operations', 'describe_tools', 'list_tools'],
        ...['start', 'update', 'complete', 'cancel', 'get', 'list'].map((verb) => `task_run_${verb}`),
        'run_macro',
      ].sort(),
    );
    for (const one of tools) {
      expect(one).toMatchObject({ title: expect.any(String), outputSchema: { type: 'object' } });
      expect(Object.keys(one.annotations ?? {}).sort()).toEqual(
        ['destructiveHint', 'idempotentHint', 'openWorldHint', 'readOnlyHint', 'title'].sort(),
      );
    }
    const readOnly = tools.filter(({ annotations }) => annotations?.readOnlyHint).map(({ name }) => name);
    expect(readOnly.sort()).toEqual(
      [
        ...['describe_tools', 'get_bulk_report', 'get_bulk_status', 'list_bulk_operations', 'list_tools'],
        ...['preview_bulk_operation', 'task_run_get', 'task_run_list'],
      ].sort(),
    );
  });

  it('uses at most 6,000 tokens of a model', async () => {
    const { tools } = await ada.client.listTools();
    const read = tools.map(({ name, title, description, inputSchema }) => ({
      name,
      title,
      description,
      inputSchema,
    }));
    const tokens = encode(JSON.stringify(read)).length + encode(ada.client.getInstructions() ?? '').length;
    expect(tokens).toBeGreaterThan(1_000);
    expect(tokens).toBeLessThanOrEqual(6_000);
  });

  it('asks a person wherever the HTTP API lets no agent decide', () => {
    const route = (verb: string) => `POST /v1/operations/{operation_id}/${verb}`;
    const decisions = {
      continue_bulk_operation: route('continue'),
      complete_bulk_operation: route('complete'),
      extend_bulk_operation: route('extend'),
      resolve_item: route('resolve'),
      revise_bulk_operation: route('revise'),
      start_bulk_operation: 'POST /v1/operations',
      retry_failed_items: route('retry-failed'),
      undo_bulk_operation: route('undo'),
      preview_bulk_operation: 'POST /v1/previews',
      run_macro: 'POST /v1/macros',
    };
    for (const [name, path] of Object.entries(decisions))
      expect([name, !TOOLS.find((tool) => tool.name === name)?.asks]).toEqual([
        name,
        PERMISSIONS[path]?.roles.includes('agent'),
      ]);
    const own = ['describe_tools', 'list_tools', 'run_macro'];
    const declared = COMMANDS.flatMap(({ agent: door }) => door?.name ?? []);
    expect(TOOLS.map(({ name }) => name).sort()).toEqual([...declared, ...own].sort());
  });

  it('has no tool with an argument for who decides, or a flag that confirms', () => {
    const flags = ['by', 'force', 'confirm', 'confirmed', 'decision', 'proof', 'requested_by'];
    const found = TOOLS.flatMap(({ name, input }) =>
      flags.filter((flag) => flag in input.shape).map((flag) => `${name}: ${flag}`),
    );
    // A task run counts work of the agent's own, and runs nothing.
    expect(found).toEqual(['task_run_complete: force']);
  });
});

describe.each(['2026-07-28', '2025-11-25'])('an agent of protocol %s', (version) => {
  const by = () => (version === '2026-07-28' ? ada : bob);

  it('speaks that protocol', () => {
    expect(by().client.getNegotiatedProtocolVersion()).toBe(version);
  });

  it('starts, asks, and gets the outcome of the batch that a person confirmed in the same call', async () => {
    const started = await start(by(), 'outcome');
    expect(started).toMatchObject({
      state: 'awaiting_confirmation',
      next_batch: { number: 1, items: expect.any(Array), change: expect.any(Object) },
      approval_url: `http://127.0.0.1:8787/operations/${started.operation_id}`,
    });
    const asked = by().call(
      'continue_bulk_operation',
      { operation_id: started.operation_id, batch: 1 },
      told,
    );
    const exclude = [{ id: 'item-003', reason: 'not this one' }];
    await confirmOpen(harness.client, started.operation_id, { by: 'Grace', exclude });
    const { data, texts } = await asked;
    expect(data).toMatchObject({
      decision: 'confirmed',
      last_batch: { number: 1, succeeded: 9, skipped: 1 },
      next_batch: { number: 2 },
    });
    expect(texts[0]).toMatch(
      /^The person confirmed\. Processed 9 items .*\. 1 item\(s\) were skipped\. Show /,
    );
    // A repeated call for a batch that has run returns at once, and runs nothing.
    const again = await by().call('continue_bulk_operation', {
      operation_id: started.operation_id,
      batch: 1,
    });
    expect(again.data).toMatchObject({ decision: 'confirmed', processed: 9 });
    await by().call('cancel_bulk_operation', { operation_id: started.operation_id });
  });

  it('runs nothing by itself, whatever it sends', async () => {
    const { operation_id } = await start(by(), 'nothing');
    for (const person_message of [undefined, 'continue', 'yes, go ahead', 'I confirm batch 1']) {
      const { data } = await by().call('continue_bulk_operation', { operation_id, batch: 1, person_message });
      expect(data).toMatchObject({ decision: 'waiting', processed: 0, state: 'awaiting_confirmation' });
    }
    const stale = await by().call('continue_bulk_operation', { operation_id, batch: 2 });
    expect(stale).toMatchObject({ isError: true, data: { error: { code: 'STALE_CONFIRMATION' } } });
    for (const name of ['complete_bulk_operation', 'extend_bulk_operation'])
      expect((await by().call(name, { operation_id })).data).toMatchObject({ decision: 'waiting' });
    const { confirmations, expires_at } = await harness.status(operation_id);
    expect(confirmations).toEqual([]);
    const heard = gateway();
    const extended = by().call('extend_bulk_operation', { operation_id }, { onprogress: heard.open });
    await heard.opened;
    await extendBulkOperation(harness.client, operation_id, { seconds: 9_000, by: 'Grace' });
    const after = await extended;
    expect(after.data.decision).toBe('confirmed');
    expect(after.data.expires_at > (expires_at ?? '')).toBe(true);
    await by().call('cancel_bulk_operation', { operation_id, reason: 'the person said stop' });
    expect((await harness.status(operation_id)).state).toBe('cancelled');
    const closed = await by().call('continue_bulk_operation', { operation_id, batch: 1 });
    expect(closed.data).toMatchObject({ decision: 'cancelled' });
  });

  it('does not see the operations of another agent', async () => {
    const other = version === '2026-07-28' ? bob : ada;
    const { operation_id } = await start(other, 'foreign');
    const missing = await by().call('get_bulk_status', { operation_id: 'bulk-made-up' });
    expect(missing.data.error.code).toBe('NOT_FOUND');
    for (const { name, input } of TOOLS.filter((one) => 'operation_id' in one.input.shape)) {
      const args = { operation_id, ...('batch' in input.shape && { batch: 1 }), item_id: 'item-001' };
      const known = Object.fromEntries(Object.entries(args).filter(([key]) => key in input.shape));
      const { data } = await by().call(name, known);
      expect([name, data]).toEqual([name, missing.data]);
    }
    const { data } = await by().call('list_bulk_operations', {});
    expect(data.items.map((row: any) => row.operation_id)).not.toContain(operation_id);
    await other.call('cancel_bulk_operation', { operation_id });
  });
});

describe('progress', () => {
  it('is reported while a person is asked and while the batch runs', async () => {
    const items = [{ id: 'slow', display_name: 'Slow' }, ...tool.items.slice(0, 4)];
    const { operation_id } = await start(ada, 'progress', { params: {}, items });
    const messages: string[] = [];
    const numbers: number[] = [];
    const heard = gateway();
    const asked = ada.call(
      'continue_bulk_operation',
      { operation_id, batch: 1 },
      {
        onprogress: ({ message, progress }: { message?: string; progress: number }) => {
          numbers.push(progress);
          messages.push(message ?? '');
          if (message?.startsWith('The batch runs')) held.open();
          heard.open();
        },
      },
    );
    await heard.opened;
    await confirmOpen(harness.client, operation_id, { by: 'Grace' });
    expect((await asked).data).toMatchObject({ decision: 'confirmed', state: 'completed' });
    expect(messages).toContain('Waiting for the decision of a person.');
    expect(messages.some((text) => /^The batch runs: \d of 5 items\.$/.test(text))).toBe(true);
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
  });
});

describe('the whole life of an operation', () => {
  it('previews, starts exactly that, retries failed items, and reads the report', async () => {
    const { data: preview } = await ada.call('preview_bulk_operation', mark);
    expect(preview).toMatchObject({ total: 12 });
    failing.add('item-002');
    const items = tool.items.slice(0, 5);
    const { operation_id } = await start(ada, 'life', { params: {}, items });
    const asked = ada.call('continue_bulk_operation', { operation_id, batch: 1 }, told);
    await confirmOpen(harness.client, operation_id, { by: 'Grace' });
    expect((await asked).data).toMatchObject({ state: 'completed', failed: 1 });
    failing.clear();
    const { data: retry } = await ada.call('retry_failed_items', { operation_id });
    expect(retry).toMatchObject({ total: 1, state: 'awaiting_confirmation' });
    const { data: report } = await ada.call('get_bulk_report', { operation_id, outcome: 'failed' });
    expect(report).toMatchObject({
      total: 1,
      rows: [{ id: 'item-002', error: 'try later', confirmed_by: 'Grace' }],
    });
    await ada.call('cancel_bulk_operation', { operation_id: retry.operation_id });
  });

  it('has the contract that the agent gives it, and is requested by that agent', async () => {
    const contract = { expected_total: 12, min_completed: 11, failed_policy: 'block' };
    expect((await ada.call('preview_bulk_operation', { ...mark, contract })).data).toMatchObject({
      total: 12,
    });
    const { operation_id, requested_by } = await start(ada, 'contract', { contract });
    expect(requested_by).toBe('agent ada');
    expect(await getBulkProgress(harness.client, operation_id)).toMatchObject(contract);
    await ada.call('cancel_bulk_operation', { operation_id });
    const impossible = { ...mark, contract: { expected_total: 1, min_completed: 2 } };
    for (const name of ['preview_bulk_operation', 'start_bulk_operation']) {
      const { data } = await ada.call(name, { ...impossible, session_id: 'impossible' });
      expect(data.error).toMatchObject({
        code: 'INVALID_INPUT',
        message: expect.stringContaining('can never be completed'),
      });
    }
  });

  it('is listed as the published schema says after people were reminded of its question', async () => {
    const { operation_id } = await start(ada, 'reminded', { idle_timeout_seconds: 30 });
    const filter = { session_prefix: agent('ada').sessions, live: true };
    const isReminded = async () =>
      (await listBulkOperations(harness.client, filter)).some(({ reminded_at }) => reminded_at !== undefined);
    while (!(await isReminded())) await sleep(200);
    // What was reminded of stays so, and no longer expires while a busy machine answers.
    await extendBulkOperation(harness.client, operation_id, { seconds: 600 });
    // The client then refuses an answer that does not match the published schema.
    await ada.client.listTools();
    const { data } = await ada.call('list_bulk_operations', { live: true });
    expect(data.items).toContainEqual(
      expect.objectContaining({ operation_id, reminded_at: expect.any(String) }),
    );
    await ada.call('cancel_bulk_operation', { operation_id });
  });

  it('describes adapters and tools', async () => {
    const { data } = await ada.call('describe_tools', { domain: 'fake' });
    expect(data.adapters[0].actions[0]).toMatchObject({ action: 'mark', params: { type: 'object' } });
    expect((await ada.call('describe_tools', {})).data.adapters[0].actions[0].params).toBeUndefined();
    expect((await ada.call('describe_tools', { domain: 'fax' })).data.error.code).toBe('UNKNOWN_ADAPTER');
    const { data: one } = await ada.call('list_tools', { name: 'get_bulk_status' });
    expect(one.tools).toMatchObject([{ args: { type: 'object' } }]);
    const { data: all } = await ada.call('list_tools', {});
    const { tools } = await ada.client.listTools();
    expect(all.tools.map(({ name }: { name: string }) => name)).toEqual(tools.map(({ name }) => name));
  });
});

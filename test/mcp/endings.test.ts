import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answerMacro, completeBulkOperation, resolveItem } from '../../src/client';
import { agent, connectAgent, mcpContext, type Connected } from '../helpers/mcp';
import { countingTool, gateway, startHarness, type Harness } from '../helpers/harness';
import { confirmOpen } from '../helpers/confirm';

/** Each test follows an agent's request and a person's decision to the end. */
let harness: Harness;
let ada: Connected;
let macrosDir: string;
const marks = new Map<string, string>();
const undoable = countingTool(5, { toolName: 'undoable', marks });
/** Ids of items for which the tool's answer never arrives. */
const lost = new Set<string>();
const doubtful = countingTool(5, {
  toolName: 'doubtful',
  apply: ({ id }) => {
    const unknown = { item_id: id, success: false, outcome_unknown: true, error: 'the answer never came' };
    return Promise.resolve(lost.has(id) ? unknown : undefined);
  },
  readBack: undefined,
});
const TIDY = {
  name: 'tidy',
  steps: [
    { type: 'ask', of: 'person', prompt: 'Which mark?', output_variable: 'mark' },
    {
      ...{ type: 'command', command: 'start_bulk_operation', output_variable: 'op' },
      args: { domain: 'undoable', action: 'mark', params: { group: 'all', mark: '{{.mark}}' } },
    },
    {
      ...{ type: 'command', command: 'wait_for_bulk_operation', output_variable: 'op' },
      args: { operation_id: '{{.op.operation_id}}' },
    },
  ],
};

beforeAll(async () => {
  macrosDir = await mkdtemp(join(tmpdir(), 'mcp-macros-'));
  await writeFile(join(macrosDir, 'tidy.json'), JSON.stringify(TIDY));
  const adapters = [undoable.adapter, doubtful.adapter];
  harness = await startHarness({ adapters, macros: { macrosDir } });
  ada = await connectAgent(mcpContext(harness, adapters), agent('endings'));
});
afterAll(async () => {
  await ada?.close();
  await harness?.close();
  await rm(macrosDir, { recursive: true, force: true });
});
beforeEach(() => {
  marks.clear();
  lost.clear();
});

const start = async (domain: string, session_id: string) => {
  const mark = {
    domain,
    action: 'mark',
    params: { group: 'all', mark: 'later' },
    session_id,
    reason: 'They are all read.',
  };
  return (await ada.call('start_bulk_operation', mark)).data.operation_id as string;
};
const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));
/** Calls a tool that asks a person, and decides once the tool waits. */
async function asked(name: string, args: object, decide: () => Promise<unknown>) {
  const waiting = gateway();
  const answer = ada.call(name, args as Record<string, unknown>, { onprogress: waiting.open });
  const early = await Promise.race([waiting.opened.then(() => undefined), answer]);
  // The tool answered instead of asking.
  if (early) return early.data;
  await decide();
  return (await answer).data;
}
const confirmed = (operation_id: string, batch = 1) =>
  asked('continue_bulk_operation', { operation_id, batch }, () =>
    confirmOpen(harness.client, operation_id, { by: 'Grace' }),
  );

it('undoes an operation once a person confirms that too', async () => {
  const operation_id = await start('undoable', 'undo');
  expect(await confirmed(operation_id)).toMatchObject({ state: 'completed', succeeded: 5 });
  expect([...marks.values()]).toEqual(Array(5).fill('later'));
  const { data: undo } = await ada.call('undo_bulk_operation', { operation_id });
  expect(undo).toMatchObject({ undoes: operation_id, state: 'awaiting_confirmation', processed: 0 });
  expect(marks.size).toBe(5);
  expect(await confirmed(undo.operation_id)).toMatchObject({ decision: 'confirmed', state: 'completed' });
  expect(marks.size).toBe(0);
});

it('waits until a person resolves that item in doubt, and not another one', async () => {
  lost.add('item-002').add('item-004');
  const operation_id = await start('doubtful', 'doubt');
  expect(await confirmed(operation_id)).toMatchObject({ state: 'awaiting_resolution', in_doubt: 2 });
  const resolve = (item_id: string, outcome: 'succeeded' | 'failed') =>
    resolveItem(harness.client, operation_id, { item_id, outcome, reason: 'I looked', by: 'Grace' });
  const answer = await asked('resolve_item', { operation_id, item_id: 'item-004' }, async () => {
    await resolve('item-002', 'succeeded');
    await resolve('item-004', 'failed');
  });
  expect(answer).toMatchObject({ decision: 'confirmed', state: 'completed', succeeded: 4, failed: 1 });
  const { data: report } = await ada.call('get_bulk_report', { operation_id, outcome: 'failed' });
  expect(report.rows).toMatchObject([{ id: 'item-004' }]);
});

it('refuses to ask about an item that is not in doubt', async () => {
  const operation_id = await start('doubtful', 'no doubt');
  const { data } = await ada.call('resolve_item', { operation_id, item_id: 'item-001' });
  expect(data.error).toMatchObject({
    code: 'INVALID_INPUT',
    hint: expect.stringContaining('get_bulk_status'),
  });
  await ada.call('cancel_bulk_operation', { operation_id });
});

it('completes with missing items only by the decision of a person', async () => {
  lost.add('item-005');
  const operation_id = await start('doubtful', 'complete');
  await confirmed(operation_id);
  const answer = await asked('complete_bulk_operation', { operation_id }, () =>
    completeBulkOperation(harness.client, operation_id, { force: true, reason: 'enough', by: 'Grace' }),
  );
  expect(answer).toMatchObject({ decision: 'confirmed', state: 'completed', in_doubt: 1 });
  expect(answer.forced).toMatchObject({ reason: 'enough', by: 'Grace' });
});

it('runs a macro whose question and whose batch a person decides', async () => {
  const { data: asks } = await ada.call('run_macro', { macro: 'tidy' });
  expect(asks).toMatchObject({
    state: 'awaiting_answer',
    questions: [{ prompt: 'Which mark?' }],
    page_url: `http://127.0.0.1:8787/macros/${asks.run_id}`,
    next_step: expect.stringContaining('page_url'),
  });
  const { run_id } = asks;
  await answerMacro(harness.client, run_id, { answer: 'urgent', by: 'Grace' });
  const { data: waits } = await ada.call('run_macro', { run_id }, { onprogress: () => undefined });
  expect(waits).toMatchObject({ state: 'running', operations: [expect.any(String)] });
  expect(waits.next_step).toContain('continue_bulk_operation');
  const [operation_id = ''] = waits.operations;
  expect(await confirmed(operation_id)).toMatchObject({ decision: 'confirmed', state: 'completed' });
  const { data: ended } = await ada.call('run_macro', { run_id }, { onprogress: () => undefined });
  expect(ended).toMatchObject({ state: 'completed', next_step: expect.stringContaining('Report') });
  expect([...marks.values()]).toEqual(Array(5).fill('urgent'));
});

it.each([
  ['without a macro and a run', {}, /neither macro nor run_id/],
  ['with a macro and a run', { macro: 'tidy', run_id: 'macro-1' }, /both given/],
  ['with a name that no macro can have', { macro: 'my macro' }, /run_macro: macro: must be letters, digits/],
  [
    'with arguments that are nested too deeply',
    { macro: 'tidy', args: { deep: nested(5_000) } },
    /nested deeper/,
  ],
])('refuses a call of run_macro %s as invalid input', async (_, given, message) => {
  const { data } = await ada.call('run_macro', given);
  expect(data.error).toMatchObject({ code: 'INVALID_INPUT', message: expect.stringMatching(message) });
  expect(data.error.message).toMatch(/^\[GATEWAY ERROR\] /);
  expect(data.error.hint).toMatch(/^\[HINT\]: (Give|Correct|Pass) /);
});

it('reports a missing macro, and answers no question of a macro by itself', async () => {
  const { data } = await ada.call('run_macro', { macro: 'nothing' });
  expect(data.error.code).toBe('INVALID_INPUT');
  const wrong = await ada.call('run_macro', { macro: 'tidy', answer: 'urgent' });
  expect(wrong.data.error).toMatchObject({
    code: 'INVALID_INPUT',
    message: expect.stringContaining('answer'),
  });
});

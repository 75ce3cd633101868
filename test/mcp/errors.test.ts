import { getCooldown, touch } from '../../src/client';
import { DATA_NOTICE } from '../../src/mcp/results';
import { lookAgain } from '../helpers/look-again';
import { countingTool, startHarness, type Harness } from '../helpers/harness';
import { agent, connectAgent, mcpContext, type Connected } from '../helpers/mcp';

let harness: Harness;
let ada: Connected;
const { adapter } = countingTool(12);

beforeAll(async () => {
  harness = await startHarness({ adapters: [adapter] });
  ada = await connectAgent(mcpContext(harness, [adapter]), agent('ada'));
});
afterAll(async () => {
  await ada?.close();
  await harness?.close();
});

const mark = { domain: 'fake', action: 'mark', params: { group: 'all' }, reason: 'They are all read.' };

it('returns a code and a hint, also for arguments that match no schema', async () => {
  const wrong = await ada.call('start_bulk_operation', { domain: 'fake', action: 7, confirm: true });
  expect(wrong).toMatchObject({ isError: true, data: { error: { code: 'INVALID_INPUT' } } });
  expect(wrong.data.error.message).toMatch(/action/);
  expect(wrong.data.error.message).toMatch(/confirm/);
  expect(wrong.texts).toEqual(['Refused: INVALID_INPUT.', `${DATA_NOTICE}\n${JSON.stringify(wrong.data)}`]);
  const unknown = await ada.call('start_bulk_operation', { ...mark, domain: 'fax', session_id: 'fax' });
  expect(unknown).toMatchObject({ isError: true, data: { error: { code: 'UNKNOWN_ADAPTER' } } });
});

const operation_id = 'bulk-made-up';
it.each<[string, string, object, string]>([
  ['get_bulk_status', 'operation_id: is missing', {}, 'This field is mandatory.'],
  ['get_bulk_status', 'operation_id: ', { operation_id: 7 }, 'Enclose the value in quotes.'],
  ['start_bulk_operation', 'items: ', { ...mark, items: 'a' }, 'Use [item1, item2] format.'],
  ['continue_bulk_operation', 'batch: ', { operation_id, batch: '1' }, 'Give a number without quotes.'],
  ['list_bulk_operations', 'live: ', { live: 'yes' }, 'Use true or false, without quotes.'],
  ['get_bulk_status', 'by: ', { operation_id, by: 'me' }, "Use only the fields of the tool's schema."],
  [
    ...(['get_bulk_status', 'operation_id: Too big', { operation_id: 'x'.repeat(1_001) }] as const),
    'Shorten it; long text belongs in the scratchpad or in a field for text.',
  ],
])(
  'gives mistakes in arguments the prefix and the hint of the gateway: %s: %s',
  async (name, message, args, hint) => {
    const { data } = await ada.call(name, { ...args });
    expect(data.error).toMatchObject({
      ...{ code: 'INVALID_INPUT', hint: `[HINT]: ${hint}` },
      message: expect.stringContaining(`[GATEWAY ERROR] ${name}: ${message}`),
    });
  },
);

it.each([
  ['missing', { mark: 'x' }, 'This field is mandatory.'],
  ['none at all', {}, 'This field is mandatory.'],
  ['of another type', { group: 7 }, 'Enclose the value in quotes.'],
])('gives a parameter of the adapter that is %s both hints', async (_, params, hint) => {
  const { data } = await ada.call('start_bulk_operation', { ...mark, params, session_id: 'params' });
  expect(data.error).toMatchObject({
    code: 'INVALID_INPUT',
    message: expect.stringMatching(/^\[GATEWAY ERROR\] /),
    hint: expect.stringMatching(new RegExp(`^\\[HINT\\]: ${hint} \\S`)),
  });
});

it('tells of a tool that does not exist with the prefix and the hint of the gateway', async () => {
  for (const name of ['mark_everything', 'constructor'])
    await expect(ada.call(name, {})).rejects.toThrow(
      `[GATEWAY ERROR] There is no tool '${name}'. [HINT]: Verify the tool name`,
    );
});

it('counts whatever an agent asks for as activity, also what is refused', async () => {
  const last = async () => (await getCooldown(harness.client, harness.taskQueue))?.last_activity_at ?? '';
  await touch(harness.client, {}, harness.taskQueue);
  for (const act of [
    () => ada.call('list_bulk_operations', {}),
    () => ada.call('list_tools', { category: 7 }),
    () => ada.client.readResource({ uri: 'batchgate://inbox' }),
  ]) {
    const before = await last();
    // A report that took too long is dropped, and the next call sends one.
    do {
      await act();
      await lookAgain();
    } while ((await last()) <= before);
  }
});

it('gives other refusals a prefix and a hint, and keeps their words', async () => {
  const { data: hidden } = await ada.call('get_bulk_status', { operation_id });
  expect(hidden.error).toEqual({
    code: 'NOT_FOUND',
    message: '[GATEWAY ERROR] None of your jobs has this id.',
    hint: '[HINT]: Take the id from the call that started the job, or from list_bulk_operations or task_run_list.',
  });
  const { data: started } = await ada.call('start_bulk_operation', { ...mark, session_id: 'stale' });
  const id = started.operation_id as string;
  const { data: stale } = await ada.call('continue_bulk_operation', { operation_id: id, batch: 2 });
  expect(stale.error).toMatchObject({
    message: '[TOOL ERROR] Batch 2 is not the one that waits for a confirmation: batch 1 is.',
    hint: '[HINT]: Call get_bulk_status, show the person that batch, and ask for it.',
  });
  await ada.call('cancel_bulk_operation', { operation_id: id });
});

import { cancelBulkOperation, getAssistant } from '../../src/client';
import {
  choose,
  ended,
  harness,
  replies,
  requests,
  turnOf,
  use,
  useAssistantStage,
} from '../helpers/assistant-stage';
import { countingTool, gateway } from '../helpers/harness';

const held = gateway();
const { adapter } = countingTool(3, { toolName: 'slow' });
/** Its plan takes as long as the test holds it. */
const slow = {
  ...adapter,
  prepare: async (...request: Parameters<typeof adapter.prepare>) => {
    await held.opened;
    return adapter.prepare(...request);
  },
};

useAssistantStage(
  () => Promise.resolve([slow]),
  undefined,
  () => Promise.resolve({ settings: { tool_timeout_ms: 4_000 } }),
);

it('waits for the end of an operation whose plan takes longer than a call may, and reports it', async () => {
  const wish = { domain: 'slow', action: 'mark', reason: 'You asked me to.', params: { group: 'all' } };
  replies(choose('bulk'), use('start_bulk_operation', wish), { text: 'It was cancelled.' });
  const turn = await turnOf('slow-plan', 'mark them');
  expect(turn).toMatchObject({
    state: 'waits',
    calls: [{ tool: 'start_bulk_operation', state: 'done' }],
  });
  const [operation_id = ''] = turn.operations;
  expect(await harness.status(operation_id)).toMatchObject({ state: 'preparing' });
  expect(await getAssistant(harness.client, 'slow-plan')).toMatchObject({ operations: [operation_id] });
  held.open();
  await cancelBulkOperation(harness.client, operation_id);
  expect(await ended('slow-plan', turn.number + 1)).toMatchObject({
    about: 'outcome',
    answer: 'It was cancelled.',
  });
  expect(JSON.stringify(requests.at(-1)?.messages)).toContain(`The operation ${operation_id} has ended`);
});

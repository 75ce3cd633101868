import { parseJobId } from '../../src/contract/job-ids';
import { WORKFLOW_TYPES } from '../../src/contract/messages';

const { assistant, bulkOperation, macro, taskRun } = WORKFLOW_TYPES;
const refusal = expect.objectContaining({ code: 'INVALID_INPUT' }) as Error;

it.each([
  ...[
    'sentinel',
    'sentinel-x',
    'batchgate-hygiene',
    'hygiene',
    'webhook-1',
    'webhooks',
    'ledger-1',
    'access-1',
  ],
  ...['preview-1', 'profile-1', 'scratchpad-1', 'assistant-1', 'macro-1'],
])('lets no job take the place of a workflow of batchgate: %s', (id) => {
  for (const type of [bulkOperation, taskRun]) expect(() => parseJobId(id, type)).toThrow(refusal);
});

it('leaves its own ids to a macro and an assistant, and all others to everybody', () => {
  expect(parseJobId('macro-1', macro)).toBe('macro-1');
  expect(parseJobId('assistant-1', assistant)).toBe('assistant-1');
  expect(() => parseJobId('assistant-1', macro)).toThrow(refusal);
  for (const id of ['order-1', 'sentinels', 'my-macro-1']) expect(parseJobId(id, bulkOperation)).toBe(id);
  for (const id of ['', 'a\nb', 'x'.repeat(151)])
    expect(() => parseJobId(id, bulkOperation)).toThrow(refusal);
});

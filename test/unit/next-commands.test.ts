import { nextCommands } from '../../src/cli/operation/next-commands';
import type { BulkStatus } from '../../src/contract/operation';

/** What an answer at the terminal offers next. */
const after = (status: Partial<BulkStatus>) =>
  nextCommands({
    ...{ operation_id: 'op', total: 10, succeeded: 0, remaining: 0, in_doubt: 0, errors: [] },
    ...status,
  } as unknown as BulkStatus).map((command) => command.replace('npx batchgate ', ''));

it.each<[string, Partial<BulkStatus>, string[]]>([
  ['a question', { state: 'awaiting_confirmation', next_batch: {} as never }, ['continue op', 'cancel op']],
  ['a batch that runs', { state: 'running_batch' }, ['watch op', 'cancel op']],
  [
    'an end with failures, of a change that can be undone',
    {
      state: 'completed',
      succeeded: 9,
      reversible: 'yes',
      errors: [{ item_id: 'a', display_name: 'A', error: 'Busy', retryable: true }],
    },
    ['report op', 'retry-failed op', 'undo op'],
  ],
  [
    'an end before all batches ran, of a change that cannot be undone',
    { state: 'expired', succeeded: 5, remaining: 5, reversible: 'no' },
    ['report op', 'resume op'],
  ],
  [
    'an end that was undone',
    { state: 'completed', succeeded: 5, reversible: 'yes', undone_by: 'u' },
    ['report op'],
  ],
  [
    'items in doubt',
    { state: 'awaiting_resolution', in_doubt: 1 },
    [
      'errors op',
      'resolve op --item ITEM --outcome succeeded --reason "…"',
      'complete op --force --reason "…"',
    ],
  ],
  ['a refusal', { state: 'rejected' }, []],
])('offers after %s what fits', (_, status, commands) => {
  expect(after(status)).toEqual(commands);
});

it('quotes an id for a shell', () => {
  const commands = nextCommands({ operation_id: "it's; rm -rf $HOME", state: 'running_batch' } as BulkStatus);
  expect(commands[0]).toBe("npx batchgate watch 'it'\\''s; rm -rf $HOME'");
});

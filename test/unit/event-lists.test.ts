import { newChannel, type SeenEvent } from '../../src/api/event-channel';
import { note } from '../../src/api/event-lists';
import type { OperationRow } from '../../src/client';

const created_at = '2026-01-01T00:00:00.000Z';
/** `revision` is present if the history was read. */
const row = (state: OperationRow['state'], remaining: number, revision?: string): OperationRow => ({
  ...{ operation_id: 'op', created_at, state, progress: { total: 20, remaining } },
  ...(revision !== undefined && { revision }),
});

/** The states and counts that the rows of successive lists report. */
function reported(...rows: OperationRow[]) {
  const channel = newChannel();
  for (const one of rows) note(channel, one);
  const changes = channel.seen.map(({ event }: SeenEvent) => event).filter((event) => 'state' in event);
  return changes.map(({ state, progress }) => [state, progress?.['remaining']]);
}

describe('the changes that lists report', () => {
  const asked = row('awaiting_confirmation', 20, '7');
  const scheduled = row('scheduled', 18, '11');

  it('include a question that is open again after items were left out', () => {
    expect(reported(asked, scheduled, row('awaiting_confirmation', 20, '15'))).toEqual([
      ['awaiting_confirmation', 20],
      ['scheduled', 18],
      ['awaiting_confirmation', 20],
    ]);
  });

  it('include it also for an operation whose history no list reads', () => {
    const rows = [row('scheduled', 18), row('awaiting_confirmation', 20)];
    expect(reported(...rows)).toEqual([
      ['scheduled', 18],
      ['awaiting_confirmation', 20],
    ]);
  });

  it('have no older values of a memo while the history cannot be read', () => {
    const rows = [row('awaiting_confirmation', 10, '15'), row('awaiting_confirmation', 20)];
    expect(reported(...rows, ...rows)).toEqual([['awaiting_confirmation', 10]]);
  });

  it('have newer values of a memo while the history cannot be read', () => {
    expect(reported(asked, row('awaiting_confirmation', 10))).toEqual([
      ['awaiting_confirmation', 20],
      ['awaiting_confirmation', 10],
    ]);
  });
});

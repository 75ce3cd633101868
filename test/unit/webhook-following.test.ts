import { MockActivityEnvironment } from '@temporalio/testing';
import { createWebhookActivities } from '../../activities/webhooks';
import type { WebhookTarget } from '../../activities/webhooks/targets';
import type { BulkStatus, OperationEvent } from '../../src/contract/operation';
import type { WebhookEvent } from '../../src/contract/webhooks';

const operation = { operation_id: 'op', run_id: 'run' };
const event = (number: number, more: Partial<OperationEvent>): OperationEvent => ({
  ...{ event_id: `run.${number}`, operation_id: 'op', at: '2026-01-01T00:00:00.000Z' },
  state: 'awaiting_confirmation',
  ...more,
});
const gate = { batch: 1, attempt: 1 };

/** Follows an operation with these changes, each with the operation's status at that time. */
async function followed(changes: [OperationEvent, Partial<BulkStatus>][], events?: WebhookEvent[]) {
  let now: Partial<BulkStatus> = {};
  let reads = 0;
  const activities = createWebhookActivities({
    targets: events ? [{ name: 'chat', events } as unknown as WebhookTarget] : [],
    // eslint-disable-next-line @typescript-eslint/require-await
    watch: async function* () {
      for (const [change, status] of changes) {
        now = { operation_id: 'op', state: change.state, errors: [], message: '', ...status };
        yield change;
      }
    },
    statusOf: () => Promise.resolve((reads++, now as BulkStatus)),
    begin: () => Promise.resolve(),
  });
  const follow = () => activities.followOperation({ target: 'chat', operation });
  const environment = new MockActivityEnvironment();
  const answer = await environment.run<[], Awaited<ReturnType<typeof follow>>, typeof follow>(follow);
  const notices = answer.notices.map(({ id, message: { type, data } }) => ({
    ...{ id, type, scheduled_for: data.scheduled_for },
  }));
  return { notices, cursor: answer.cursor, reads };
}

describe('a receiver', () => {
  const [early, late] = ['2026-01-02T08:00:00.000Z', '2026-01-03T08:00:00.000Z'];
  const asked = event(5, { gate });
  const scheduled = event(9, { state: 'scheduled' });

  it('gets a message for each start that a scheduled batch has', async () => {
    const { notices } = await followed([
      [asked, {}],
      [scheduled, { scheduled_for: early }],
      [{ ...scheduled, event_id: 'run.11' }, { scheduled_for: early }],
      [{ ...scheduled, event_id: 'run.15' }, { scheduled_for: late }],
    ]);
    expect(notices).toEqual([
      { id: 'msg_run_5', type: 'awaiting_confirmation', scheduled_for: undefined },
      { id: 'msg_run_9', type: 'scheduled', scheduled_for: early },
      { id: 'msg_run_15', type: 'scheduled', scheduled_for: late },
    ]);
  });

  it('costs no read of the status for a message that it does not want', async () => {
    const changes: Parameters<typeof followed>[0] = [[scheduled, { scheduled_for: early }]];
    expect(await followed(changes, ['completed'])).toMatchObject({ notices: [], reads: 0 });
    expect(await followed(changes, ['scheduled'])).toMatchObject({ notices: [{}], reads: 1 });
  });

  it('gets the question once, and each of its escalations and reminders', async () => {
    const escalated_to = ['role:admin'];
    const { notices, cursor } = await followed([
      [asked, {}],
      [event(9, { gate, escalated_to, reminder: true }), {}],
      [event(13, { gate }), {}],
    ]);
    expect(notices.map(({ id, type }) => [id, type])).toEqual([
      ['msg_run_5', 'awaiting_confirmation'],
      ['msg_run_9', 'escalation'],
      ['msg_run_9_reminder', 'reminder'],
    ]);
    expect(cursor).toMatchObject({ told: 'awaiting_confirmation 1.1', change: { event_id: 'run.13' } });
  });

  it('gets a reminder that comes with an escalation also if it wants no escalations', async () => {
    const both = event(9, { gate, escalated_to: ['role:admin'], reminder: true });
    const { notices } = await followed(
      [
        [asked, {}],
        [both, {}],
      ],
      ['reminder'],
    );
    expect(notices.map(({ id }) => id)).toEqual(['msg_run_9_reminder']);
  });
});

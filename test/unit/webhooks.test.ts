import type { BulkStatus } from '../../src/contract/operation';
import type { WebhookNotice } from '../../src/contract/webhooks';
import {
  answerOf,
  beginDelivery,
  delivered,
  detailsOf,
  failed,
  followed,
  hasRoom,
  retried,
} from '../../src/core/webhooks/delivery';
import { duesOf, noticeNow, noticeOf } from '../../src/core/webhooks/notices';
import { bytesOf } from '../../src/core/shared/bounds';

const at = '2026-01-01T00:00:00.000Z';
const change = {
  event_id: 'run.7',
  operation_id: 'op',
  state: 'awaiting_confirmation' as const,
  at,
  gate: { batch: 2, attempt: 1 },
};
const status = (more: Partial<BulkStatus> = {}): BulkStatus =>
  ({
    operation_id: 'op',
    state: 'awaiting_confirmation',
    message: 'Say continue.',
    next_batch: { number: 2, attempt: 1, digest: 'd', change: {}, items: [{ id: '1', display_name: 'One' }] },
    errors: [],
    confirmations: [{ by: 'ana' }],
    guard: {},
    ...more,
  }) as unknown as BulkStatus;

const escalated = { ...change, escalated_to: ['role:admin'] };

describe('a message', () => {
  it('has the same id whenever it is made, without a dot, which separates the signed parts', () => {
    expect(noticeOf(change, 'awaiting_confirmation', status(), undefined).id).toBe('msg_run_7');
  });

  it('has the page of its operation if the address is known', () => {
    const { data } = noticeOf(change, 'awaiting_confirmation', status(), 'https://x.org/').message;
    expect(data).toMatchObject({
      current: true,
      url: 'https://x.org/operations/op',
      next_batch: { number: 2 },
    });
    expect(data).not.toHaveProperty('confirmations');
    expect(data).not.toHaveProperty('guard');
  });

  it('asks nothing for a question that is already answered', () => {
    const later = status({ state: 'running_batch', next_batch: undefined });
    const { data } = noticeOf(change, 'awaiting_confirmation', later, undefined).message;
    expect(data).toMatchObject({ current: false, state: 'awaiting_confirmation' });
    expect(data).not.toHaveProperty('next_batch');
    expect(data.message).not.toContain('continue');
    const next = status({ next_batch: { ...status().next_batch, number: 3 } as BulkStatus['next_batch'] });
    expect(noticeOf(change, 'awaiting_confirmation', next, undefined).message.data.current).toBe(false);
  });

  it('stays small, whatever its items and errors contain', () => {
    const long = 'x'.repeat(3_000);
    const items = Array.from({ length: 50 }, (_, id) => ({ id: `${id}`, display_name: long }));
    const errors = items.map(({ id }) => ({ item_id: id, display_name: long, error: long, retryable: true }));
    const large = status({
      next_batch: { ...status().next_batch, items } as BulkStatus['next_batch'],
      errors,
    });
    const { message } = noticeOf(change, 'awaiting_confirmation', large, undefined);
    expect(bytesOf(message)).toBeLessThan(32_768);
    expect(message.data).toMatchObject({ items_truncated: true, errors_truncated: true });
    const change2 = { summary: 'x'.repeat(40_000), fields: [], reversible: 'no' as const };
    const larger = status({
      next_batch: { ...large.next_batch, change: change2 } as BulkStatus['next_batch'],
    });
    expect(bytesOf(noticeOf(change, 'awaiting_confirmation', larger, undefined).message)).toBeLessThan(
      32_768,
    );
  });

  it('is made once for each question, and for no other change', () => {
    const { types, cursor } = duesOf(change);
    expect(types).toEqual(['awaiting_confirmation']);
    expect(duesOf({ ...change, event_id: 'run.9' }, cursor).types).toEqual([]);
    expect(duesOf({ ...change, gate: { batch: 2, attempt: 2 } }, cursor).types).toEqual([
      'awaiting_confirmation',
    ]);
    expect(duesOf({ ...change, state: 'running_batch' }, cursor).types).toEqual([]);
    expect(duesOf({ ...change, state: 'rejected' }, cursor).types).toEqual([]);
    expect(duesOf({ ...change, reminder: true }, cursor).types).toEqual(['reminder']);
    const asked = duesOf(escalated, cursor);
    expect(asked.types).toEqual(['escalation']);
    expect(duesOf(escalated, asked.cursor).types).toEqual([]);
    const { data } = noticeOf(escalated, 'escalation', status(), undefined).message;
    expect(data.escalated_to).toEqual(['role:admin']);
    expect(noticeOf(escalated, 'reminder', status(), undefined).message.data).not.toHaveProperty(
      'escalated_to',
    );
  });

  it('does not ask the same question again after its escalation or its reminder', () => {
    const { cursor } = duesOf(change);
    const later = { ...change, event_id: 'run.11' };
    expect(duesOf(later, duesOf(escalated, cursor).cursor).types).toEqual([]);
    expect(duesOf(later, duesOf({ ...change, reminder: true }, cursor).cursor).types).toEqual([]);
    expect(duesOf(escalated, duesOf(later, duesOf(escalated, cursor).cursor).cursor).types).toEqual([]);
  });

  it('is one of several with different ids if an escalation and a reminder came together', () => {
    const both = { ...escalated, reminder: true as const };
    expect(duesOf(both, duesOf(change).cursor).types).toEqual(['escalation', 'reminder']);
    const { types } = duesOf({ ...both, state: 'batch_failed' });
    expect(types).toEqual(['batch_failed', 'escalation', 'reminder']);
    const ids = types.map((type) => noticeOf(both, type, status(), undefined, type !== types[0]).id);
    expect(ids).toEqual(['msg_run_7', 'msg_run_7_escalation', 'msg_run_7_reminder']);
  });

  it('is about the end if the operation ended with an escalation or a reminder', () => {
    const end = { ...escalated, reminder: true as const, state: 'cancelled' as const };
    expect(duesOf(end, duesOf(change).cursor).types).toEqual(['cancelled']);
  });

  it('is made again for a scheduled batch that gets another start', () => {
    const scheduled = { ...change, state: 'scheduled' as const, gate: undefined };
    const first = duesOf(scheduled, duesOf(change).cursor, at);
    expect(first.types).toEqual(['scheduled']);
    expect(duesOf(scheduled, first.cursor, at).types).toEqual([]);
    expect(duesOf(scheduled, first.cursor, '2026-01-02T00:00:00.000Z').types).toEqual(['scheduled']);
  });

  it('about a scheduled batch is current until that has another start, or is scheduled no more', () => {
    const scheduled = status({ state: 'scheduled', next_batch: undefined, scheduled_for: at });
    const notice = noticeOf(
      { ...change, state: 'scheduled', gate: undefined },
      'scheduled',
      scheduled,
      undefined,
    );
    expect(noticeNow(notice, scheduled)).toEqual(notice);
    const moved = status({ ...scheduled, scheduled_for: '2026-01-02T00:00:00.000Z' });
    for (const now of [moved, status(), undefined])
      expect(noticeNow(notice, now).message.data).toMatchObject({
        ...{ current: false, state: 'scheduled' },
        message: expect.stringContaining('went on'),
      });
  });
});

describe('a delivery', () => {
  const notice = (id: string, text = ''): WebhookNotice => ({
    id,
    message: { type: 'completed', timestamp: at, data: { message: text } },
  });
  const begun = beginDelivery({ target: 'chat', operation: { operation_id: 'op', run_id: 'r' } }, 1);
  const waiting = followed(begun, { notices: [notice('1'), notice('2')], over: false }, 10);

  it('keeps the order of events, also when an abandoned message is tried again', () => {
    const gone = failed(waiting, notice('1'), 'away');
    expect(answerOf(gone)).toMatchObject({
      deliveries: [
        { id: '1', state: 'failed', error: 'away' },
        { id: '2', state: 'waiting' },
      ],
      failed: [{ id: '1' }],
    });
    const again = retried(gone, 20);
    expect(again.waiting.map(({ notice: { id }, until }) => [id, until])).toEqual([
      ['1', 20],
      ['2', 20],
    ]);
    expect(delivered(again, notice('1')).waiting.map((one) => one.notice.id)).toEqual(['2']);
  });

  it('is tried with a receiver that wants no more messages only if a person requested it', () => {
    const input = { target: 'chat', notices: [notice('1')] };
    expect(beginDelivery(input, 1).waiting).toMatchObject([{ again: true }]);
    const { waiting, ...unasked } = beginDelivery({ ...input, unasked: true }, 1);
    expect(waiting).toEqual([{ notice: notice('1'), until: 1 }]);
    const gone = failed({ waiting, ...unasked }, notice('1'), 'it wants no more messages');
    expect(retried(gone, 2).waiting).toMatchObject([{ again: true }]);
  });

  it("reads no more while the waiting messages fill the next run's payload", () => {
    expect(hasRoom(waiting)).toBe(true);
    const notices = Array.from({ length: 6 }, (_, id) => notice(`${id}`, 'x'.repeat(30_000)));
    expect(hasRoom(followed(begun, { notices, over: false }, 10))).toBe(false);
  });

  it('keeps its page within the limit of the Temporal UI', () => {
    let state = begun;
    for (let at = 0; at < 150; at++) state = failed(state, notice(`${at}`), 'x'.repeat(400));
    expect(detailsOf(state).length).toBeLessThan(20_000);
    expect(bytesOf(state)).toBeLessThan(400_000);
  });
});

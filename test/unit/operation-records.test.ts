import type { Client } from '@temporalio/client';
import {
  defaultDataConverter,
  defaultPayloadConverter,
  msNumberToTs,
  type LoadedDataConverter,
} from '@temporalio/common';
import { createRecordReader, mergedChange, type HistoryEvent } from '../../src/client/operation-records';
import type { BulkTurn } from '../../src/contract/operation';
import { turnOf } from '../../src/core/bulk/view';
import { ended, planned, running, START } from './lifecycle.fixtures';

const at = (ms: number) => ({ eventTime: msNumberToTs(ms) }) as unknown as HistoryEvent;
/** The events of a workflow task that began at `began`, and of the update that it answered. */
const taskWith = (answer: unknown, began: number): HistoryEvent[] => [
  { ...at(began), workflowTaskStartedEventAttributes: {} },
  { ...at(began + 5), workflowTaskCompletedEventAttributes: {} },
  {
    ...at(began + 5),
    workflowExecutionUpdateCompletedEventAttributes: {
      outcome: { success: { payloads: [defaultPayloadConverter.toPayload(answer)] } },
    },
  },
];

async function recordsOf(
  events: HistoryEvent[],
  loadedDataConverter: LoadedDataConverter = defaultDataConverter,
) {
  const recordIn = createRecordReader({ options: { loadedDataConverter } } as Client, 'bulk-1');
  const records = [];
  for (const event of events) records.push(await recordIn(event));
  return records.filter((record) => record !== undefined);
}

describe('changes of one task', () => {
  const change = {
    ...{ event_id: 'run.7', operation_id: 'bulk-1', state: 'awaiting_confirmation' as const, at: '' },
    gate: { batch: 1, attempt: 1 },
  };

  it('become one with all escalation steps, and with the reminder', () => {
    const first = { ...change, escalated_to: ['role:admin', 'person:dora'] };
    const second = { ...change, event_id: 'run.8', escalated_to: ['role:admin', 'role:operator'] };
    const steps = mergedChange(first, second);
    expect(steps).toEqual({ ...second, escalated_to: ['role:admin', 'person:dora', 'role:operator'] });
    const reminded = mergedChange(steps, { ...change, event_id: 'run.9', reminder: true });
    expect(reminded).toEqual({ ...steps, event_id: 'run.9', reminder: true });
    expect(mergedChange(reminded, { ...change, event_id: 'run.10' })).toEqual({
      ...reminded,
      event_id: 'run.10',
    });
  });

  it('keep nothing of a question that is open no more', () => {
    const asked = { ...change, escalated_to: ['role:admin'], reminder: true as const };
    const { gate: _, ...end } = { ...change, state: 'cancelled' as const };
    const next = { ...change, gate: { batch: 2, attempt: 1 } };
    for (const later of [end, next]) expect(mergedChange(asked, later)).toEqual(later);
  });

  it('are not merged without an earlier one', () => expect(mergedChange(undefined, change)).toEqual(change));
});

const batchEnd = START + 60_000;
const turn: BulkTurn = turnOf(ended(running(planned(15)), {}, batchEnd));

describe('the answer of an update', () => {
  it('is a record of the operation if its own task made it', async () => {
    const [record] = await recordsOf(taskWith(turn, batchEnd));
    const progress = {
      total: 15,
      processed: 10,
      succeeded: 10,
      failed: 0,
      skipped: 0,
      in_doubt: 0,
      remaining: 5,
    };
    expect(record).toMatchObject({
      state: 'awaiting_confirmation',
      progress,
      gate: { batch: 2, attempt: 1 },
    });
  });

  it.each([
    ['that was made earlier', taskWith(turn, batchEnd + 1)],
    ['of another operation', taskWith({ ...turn, operation_id: 'bulk-2' }, batchEnd)],
    ['whose state the memo tells', taskWith({ ...turn, state: 'completed' }, batchEnd)],
    ['that is no turn', taskWith({ allowed: false }, batchEnd)],
    ['that is nothing', taskWith(undefined, batchEnd)],
    ['whose task is not there', taskWith(turn, batchEnd).slice(2)],
  ])('%s is no record', async (_, events) => {
    expect(await recordsOf(events)).toEqual([]);
  });

  it('is no record if it cannot be decoded', async () => {
    const broken = { encode: () => Promise.resolve([]), decode: () => Promise.reject(new Error('no key')) };
    const converter = { ...defaultDataConverter, payloadCodecs: [broken] };
    expect(await recordsOf(taskWith(turn, batchEnd), converter)).toEqual([]);
  });

  it('is read again where the codec failed for now', async () => {
    const away = Object.assign(new Error('the key service is away'), { retryable: true });
    const broken = { encode: () => Promise.resolve([]), decode: () => Promise.reject(away) };
    const converter = { ...defaultDataConverter, payloadCodecs: [broken] };
    await expect(recordsOf(taskWith(turn, batchEnd), converter)).rejects.toMatchObject({ retryable: true });
  });
});

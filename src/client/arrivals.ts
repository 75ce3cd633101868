import type { Client } from '@temporalio/client';
import { tsToMs } from '@temporalio/common';
import type { Arrivals, ArrivalsInput } from '../contract/activities';
import { SIGNALS } from '../contract/messages';
import type { HistoryEvent } from './operation-records';

/**
 * When the messages of a workflow task reached the server. A worker may read them much later, and workflow code sees
 * only that time.
 */
export async function readArrivals(
  client: Client,
  { operation_id, run_id, task }: ArrivalsInput,
): Promise<Arrivals> {
  const { events } = await client.workflow.getHandle(operation_id, run_id).fetchHistory();
  const before = (events ?? []).filter(({ eventId }) => Number(eventId) < task);
  const done = before.findLastIndex((event) => event.workflowTaskCompletedEventAttributes);
  const brought = before.slice(done + 1);
  const isSignal = ({ workflowExecutionSignaledEventAttributes: signal }: HistoryEvent) =>
    signal?.signalName === SIGNALS.continue;
  const scheduled = brought.find((event) => event.workflowTaskScheduledEventAttributes);
  return {
    signals: brought.filter(isSignal).map(({ eventTime }) => tsToMs(eventTime)),
    scheduled: scheduled ? tsToMs(scheduled.eventTime) : 0,
  };
}

import type { Client } from '@temporalio/client';
import { historiesOf } from '../replay/stage';

const TIMED_OUT = 'a task timed out';

export const isFailure = (trouble: string): boolean => !trouble.endsWith(TIMED_OUT);

/** The workflow tasks of a workflow that failed or timed out, in all runs of its chain. */
export async function troublesOf(client: Client, id: string): Promise<string[]> {
  const histories = await historiesOf(client, id);
  return histories.flatMap(({ events }) =>
    (events ?? []).flatMap((event) => {
      if (event.workflowTaskFailedEventAttributes)
        return [`${id}: a task failed: ${event.workflowTaskFailedEventAttributes.failure?.message ?? ''}`];
      return event.workflowTaskTimedOutEventAttributes ? [`${id}: ${TIMED_OUT}`] : [];
    }),
  );
}

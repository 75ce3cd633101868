import {
  ScheduleAlreadyRunning,
  ScheduleOverlapPolicy,
  type Client,
  type Connection,
} from '@temporalio/client';
import { HYGIENE_INTERVAL_MS, hygieneScheduleId } from '../contract/hygiene';
import { TASK_QUEUE, WORKFLOW_TYPES } from '../contract/messages';
import { GRPC, hasGrpcCode, reasonOf } from './failure';

const CREATE_MS = 5_000;

/**
 * Makes the schedule of hygiene where there is none, and leaves one that is there as people made it: paused, or more
 * seldom. Idempotent over many workers. Answers why there is none, where the server refuses it: everything else works.
 */
export async function ensureHygieneSchedule(
  client: Client,
  taskQueue: string = TASK_QUEUE,
): Promise<string | undefined> {
  const scheduleId = hygieneScheduleId(taskQueue);
  try {
    await client.withDeadline(Date.now() + CREATE_MS, () =>
      client.schedule.create({
        scheduleId,
        spec: { intervals: [{ every: HYGIENE_INTERVAL_MS }] },
        action: {
          type: 'startWorkflow',
          workflowType: WORKFLOW_TYPES.hygiene,
          workflowId: scheduleId,
          taskQueue,
          workflowExecutionTimeout: '10 minutes',
        },
        // What was missed is not made up for: the next run sees it all.
        policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '10 seconds' },
      }),
    );
    return undefined;
  } catch (error) {
    return error instanceof ScheduleAlreadyRunning ? undefined : reasonOf(error);
  }
}

/** The schedule as it is on the server; undefined when there is none. Changes nothing. */
export async function lookUpHygieneSchedule(
  { workflowService }: Pick<Connection, 'workflowService'>,
  namespace: string,
  scheduleId: string,
): Promise<{ paused: boolean; note?: string; next?: Date } | undefined> {
  try {
    const { schedule, info } = await workflowService.describeSchedule({ namespace, scheduleId });
    const next = info?.futureActionTimes?.[0];
    return {
      paused: schedule?.state?.paused === true,
      ...(schedule?.state?.notes && { note: schedule.state.notes }),
      ...(next && { next: new Date(Number(next.seconds) * 1_000) }),
    };
  } catch (error) {
    if (hasGrpcCode(error, GRPC.notFound) && !/namespace/i.test(reasonOf(error))) return undefined;
    throw error;
  }
}

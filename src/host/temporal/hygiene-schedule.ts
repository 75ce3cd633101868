import {
  ScheduleAlreadyRunning,
  ScheduleOverlapPolicy,
  type Client,
  type Connection,
} from '@temporalio/client';
import { HYGIENE_INTERVAL_MS, hygieneScheduleId } from '../../contract/hygiene';
import { TASK_QUEUE, WORKFLOW_TYPES } from '../../contract/messages';
import { GRPC, hasGrpcCode, reasonOf } from './failure';

const CREATE_MS = 5_000;

/**
 * Creates the schedule of hygiene if there is none. An existing one keeps its settings: it may be paused or run less
 * often. Idempotent over many workers. If the server refuses, it returns the reason: everything else works.
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
        // Missed runs are not repeated: the next run covers everything.
        policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '10 seconds' },
      }),
    );
    return undefined;
  } catch (error) {
    return error instanceof ScheduleAlreadyRunning ? undefined : reasonOf(error);
  }
}

/** The schedule on the server; undefined if there is none. Changes nothing. */
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
      note: schedule?.state?.notes || undefined,
      next: next ? new Date(Number(next.seconds) * 1_000) : undefined,
    };
  } catch (error) {
    if (hasGrpcCode(error, GRPC.notFound) && !/namespace/i.test(reasonOf(error))) return undefined;
    throw error;
  }
}

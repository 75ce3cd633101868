import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import { Worker, type NativeConnection, type WorkerOptions } from '@temporalio/worker';
import type { DataConverter } from '@temporalio/common';
import { createActivities } from '../../activities';
import type { ActivityDependencies } from '../../activities/dependencies';
import { createSentinel } from '../client/sentinel';
import { TASK_QUEUE } from '../contract/messages';

export interface CreateWorkerOptions {
  connection: NativeConnection;
  namespace: string;
  /** The sentinel is asked over the same connection. */
  dependencies: Omit<ActivityDependencies, 'sentinel'>;
  dataConverter?: DataConverter;
  taskQueue?: string;
  /** Workflow code: a prebuilt bundle, or none for the one beside this build. */
  workflowBundle?: WorkerOptions['workflowBundle'];
  shutdownGraceMs?: number;
}

/** A worker for bulk operations over its dependencies. */
export async function createBatchgateWorker(options: CreateWorkerOptions): Promise<Worker> {
  const { connection, namespace, dataConverter, taskQueue = TASK_QUEUE } = options;
  const sentinel = createSentinel(new Client({ connection, namespace, dataConverter }), taskQueue);
  return Worker.create({
    connection,
    namespace,
    taskQueue,
    activities: createActivities({ ...options.dependencies, sentinel }),
    ...workflowSource(options.workflowBundle),
    ...(dataConverter && { dataConverter }),
    // A cancellation reaches an activity with the answer to its heartbeat, so the throttle bounds how late it is heard.
    maxHeartbeatThrottleInterval: '100ms',
    defaultHeartbeatThrottleInterval: '100ms',
    stickyQueueScheduleToStartTimeout: '2s',
    shutdownGraceTime: options.shutdownGraceMs ?? 0,
  });
}

/** The bundle that the build made, where there is one; it saves a bundler run at every start. */
function workflowSource(
  bundle: WorkerOptions['workflowBundle'],
): Pick<WorkerOptions, 'workflowBundle' | 'workflowsPath'> {
  if (bundle) return { workflowBundle: bundle };
  const codePath = join(__dirname, '../../workflow-bundle.js');
  return existsSync(codePath)
    ? { workflowBundle: { codePath } }
    : { workflowsPath: join(__dirname, '../../workflows/index') };
}

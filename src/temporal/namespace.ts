import type { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common';
import { GRPC, hasGrpcCode } from './failure';

/** The development server keeps closed workflows for a day, which is less than a weekend. */
const RETENTION = msToTs('30 days');

/** Makes the namespace when it is not there, and keeps its closed workflows for 30 days. Idempotent. */
export async function ensureNamespace(
  { workflowService }: Pick<Connection, 'workflowService'>,
  namespace: string,
): Promise<void> {
  try {
    await workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod: RETENTION });
  } catch (error) {
    if (!hasGrpcCode(error, GRPC.alreadyExists)) throw error;
    await workflowService.updateNamespace({
      namespace,
      config: { workflowExecutionRetentionTtl: RETENTION },
    });
  }
}

import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { auditRequestSchema, type AuditPage, type AuditRequest, type EndRecord } from '../contract/audit';
import { parseInput } from '../contract/errors';
import { TASK_QUEUE, WORKFLOW_TYPES } from '../contract/messages';
import { call } from './calls';
import { runOnce } from './waiting';

/** One page of an export of the audit record, signed by a worker of a task queue. */
export async function auditPage(
  client: Client,
  request: AuditRequest = {},
  taskQueue = TASK_QUEUE,
): Promise<AuditPage> {
  const input = parseInput(auditRequestSchema, request, 'The request for the audit record');
  const workflowId = `audit-${randomUUID()}`;
  return runOnce(client, { type: WORKFLOW_TYPES.auditExport, workflowId, taskQueue, input });
}

/** The lines of an export, each page read when it is needed. `first`: a page that was read already. */
export async function* exportAudit(
  client: Client,
  request: AuditRequest = {},
  taskQueue = TASK_QUEUE,
  first?: AuditPage,
): AsyncGenerator<string> {
  let page = first ?? (await auditPage(client, request, taskQueue));
  yield* page.lines;
  while (page.next !== undefined) {
    page = await auditPage(client, { ...request, cursor: page.next }, taskQueue);
    yield* page.lines;
  }
}

/** Records that a job is ended from outside. A worker that is not there yet writes it later. */
export async function recordEnd(client: Client, input: EndRecord, taskQueue: string): Promise<void> {
  const workflowId = `audit-end-${input.run_id}`;
  await call(client, () =>
    client.workflow.start(WORKFLOW_TYPES.endRecord, { taskQueue, workflowId, args: [input] }),
  );
}

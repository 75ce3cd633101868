import { randomUUID } from 'node:crypto';
import { WorkflowExecutionAlreadyStartedError, type Client, type WorkflowHandle } from '@temporalio/client';
import { BatchgateError } from '../contract/errors';
import { QUERIES, SIGNALS, TASK_QUEUE, WORKFLOW_TYPES } from '../contract/messages';
import type { Checkpoint } from '../contract/audit';
import {
  CHECKPOINT_EVENT,
  type DeliveriesAnswer,
  type DeliveryInput,
  type DeliveryRow,
  type WebhookNotice,
} from '../contract/webhooks';
import { shortened } from '../contract/text';
import { call, describeWorkflow } from './calls';
import { toBatchgateError, unlessMissing } from './failures';
import { listRuns, quoted } from './list-runs';
import { ask } from './messages';

/** Selects deliveries. */
export interface DeliveryFilter {
  operation_id?: string;
  target?: string;
}

/** The number of operations and targets that a list has by default. */
const LISTED = 100;
/** The maximum wait for a test, longer than the timeout of one try. */
const TEST_MS = 45_000;

const deliveryId = ({ target, operation }: DeliveryInput): string =>
  operation
    ? `webhook-${operation.operation_id}-${target}-${operation.run_id}`
    : `webhook-test-${target}-${randomUUID()}`;

/** Starts the delivery of an operation's events to a target, unless it was started before. */
export async function beginDelivery(
  client: Client,
  input: Required<Pick<DeliveryInput, 'target' | 'operation'>>,
  taskQueue: string,
): Promise<void> {
  const { operation_id } = input.operation;
  try {
    // A delivery that has ended starts again with an operation that was reset after its end.
    await start(client, input, { taskQueue, operation_id, workflowId: deliveryId(input), again: true });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

/** Sends a checkpoint of the audit record to a target, once. */
export async function tellCheckpoint(
  client: Client,
  target: string,
  checkpoint: Checkpoint,
  taskQueue: string,
): Promise<void> {
  const { seq, hash, at: timestamp } = checkpoint;
  const message = { type: CHECKPOINT_EVENT, timestamp, data: { checkpoint } } as const;
  const notice: WebhookNotice = { id: `msg_audit_${hash.slice(0, 32)}`, message };
  try {
    await start(
      client,
      { target, notices: [notice], unasked: true },
      { taskQueue, workflowId: `webhook-audit-${seq}-${target}` },
    );
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

function start(
  client: Client,
  input: DeliveryInput,
  { operation_id, again, ...options }: StartOptions,
): Promise<WorkflowHandle> {
  const { target, once } = input;
  const what =
    operation_id !== undefined ? `the operation ${operation_id}` : once ? 'a test' : 'a checkpoint';
  return client.workflow.start(WORKFLOW_TYPES.webhookDelivery, {
    ...options,
    workflowIdReusePolicy: again ? 'ALLOW_DUPLICATE' : 'REJECT_DUPLICATE',
    args: [input],
    memo: { webhook: { target, operation_id } },
    staticSummary: shortened(`Tell ${target} of ${what}`, 60),
  });
}

interface StartOptions {
  taskQueue: string;
  workflowId: string;
  operation_id?: string;
  /** Set to start a delivery again after one with this id has ended. */
  again?: true;
}

interface FoundDelivery {
  workflow_id: string;
  target: string;
  operation_id?: string;
  answer: DeliveriesAnswer;
}

/** Lists sent, waiting and abandoned messages: the newest delivery first, each in order of events. */
export async function listDeliveries(
  client: Client,
  { limit = LISTED, ...filter }: DeliveryFilter & { limit?: number } = {},
  taskQueue = TASK_QUEUE,
): Promise<DeliveryRow[]> {
  const rows: DeliveryRow[] = [];
  const deliveries = deliveriesIn(client, { ...filter, limit }, taskQueue);
  for await (const { workflow_id, target, operation_id, answer } of deliveries) {
    const waits = answer.deliveries.some(({ state }) => state === 'waiting');
    const trying = waits ? await tryOf(client, workflow_id) : undefined;
    const first = answer.deliveries.findIndex(({ state }) => state === 'waiting');
    answer.deliveries.forEach((delivery, at) =>
      rows.push({
        target,
        operation_id,
        ...delivery,
        ...(at === first && trying),
      }),
    );
  }
  return rows;
}

/**
 * Sends waiting and abandoned messages now.
 * @returns the number of messages.
 */
export async function retryDeliveries(
  client: Client,
  filter: DeliveryFilter = {},
  taskQueue = TASK_QUEUE,
): Promise<number> {
  let count = 0;
  for await (const { workflow_id, target, operation_id, answer } of deliveriesIn(client, filter, taskQueue)) {
    const waiting = answer.deliveries.filter(({ state }) => state !== 'delivered').length;
    if (waiting === 0) continue;
    count += waiting;
    const { status } = await describeWorkflow(client, workflow_id);
    if (status.name === 'RUNNING')
      await call(client, () => client.workflow.getHandle(workflow_id).signal(SIGNALS.retry));
    else {
      // A delivery that has ended starts again, with the messages that it gave up.
      const options = { taskQueue, operation_id, workflowId: workflow_id, again: true as const };
      await call(client, () => start(client, { target, notices: answer.failed, ...answer.rest }, options));
    }
  }
  return count;
}

/**
 * Abandons the messages that wait for a receiver, and stops following its operations. `retryDeliveries` sends them
 * again.
 * @returns the number of operations.
 */
export async function cancelDeliveries(
  client: Client,
  filter: DeliveryFilter & { target: string },
  taskQueue = TASK_QUEUE,
): Promise<number> {
  return endEach(client, filter, taskQueue, () => Promise.resolve());
}

/**
 * Like `cancelDeliveries`, but another receiver gets these messages and all later ones of these operations.
 * @returns the number of operations.
 */
export async function moveDeliveries(
  client: Client,
  { to, ...filter }: DeliveryFilter & { target: string; to: string },
  taskQueue = TASK_QUEUE,
): Promise<number> {
  return endEach(client, filter, taskQueue, async ({ operation_id, answer }) => {
    const input = { target: to, notices: answer.failed, ...answer.rest };
    const options = { taskQueue, operation_id, workflowId: deliveryId(input), again: true as const };
    await start(client, input, options).catch((error: unknown) => {
      // The new receiver already gets the later messages.
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw toBatchgateError(error);
    });
  });
}

/** Ends the running deliveries of a receiver one after the other. Returns their number. */
async function endEach(
  client: Client,
  filter: DeliveryFilter,
  taskQueue: string,
  whenEnded: (delivery: FoundDelivery) => Promise<void>,
): Promise<number> {
  let count = 0;
  for await (const delivery of deliveriesIn(client, { ...filter, running: true }, taskQueue)) {
    const handle = client.workflow.getHandle(delivery.workflow_id);
    if ((await describeWorkflow(client, delivery.workflow_id)).status.name !== 'RUNNING') continue;
    await call(client, () => handle.signal(SIGNALS.cancel));
    const answer = await call(client, () => handle.result() as Promise<DeliveriesAnswer>);
    await whenEnded({ ...delivery, answer });
    count++;
  }
  return count;
}

/** Returns the receivers that are missing in the settings, and the number of operations still followed for each. */
export async function missingReceivers(
  client: Client,
  configured: readonly string[],
  taskQueue = TASK_QUEUE,
): Promise<Map<string, number>> {
  const missing = new Map<string, number>();
  const query = `WorkflowType = '${WORKFLOW_TYPES.webhookDelivery}' AND TaskQueue = ${quoted(taskQueue)} AND ExecutionStatus = 'Running'`;
  for await (const { memo } of listRuns(client, query, Infinity)) {
    const { target } = ((memo ?? {}) as { webhook?: { target?: string } }).webhook ?? {};
    if (target !== undefined && !configured.includes(target))
      missing.set(target, (missing.get(target) ?? 0) + 1);
  }
  return missing;
}

/**
 * Sends a test message to a target, once, from a worker.
 * @throws BatchgateError `TOOL_FAILED` when it does not arrive.
 */
export async function testWebhook(client: Client, target: string, taskQueue = TASK_QUEUE): Promise<void> {
  const timestamp = new Date().toISOString();
  const data = { message: 'This is a test of batchgate. Nothing waits.', current: true };
  const notice: WebhookNotice = {
    id: `msg_test_${randomUUID()}`,
    message: { type: 'test', timestamp, data },
  };
  const input: DeliveryInput = { target, notices: [notice], once: true };
  const answer = await call(
    client,
    async () => {
      const handle = await start(client, input, { taskQueue, workflowId: deliveryId(input) });
      return (await handle.result()) as DeliveriesAnswer;
    },
    TEST_MS,
  );
  const [delivery] = answer.deliveries;
  if (delivery?.state === 'delivered') return;
  throw new BatchgateError(
    'TOOL_FAILED',
    `The test did not reach '${target}': ${delivery?.error ?? 'it was not sent'}.`,
    'Check the address, the secret and the receiver; `npx batchgate webhooks list` shows all deliveries.',
  );
}

/** `limit`: the maximum number of operations and targets. `running`: only deliveries that have not ended. */
async function* deliveriesIn(
  client: Client,
  { operation_id, target, limit = Infinity, running }: DeliveryFilter & { limit?: number; running?: true },
  taskQueue: string,
): AsyncGenerator<FoundDelivery> {
  const of =
    operation_id === undefined ? '' : ` AND WorkflowId STARTS_WITH ${quoted(`webhook-${operation_id}-`)}`;
  const query = `WorkflowType = '${WORKFLOW_TYPES.webhookDelivery}' AND TaskQueue = ${quoted(taskQueue)}${of}${running ? " AND ExecutionStatus = 'Running'" : ''}`;
  const ids = new Set<string>();
  for await (const { workflowId, memo } of listRuns(client, query, limit)) {
    if (ids.has(workflowId)) continue;
    if (ids.size >= limit) return;
    const { webhook } = (memo ?? {}) as { webhook?: { target?: string; operation_id?: string } };
    if (webhook?.target === undefined || (target !== undefined && webhook.target !== target)) continue;
    if (operation_id !== undefined && webhook.operation_id !== operation_id) continue;
    ids.add(workflowId);
    const answer = await ask(client, workflowId, (handle) =>
      handle.query<DeliveriesAnswer>(QUERIES.deliveries),
    ).catch(unlessMissing);
    // A list still shows what was just deleted.
    if (answer === undefined) continue;
    yield { workflow_id: workflowId, ...webhook, target: webhook.target, answer };
  }
}

/** Returns the number of tries of the current message and the last error, from the server. */
async function tryOf(client: Client, workflowId: string): Promise<Pick<DeliveryRow, 'attempts' | 'error'>> {
  const { raw } = await describeWorkflow(client, workflowId);
  const pending = raw.pendingActivities?.find(({ activityType }) => activityType?.name === 'deliverWebhook');
  if (!pending) return {};
  const error = pending.lastFailure?.message;
  return { attempts: pending.attempt ?? 1, ...(error && { error }) };
}

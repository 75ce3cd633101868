import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { BatchgateError } from '../../src/contract/errors';
import type { BulkStatus, OperationEvent } from '../../src/contract/operation';
import {
  RECEIVER_GONE,
  WEBHOOK_EVENTS,
  type DeliveryInput,
  type WebhookActivities,
  type WebhookNotice,
} from '../../src/contract/webhooks';
import { unlessAborted } from '../../src/core/shared/promises';
import { isClosed } from '../../src/core/bulk/transitions';
import { duesOf, noticeNow, noticeOf } from '../../src/core/webhooks/notices';
import { ProviderFailure } from '../adapters/shared/failure';
import { withLimits } from '../adapters/shared/limits';
import { withHeartbeat } from '../shared/heartbeat';
import { NotDelivered, type WebhookTarget } from './targets';

/** The dependencies of the activities that follow operations and send messages. */
export interface WebhookDependencies {
  targets: readonly WebhookTarget[];
  /** Returns the base address of the operations' pages, if it is known. */
  baseUrl?(): Promise<string | undefined>;
  /**
   * Yields the changes of an operation until its end, including an end from outside; `caught_up` follows the past
   * changes.
   */
  watch(
    operation: NonNullable<DeliveryInput['operation']>,
    after: OperationEvent | undefined,
    signal: AbortSignal,
  ): AsyncIterable<OperationEvent | 'caught_up'>;
  statusOf(operationId: string): Promise<BulkStatus>;
  /** Starts the delivery of an operation's events to a target, unless it has been started before. */
  begin(input: Required<Pick<DeliveryInput, 'target' | 'operation'>>): Promise<void>;
}

const HEARTBEAT_MS = 3_000;
/** Past changes are returned together, limited to one payload. */
const MAX_NOTICES = 5;
/** The limit of one activity, below its timeout, so that the next one begins at once. */
const LOOK_MS = 50 * 60_000;

export function createWebhookActivities(dependencies: WebhookDependencies): WebhookActivities {
  return {
    followOperation: (input) => withHeartbeat(() => follow(dependencies, input), HEARTBEAT_MS),
    deliverWebhook: (input) => withHeartbeat(() => deliver(dependencies, input), HEARTBEAT_MS),
  };
}

/** Starts a delivery for each target; an operation without targets costs nothing. */
export async function tellWebhooks(
  webhooks: WebhookDependencies | undefined,
  operation: NonNullable<DeliveryInput['operation']>,
): Promise<void> {
  if (webhooks === undefined) return;
  await Promise.all(webhooks.targets.map(({ name: target }) => webhooks.begin({ target, operation })));
}

type FollowInput = Parameters<WebhookActivities['followOperation']>[0];
type Followed = Awaited<ReturnType<WebhookActivities['followOperation']>>;

/** Waits for a change that the target subscribes to, and returns it with all others that exist by then. */
async function follow(webhooks: WebhookDependencies, input: FollowInput): Promise<Followed> {
  const cancellation = Context.current().cancellationSignal;
  // A missing receiver may be configured again before its messages are given up.
  const events = findTarget(webhooks, input.target)?.events ?? WEBHOOK_EVENTS;
  const { operation } = input;
  return withLimits(Date.now() + LOOK_MS, cancellation, async ({ signal }) => {
    const notices: WebhookNotice[] = [];
    let { cursor } = input;
    let caughtUp = false;
    for await (const change of untilDeleted(webhooks.watch(operation, cursor?.change, signal))) {
      if (change === 'caught_up') caughtUp = true;
      else {
        const statusOf = () => webhooks.statusOf(operation.operation_id).catch(unlessDeleted);
        const scheduled =
          change.state === 'scheduled' && events.includes('scheduled') ? await statusOf() : undefined;
        const dues = duesOf(change, cursor, scheduled?.scheduled_for);
        ({ cursor } = dues);
        const wanted = dues.types.filter((type) => events.includes(type));
        if (wanted.length > 0) {
          const status = scheduled ?? (await statusOf());
          // The operation is deleted, or its id belongs to another one.
          if (!status || (change.deleted && !isClosed(status.state))) return { notices, cursor, over: true };
          const baseUrl = await webhooks.baseUrl?.();
          for (const type of wanted)
            notices.push(noticeOf(change, type, status, baseUrl, type !== dues.types[0]));
        }
      }
      if (notices.length >= (caughtUp ? 1 : MAX_NOTICES)) return { notices, cursor, over: false };
    }
    cancellation.throwIfAborted();
    if (signal.aborted) return { notices, cursor, over: false };
    return { notices, cursor, over: true };
  });
}

/** Yields the changes of an operation; the stream ends if the operation is deleted. */
async function* untilDeleted(changes: ReturnType<WebhookDependencies['watch']>): typeof changes {
  try {
    yield* changes;
  } catch (error) {
    unlessDeleted(error);
  }
}

function unlessDeleted(error: unknown): undefined {
  if (!(error instanceof BatchgateError) || error.code !== 'NOT_FOUND') throw error;
}

async function deliver(webhooks: WebhookDependencies, input: DeliverInput): Promise<void> {
  const { notice, again } = input;
  const target = findTarget(webhooks, input.target);
  if (!target) throw notDelivered(missing(input.target), { delay: MISSING_MS });
  if (target.stopped !== undefined && !again) throw notDelivered(target.stopped, { type: RECEIVER_GONE });
  const { id, message } = await upToDate(webhooks, notice);
  try {
    await target.post(id, JSON.stringify(message), Context.current().cancellationSignal);
    target.stopped = undefined;
  } catch (error) {
    if (error instanceof ProviderFailure) throw notDelivered(error.message, {});
    if (!(error instanceof NotDelivered)) throw error;
    if (error.then === 'stop') target.stopped = error.message;
    throw notDelivered(error.message, {
      ...(error.then === 'stop' && { type: RECEIVER_GONE }),
      ...(error.then === 'given_up' && { type: 'GIVEN_UP' }),
      ...(error.afterMs !== undefined && { delay: error.afterMs }),
    });
  }
}

type DeliverInput = Parameters<WebhookActivities['deliverWebhook']>[0];

/** The interval of checks whether a missing receiver is configured again. */
const MISSING_MS = 60_000;
/** The maximum wait for the status of an operation; after it the message is sent unchanged. */
const STATUS_MS = 3_000;

/** Returns the message, marked if its question was answered before the delivery. */
async function upToDate(webhooks: WebhookDependencies, notice: WebhookNotice): Promise<WebhookNotice> {
  const { operation_id, current } = notice.message.data;
  if (operation_id === undefined || current !== true) return notice;
  try {
    const reading = webhooks.statusOf(operation_id);
    return noticeNow(notice, await unlessAborted(AbortSignal.timeout(STATUS_MS), reading));
  } catch (error) {
    const isDeleted = error instanceof BatchgateError && error.code === 'NOT_FOUND';
    return isDeleted ? noticeNow(notice, undefined) : notice;
  }
}

/**
 * Returns the failure of a delivery, final if it has a type. It has no stack, which would be written into the history
 * with each failure.
 */
function notDelivered(
  message: string,
  { type, delay }: { type?: string; delay?: number },
): ApplicationFailure {
  return ApplicationFailure.create({
    message,
    type: type ?? 'NOT_DELIVERED',
    nonRetryable: type !== undefined,
    ...(delay !== undefined && { nextRetryDelay: delay }),
  });
}

const findTarget = ({ targets }: WebhookDependencies, name: string) =>
  targets.find((target) => target.name === name);

const missing = (name: string) =>
  `batchgate.config.json has no webhook '${name}'; its messages wait until it is there again`;

import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { ErrorCode } from '../../src/contract/errors';
import type { BulkStatus, OperationEvent } from '../../src/contract/operation';
import type {
  DeliveryInput,
  WebhookActivities,
  WebhookCursor,
  WebhookNotice,
} from '../../src/contract/webhooks';
import { isClosed } from '../../src/core/bulk/transitions';
import { noticeOf, toldOf } from '../../src/core/webhooks/notices';
import { ProviderFailure } from '../adapters/shared/failure';
import { withLimits } from '../adapters/shared/limits';
import { withHeartbeat } from '../shared/heartbeat';
import type { WebhookTarget } from './targets';

/** What activities need to follow operations for webhooks and to send messages. */
export interface WebhookDependencies {
  targets: readonly WebhookTarget[];
  /** The base address of the operations' pages, if it is known. */
  baseUrl?(): Promise<string | undefined>;
  /** The changes of an operation until it has ended, with `caught_up` after the past ones. */
  watch(
    operation: NonNullable<DeliveryInput['operation']>,
    after: OperationEvent | undefined,
    signal: AbortSignal,
  ): AsyncIterable<OperationEvent | 'caught_up'>;
  statusOf(operationId: string): Promise<BulkStatus>;
  /** Starts the delivery of an operation's events to a target, unless it was started before. */
  begin(input: Required<Pick<DeliveryInput, 'target' | 'operation'>>): Promise<void>;
}

const HEARTBEAT_MS = 3_000;
/** Past changes are returned together, as many as fit into one payload. */
const MAX_NOTICES = 5;
/** Ends before the activity's timeout, so that the next one begins at once. */
const LOOK_MS = 50 * 60_000;

export function createWebhookActivities(dependencies: WebhookDependencies): WebhookActivities {
  return {
    followOperation: (input) => withHeartbeat(() => follow(dependencies, input), HEARTBEAT_MS),
    deliverWebhook: ({ target, notice }) =>
      withHeartbeat(() => deliver(dependencies, target, notice), HEARTBEAT_MS),
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
  const asked = Context.current().cancellationSignal;
  const { events } = targetOf(webhooks, input.target);
  const { operation } = input;
  return withLimits(Date.now() + LOOK_MS, asked, async ({ signal }) => {
    const notices: WebhookNotice[] = [];
    let { cursor } = input;
    let caughtUp = false;
    for await (const change of webhooks.watch(operation, cursor?.change, signal)) {
      if (change === 'caught_up') caughtUp = true;
      else {
        const told = toldOf(change, cursor?.told);
        // A reminder does not replace the question that it is about.
        cursor = { change, told: (change.reminder ? undefined : told?.key) ?? cursor?.told };
        if (told && events.includes(told.type)) {
          const status = await webhooks.statusOf(operation.operation_id);
          notices.push(noticeOf(change, told.type, status, await webhooks.baseUrl?.()));
        }
      }
      if (notices.length >= (caughtUp ? 1 : MAX_NOTICES)) return { notices, cursor, over: false };
    }
    asked.throwIfAborted();
    if (signal.aborted) return { notices, cursor, over: false };
    const last = await untoldEnd(webhooks, operation, cursor);
    if (last && events.includes(last.type)) notices.push(last.notice);
    return { notices, cursor, over: true };
  });
}

/** An operation that was ended from outside, by Temporal's terminate, has written no final change. */
async function untoldEnd(
  webhooks: WebhookDependencies,
  { operation_id, run_id }: NonNullable<DeliveryInput['operation']>,
  cursor: WebhookCursor | undefined,
) {
  if (cursor !== undefined && isClosed(cursor.change.state)) return undefined;
  const status = await webhooks.statusOf(operation_id);
  const { state, updated_at: at } = status;
  const change = { event_id: `${run_id}.end`, operation_id, state, at };
  const told = isClosed(state) ? toldOf(change, undefined) : undefined;
  return told && { type: told.type, notice: noticeOf(change, told.type, status, await webhooks.baseUrl?.()) };
}

async function deliver(webhooks: WebhookDependencies, name: string, { id, message }: WebhookNotice) {
  const target = targetOf(webhooks, name);
  try {
    await target.post(id, JSON.stringify(message), Context.current().cancellationSignal);
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    // A stack would add nothing, and would be written into the history with each failure.
    throw ApplicationFailure.create({ type: 'NOT_DELIVERED', message: error.message });
  }
}

function targetOf({ targets }: WebhookDependencies, name: string): WebhookTarget {
  const target = targets.find((one) => one.name === name);
  if (target) return target;
  throw ApplicationFailure.nonRetryable(
    `batchgate.config.json has no webhook '${name}' any more.`,
    'NOT_CONFIGURED' satisfies ErrorCode,
  );
}

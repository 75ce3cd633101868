import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  condition,
  defineQuery,
  defineSignal,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { QUERIES, SIGNALS } from '../../src/contract/messages';
import {
  RECEIVER_GONE,
  webhookQueue,
  type DeliveriesAnswer,
  type DeliveryInput,
  type WebhookActivities,
} from '../../src/contract/webhooks';
import {
  answerOf,
  beginDelivery,
  delivered,
  detailsOf,
  failed,
  followed,
  hasRoom,
  retried,
  stopped,
  type DeliveryState,
} from '../../src/core/webhooks/delivery';
import { shortened } from '../../src/contract/text';
import { handedOver, handOver, isFull } from '../shared/hand-over';

/** The time for which one message is retried. */
const TRIED_MS = 3 * 86_400_000;

const retrySignal = defineSignal(SIGNALS.retry);
const cancelSignal = defineSignal(SIGNALS.cancel);
const deliveriesQuery = defineQuery<DeliveriesAnswer>(QUERIES.deliveries);

const GIVEN_UP = 'a person gave it up';

interface Self {
  state: DeliveryState;
  /** The current try, or the wait for the next one. */
  trying?: CancellationScope;
  /** The current wait for changes. */
  looking?: CancellationScope;
}

/**
 * Reports one operation to one receiver: it follows the operation, and delivers its events one after the other. The
 * operation is not aware of it. Only continue-as-new sets `carried`.
 */
export async function webhookDelivery(
  input: DeliveryInput,
  carried?: DeliveryState,
): Promise<DeliveriesAnswer> {
  const self: Self = { state: handedOver(carried) ?? beginDelivery(input, Date.now() + TRIED_MS) };
  setHandler(deliveriesQuery, () => answerOf(self.state), { description: 'What was told, and what waits' });
  setHandler(
    retrySignal,
    () => {
      become(self, retried(self.state, Date.now() + TRIED_MS));
      self.trying?.cancel();
    },
    { description: 'Try now what waits or was given up' },
  );
  setHandler(
    cancelSignal,
    () => {
      become(self, stopped(self.state, GIVEN_UP));
      self.trying?.cancel();
      self.looking?.cancel();
    },
    { description: 'Give up what waits, and follow the operation no more' },
  );
  become(self, self.state);
  // The next run continues where this one stopped.
  void CancellationScope.nonCancellable(() => condition(isFull)).then(() => {
    self.trying?.cancel();
    self.looking?.cancel();
  });
  await Promise.all([follow(self), deliverAll(self)]);
  if (isDone(self.state)) return answerOf(self.state);
  return handOver<typeof webhookDelivery>(self.state.input, self.state);
}

const isDone = ({ over, waiting }: DeliveryState) => over && waiting.length === 0;

/** Reads the changes while there is room for messages. */
async function follow(self: Self): Promise<void> {
  const { target, operation } = self.state.input;
  while (operation && !self.state.over) {
    await condition(() => hasRoom(self.state) || isFull());
    if (isFull()) break;
    const { cursor } = self.state;
    self.looking = new CancellationScope();
    try {
      const answer = await self.looking.run(() => look({ target, operation, cursor }));
      become(self, followed(self.state, answer, Date.now() + TRIED_MS));
    } catch (error) {
      if (isCancelled(error)) throw error;
      // The target or the operation no longer exists.
      if (!isCancellation(error)) become(self, { ...self.state, over: true });
    }
  }
}

async function deliverAll(self: Self): Promise<void> {
  for (;;) {
    await condition(() => self.state.waiting.length > 0 || self.state.over || isFull());
    const [next] = self.state.waiting;
    if (next === undefined || isFull()) return;
    self.trying = new CancellationScope();
    try {
      await self.trying.run(() => tryToDeliver(self.state.input, next));
      become(self, delivered(self.state, next.notice));
    } catch (error) {
      if (isCancelled(error)) throw error;
      // Otherwise a person requested the next try, or this run ends.
      if (isCancellation(error)) continue;
      if (!isGone(error)) become(self, failed(self.state, next.notice, reasonOf(error)));
      else {
        become(self, stopped(self.state, reasonOf(error)));
        self.looking?.cancel();
      }
    }
  }
}

function tryToDeliver(
  { target, once }: DeliveryInput,
  { notice, until, again }: DeliveryState['waiting'][number],
): Promise<void> {
  return proxyActivities<WebhookActivities>({
    taskQueue: webhookQueue(workflowInfo().taskQueue),
    startToCloseTimeout: '20s',
    heartbeatTimeout: '10s',
    scheduleToCloseTimeout: Math.max(60_000, until - Date.now()),
    retry: {
      initialInterval: '1s',
      maximumInterval: '1h',
      ...(once && { maximumAttempts: 1 }),
    },
    summary: `Tell ${target}: ${notice.message.type}`,
  }).deliverWebhook({ target, notice, ...(again && { again }) });
}

function look(input: Parameters<WebhookActivities['followOperation']>[0]) {
  return proxyActivities<WebhookActivities>({
    taskQueue: webhookQueue(workflowInfo().taskQueue),
    startToCloseTimeout: '1h',
    heartbeatTimeout: '10s',
    retry: { initialInterval: '1s', maximumInterval: '1 minute', nonRetryableErrorTypes: ['NOT_FOUND'] },
    summary: 'Wait for what happens',
  }).followOperation(input);
}

/** Temporal's own Cancel, which ends the delivery. */
const isCancelled = (error: unknown) =>
  isCancellation(error) && CancellationScope.current().consideredCancelled;

const isGone = (error: unknown): boolean =>
  error instanceof ActivityFailure &&
  error.cause instanceof ApplicationFailure &&
  error.cause.type === RECEIVER_GONE;

/** The last error of a message that was tried for three days. */
function reasonOf(error: unknown): string {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  const last = cause instanceof Error ? (cause.cause ?? cause) : undefined;
  return last instanceof Error ? shortened(last.message) : 'it did not answer';
}

function become(self: Self, state: DeliveryState): void {
  self.state = state;
  setCurrentDetails(detailsOf(state));
}

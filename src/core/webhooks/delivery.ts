import type {
  DeliveriesAnswer,
  Delivery,
  DeliveryInput,
  WebhookCursor,
  WebhookNotice,
} from '../../contract/webhooks';
import { bytesOf, fittingLast } from '../shared/bounds';
import { MAX_WAITING_BYTES } from './notices';

/** The state of a delivery; each continue-as-new carries it. */
export interface DeliveryState {
  input: DeliveryInput;
  cursor?: WebhookCursor;
  /** Whether the operation can no longer change. */
  over: boolean;
  /**
   * Messages in order of their events. `until` is when the message is given up. `again`: a person requested this try,
   * so that it is sent even to a receiver that wants no more messages.
   */
  waiting: { notice: WebhookNotice; until: number; again?: true }[];
  /** The receiver wants no more messages. */
  stopped?: true;
  failed: { notice: WebhookNotice; error: string }[];
  /** The outcomes of messages, without the oldest. */
  settled: Delivery[];
}

const MAX_SETTLED = 100;
const MAX_FAILED_BYTES = 150_000;
/** Temporal limits the details of a workflow to 20 KB. */
const MAX_ROWS_BYTES = 16_000;

export function beginDelivery(input: DeliveryInput, until: number): DeliveryState {
  const { notices = [], unasked, cursor, ...slim } = input;
  const waiting = notices.map((notice) => ({ notice, until, ...(!unasked && { again: true as const }) }));
  return { input: slim, over: !input.operation, waiting, failed: [], settled: [], ...(cursor && { cursor }) };
}

/** Adds the result of the last read. */
export function followed(
  state: DeliveryState,
  {
    notices,
    cursor = state.cursor,
    over,
  }: { notices: WebhookNotice[]; cursor?: WebhookCursor; over: boolean },
  until: number,
): DeliveryState {
  const waiting = [...state.waiting, ...notices.map((notice) => ({ notice, until }))];
  return { ...state, waiting, over, ...(cursor && { cursor }) };
}

export function delivered(state: DeliveryState, notice: WebhookNotice): DeliveryState {
  return settle(state, { ...rowOf(notice), state: 'delivered' });
}

/** The message is given up, and the next one follows. */
export function failed(state: DeliveryState, notice: WebhookNotice, error: string): DeliveryState {
  const all = [...state.failed, { notice, error }];
  while (all.length > 1 && bytesOf(all) > MAX_FAILED_BYTES) all.shift();
  return settle({ ...state, failed: all }, { ...rowOf(notice), state: 'failed', error });
}

/** The receiver wants no more messages: those that wait are given up, and nothing more is followed. */
export function stopped(state: DeliveryState, error: string): DeliveryState {
  const emptied = state.waiting.reduce((before, { notice }) => failed(before, notice, error), state);
  return { ...emptied, stopped: true, over: true };
}

/** Queues the messages that were given up again, before those of later events. */
export function retried(state: DeliveryState, until: number): DeliveryState {
  const again = new Set(state.failed.map(({ notice }) => notice.id));
  const waiting = [...state.failed, ...state.waiting].map(({ notice }) => ({
    notice,
    until,
    again: true as const,
  }));
  return { ...state, waiting, failed: [], settled: state.settled.filter(({ id }) => !again.has(id)) };
}

/** Whether more messages may be read: every run carries those that wait for a receiver. */
export const hasRoom = ({ waiting }: DeliveryState): boolean => bytesOf(waiting) < MAX_WAITING_BYTES;

export function answerOf(state: DeliveryState): DeliveriesAnswer {
  const { settled, waiting, failed: failures, cursor } = state;
  const { operation } = state.input;
  return {
    ...(state.stopped && operation && { rest: { operation, ...(cursor && { cursor }) } }),
    deliveries: [
      ...settled,
      ...waiting.map(({ notice }): Delivery => ({ ...rowOf(notice), state: 'waiting' })),
    ],
    failed: failures.map(({ notice }) => notice),
  };
}

/** The page in the Temporal UI. */
export function detailsOf(state: DeliveryState): string {
  const all = answerOf(state).deliveries.map(
    ({ type, at, state: became, error = '' }) =>
      `| ${[type, at, became, error].map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`,
  );
  const rows = fittingLast(all, MAX_ROWS_BYTES);
  const head = `**${state.waiting.length} waiting, ${state.failed.length} given up.**`;
  return [
    head,
    ...(rows.length > 0 ? ['', '| event | at | state | error |', '|---|---|---|---|', ...rows] : []),
  ].join('\n');
}

const rowOf = ({ id, message }: WebhookNotice): Omit<Delivery, 'state'> => ({
  id,
  type: message.type,
  at: message.timestamp,
});

function settle(state: DeliveryState, row: Delivery): DeliveryState {
  const waiting = state.waiting.filter(({ notice }) => notice.id !== row.id);
  return { ...state, waiting, settled: [...state.settled, row].slice(-MAX_SETTLED) };
}

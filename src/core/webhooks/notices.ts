import type { BulkStatus, OperationEvent } from '../../contract/operation';
import {
  WEBHOOK_EVENTS,
  type WebhookEvent,
  type WebhookMessage,
  type WebhookNotice,
} from '../../contract/webhooks';
import { operationPage } from '../approval/address';
import { needsConfirmation } from '../bulk/transitions';
import { bytesOf, fitting, withinBytes } from '../shared/bounds';

/** Receivers have their own limits, and each message is in the history of its delivery. */
const MAX_MESSAGE_BYTES = 32_768;
const MAX_ITEMS_BYTES = 20_000;
const MAX_ERRORS_BYTES = 4_000;
const MAX_TEXT_BYTES = 4_000;
/** The limit of the messages that wait for a receiver. Later messages are read when it answers. */
export const MAX_WAITING_BYTES = 150_000;

/** The type and the key of the message for a change of an operation. */
interface Told {
  type: WebhookEvent;
  /** Equal for two changes that need only one message. */
  key: string;
}

/** The message for a change; undefined if there is none, or if the previous change already sent it. */
export function toldOf(change: OperationEvent, before: string | undefined): Told | undefined {
  const type = change.escalated_to
    ? 'escalation'
    : change.reminder
      ? 'reminder'
      : WEBHOOK_EVENTS.find((event) => event === change.state);
  if (type === undefined) return undefined;
  const { batch, attempt } = change.gate ?? {};
  const to = change.escalated_to ? ` ${change.escalated_to.join()}` : '';
  const key = batch === undefined ? type : `${type} ${batch}.${attempt}${to}`;
  return key === before ? undefined : { type, key };
}

/** The message id of a change, which must not contain a dot: https://www.standardwebhooks.com, "Signature scheme". */
const noticeId = ({ event_id }: Pick<OperationEvent, 'event_id'>): string =>
  `msg_${event_id.replaceAll('.', '_')}`;

/**
 * The message about a change, with the status at the time of reading: if the question was answered by then, the message
 * is marked.
 */
export function noticeOf(
  change: Pick<OperationEvent, 'event_id' | 'at' | 'state' | 'gate' | 'escalated_to'>,
  type: WebhookEvent,
  status: BulkStatus,
  baseUrl: string | undefined,
): WebhookNotice {
  const current = isCurrent(change, status);
  const { guard: _, confirmations: __, confirmations_truncated: ___, ...rest } = status;
  const { confirmations_total: ____, groups: _____, scheduled_batch: ______, ...visible } = rest;
  const { next_batch, message, errors, ...facts } = visible;
  const items = next_batch && fitting(next_batch.items, MAX_ITEMS_BYTES);
  const errorRows = fitting(errors, MAX_ERRORS_BYTES);
  const data: WebhookMessage['data'] = {
    ...facts,
    state: change.state,
    current,
    message: current ? withinBytes(message, MAX_TEXT_BYTES) : answered(change),
    ...(current && next_batch && items && { next_batch: { ...withoutGroups(next_batch), items } }),
    ...(current &&
      next_batch &&
      items &&
      items.length < next_batch.items.length && { items_truncated: true }),
    ...(change.escalated_to && { escalated_to: change.escalated_to }),
    errors: errorRows,
    ...(errorRows.length < errors.length && { errors_truncated: true }),
    ...(baseUrl !== undefined && { url: operationPage(baseUrl, status.operation_id) }),
  };
  return { id: noticeId(change), message: bounded({ type, timestamp: change.at, data }) };
}

/** The items alone: a receiver that wants them in groups reads the status. */
const withoutGroups = ({ groups: _, ...gate }: NonNullable<BulkStatus['next_batch']>) => gate;

/** Whether the content of a change is still current. */
function isCurrent({ state, gate }: Pick<OperationEvent, 'state' | 'gate'>, status: BulkStatus): boolean {
  if (state !== status.state) return false;
  const { number, attempt } = status.next_batch ?? {};
  return gate === undefined || (gate.batch === number && gate.attempt === attempt);
}

/** The message to send now. It is marked if its question was answered since it was created. */
export function noticeNow(notice: WebhookNotice, status: BulkStatus | undefined): WebhookNotice {
  const { data, ...message } = notice.message;
  const { state, next_batch, items_truncated: _, ...facts } = data;
  if (data.current !== true || state === undefined || !needsConfirmation(state)) return notice;
  const gate = next_batch && { batch: next_batch.number, attempt: next_batch.attempt };
  if (status && isCurrent({ state, ...(gate && { gate }) }, status)) return notice;
  const now = { ...facts, state, current: false, message: answered({ ...(gate && { gate }) }) };
  return { ...notice, message: { ...message, data: now } };
}

const answered = ({ gate }: Pick<OperationEvent, 'gate'>) =>
  gate
    ? `The question for batch ${gate.batch} was answered, or its time was over, before it was sent.`
    : 'The operation went on before this was sent.';

/** The terms of a change, and an error, may be long too. The fields that identify the question always fit. */
function bounded({ data, ...message }: WebhookMessage): WebhookMessage {
  const whole = { ...message, data };
  if (bytesOf(whole) <= MAX_MESSAGE_BYTES) return whole;
  const { next_batch, error: _, forced: __, revision: ___, ...rest } = data;
  const slim = next_batch && {
    ...next_batch,
    items: [],
    change: {
      ...next_batch.change,
      summary: withinBytes(next_batch.change.summary, MAX_TEXT_BYTES),
      fields: [],
    },
  };
  return {
    ...message,
    data: {
      ...rest,
      ...(slim && { next_batch: slim, items_truncated: true as const }),
      errors: [],
      errors_truncated: true,
    },
  };
}

import type { BulkStatus, OperationEvent } from '../../contract/operation';
import {
  WEBHOOK_EVENTS,
  type WebhookCursor,
  type WebhookEvent,
  type WebhookMessage,
  type WebhookNotice,
} from '../../contract/webhooks';
import { operationPage } from '../approval/address';
import { isClosed, needsConfirmation } from '../bulk/transitions';
import { bytesOf, fitting, withinBytes } from '../shared/bounds';

/** Receivers have their own limits, and each message is in the history of its delivery. */
const MAX_MESSAGE_BYTES = 32_768;
const MAX_ITEMS_BYTES = 20_000;
const MAX_ERRORS_BYTES = 4_000;
const MAX_TEXT_BYTES = 4_000;
/** The limit of the messages that wait for a receiver. Later messages are read when it answers. */
export const MAX_WAITING_BYTES = 150_000;

/**
 * The types of the messages for a change, in order, and the cursor after it. A change has several if its question, an
 * escalation or a reminder came together. None repeats an earlier message. `scheduled_for`: the start of a scheduled
 * batch, which a missed window changes.
 */
export function duesOf(
  change: OperationEvent,
  before: Omit<WebhookCursor, 'change'> = {},
  scheduled_for?: string,
): { types: WebhookEvent[]; cursor: WebhookCursor } {
  const { state, gate, escalated_to, reminder } = change;
  const type = WEBHOOK_EVENTS.find((event) => event === state);
  const place = gate ? `${gate.batch}.${gate.attempt}` : state === 'scheduled' ? scheduled_for : undefined;
  const told = type === undefined ? undefined : place === undefined ? type : `${type} ${place}`;
  const escalated =
    escalated_to && !isClosed(state) ? `escalation ${place} ${escalated_to.join()}` : undefined;
  const types: WebhookEvent[] = [
    ...(type !== undefined && told !== before.told ? [type] : []),
    ...(escalated !== undefined && escalated !== before.escalated ? (['escalation'] as const) : []),
    ...(reminder && !isClosed(state) ? (['reminder'] as const) : []),
  ];
  const last = { told: told ?? before.told, escalated: escalated ?? before.escalated };
  return {
    types,
    cursor: {
      change,
      ...(last.told !== undefined && { told: last.told }),
      ...(last.escalated !== undefined && { escalated: last.escalated }),
    },
  };
}

/**
 * The message id of a change, which must not contain a dot: https://www.standardwebhooks.com, "Signature scheme". A
 * further message about the same change has its own.
 */
const noticeId = ({ event_id }: Pick<OperationEvent, 'event_id'>, further: string | undefined): string =>
  [`msg_${event_id.replaceAll('.', '_')}`, ...(further === undefined ? [] : [further])].join('_');

/**
 * The message about a change, with the status at the time of reading: if the question was answered by then, the message
 * is marked. `isFurther`: it is not the first message about this change.
 */
export function noticeOf(
  change: Pick<OperationEvent, 'event_id' | 'at' | 'state' | 'gate' | 'escalated_to'>,
  type: WebhookEvent,
  status: BulkStatus,
  baseUrl: string | undefined,
  isFurther = false,
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
    ...(type === 'escalation' && change.escalated_to && { escalated_to: change.escalated_to }),
    errors: errorRows,
    ...(errorRows.length < errors.length && { errors_truncated: true }),
    ...(baseUrl !== undefined && { url: operationPage(baseUrl, status.operation_id) }),
  };
  const id = noticeId(change, isFurther ? type : undefined);
  return { id, message: bounded({ type, timestamp: change.at, data }) };
}

/** The items alone: a receiver that wants them in groups reads the status. */
const withoutGroups = ({ groups: _, ...gate }: NonNullable<BulkStatus['next_batch']>) => gate;

/** Whether the content of a change is still current. */
function isCurrent({ state, gate }: Pick<OperationEvent, 'state' | 'gate'>, status: BulkStatus): boolean {
  if (state !== status.state) return false;
  const { number, attempt } = status.next_batch ?? {};
  return gate === undefined || (gate.batch === number && gate.attempt === attempt);
}

/**
 * The message to send now. It is marked if its question was answered, or its batch got another start, since it was
 * created.
 */
export function noticeNow(notice: WebhookNotice, status: BulkStatus | undefined): WebhookNotice {
  const { data, ...message } = notice.message;
  const { state, next_batch, items_truncated: _, ...facts } = data;
  if (data.current !== true || state === undefined) return notice;
  if (!needsConfirmation(state) && state !== 'scheduled') return notice;
  const gate = next_batch && { batch: next_batch.number, attempt: next_batch.attempt };
  const isOpen = status && isCurrent({ state, ...(gate && { gate }) }, status);
  if (isOpen && data.scheduled_for === status.scheduled_for) return notice;
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

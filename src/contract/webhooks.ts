import { z } from 'zod';
import { checkpointSchema } from './audit';
import { bulkStatusSchema, type OperationEvent } from './operation';

/** The events of an operation that a webhook reports. */
export const WEBHOOK_EVENTS = [
  'awaiting_confirmation',
  'batch_failed',
  'awaiting_resolution',
  'reminder',
  'completed',
  'cancelled',
  'expired',
  'scheduled',
  'escalation',
] as const;
/** A signed checkpoint of the audit record. Only receivers that subscribe to it by name get it. */
export const CHECKPOINT_EVENT = 'audit_checkpoint';
export const webhookEventSchema = z.enum([...WEBHOOK_EVENTS, CHECKPOINT_EVENT]);
export type WebhookEvent = z.infer<typeof webhookEventSchema>;

/** The body of a delivery. `data` is the status of the operation when the event was read, without large parts. */
export const webhookMessageSchema = z.object({
  type: z.enum([...WEBHOOK_EVENTS, CHECKPOINT_EVENT, 'test']),
  /** The time of the event. */
  timestamp: z.iso.datetime(),
  data: bulkStatusSchema
    .omit({
      ...{ guard: true, groups: true, scheduled_batch: true },
      ...{ confirmations: true, confirmations_truncated: true, confirmations_total: true },
    })
    .extend({
      /** False if the operation had continued before the event was read. Then its question is no longer open. */
      current: z.boolean(),
      /** Present if some items of the batch are left out, because the message would be too large. */
      items_truncated: z.literal(true).optional(),
      /** The page where a person decides; absent without `http.base_url`. */
      url: z.string().optional(),
      /** Only for an escalation: the additional approvers. */
      escalated_to: z.array(z.string()),
      /** Only for a checkpoint, which has no other data. */
      checkpoint: checkpointSchema,
    })
    .partial(),
});
export type WebhookMessage = z.infer<typeof webhookMessageSchema>;

/** A message for a target. Its id is the same for every try and every target. */
export interface WebhookNotice {
  id: string;
  message: WebhookMessage;
}

/** The position up to which an operation was read: the last change, and the last messages about it. */
export interface WebhookCursor {
  change: OperationEvent;
  /** The key of the last message about a state: equal for changes that need only one message. */
  told?: string;
  /** The same of the last escalation, which does not replace its question. */
  escalated?: string;
}

/** The input of the workflow `webhookDelivery`. There is one for each operation and target. */
export interface DeliveryInput {
  target: string;
  /** The operation to follow, by the first run of its chain. */
  operation?: { operation_id: string; run_id: string };
  /** Messages to deliver first: a test, a checkpoint, or messages that were not delivered before. */
  notices?: WebhookNotice[];
  /** Nobody requested these messages, so a receiver that wants no more messages does not get them. */
  unasked?: true;
  /** The position up to which the operation was followed before. */
  cursor?: WebhookCursor;
  /** Try each message only once, for a test. */
  once?: boolean;
}

/** The state of one message. */
export interface Delivery {
  id: string;
  type: WebhookMessage['type'];
  /** The time of the event. */
  at: string;
  state: 'waiting' | 'delivered' | 'failed';
  error?: string;
}

/** The answer to the query `deliveries`, oldest first. */
export interface DeliveriesAnswer {
  deliveries: Delivery[];
  /** The messages that were given up. */
  failed: WebhookNotice[];
  /** The operation that is no longer followed, because the receiver wants no more messages. */
  rest?: Pick<DeliveryInput, 'operation' | 'cursor'>;
}

/** A delivery in the list of the command line. */
export interface DeliveryRow extends Delivery {
  target: string;
  operation_id?: string;
  /** The number of tries of the current message. */
  attempts?: number;
}

export interface WebhookActivities {
  /** Waits for new messages, and returns them. `over` is true once there can be no more. */
  followOperation(input: {
    target: string;
    operation: { operation_id: string; run_id: string };
    cursor?: WebhookCursor;
  }): Promise<{ notices: WebhookNotice[]; cursor?: WebhookCursor; over: boolean }>;
  /** Tries to deliver one message. `again`: a person requested it, even if the receiver wants no more messages. */
  deliverWebhook(input: { target: string; notice: WebhookNotice; again?: boolean }): Promise<void>;
}

/** The failure type of a delivery to a receiver that wants no more messages. */
export const RECEIVER_GONE = 'RECEIVER_GONE';

/**
 * The task queue of the activities for webhooks. They have their own, so that a slow receiver takes no slot of a batch.
 */
export const webhookQueue = (taskQueue: string): string => `${taskQueue}-webhooks`;

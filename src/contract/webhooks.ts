import { z } from 'zod';
import { bulkStatusSchema, type OperationEvent } from './operation';

/** What a webhook tells of an operation. */
export const WEBHOOK_EVENTS = [
  'awaiting_confirmation',
  'batch_failed',
  'awaiting_resolution',
  'reminder',
  'completed',
  'cancelled',
  'expired',
] as const;
export const webhookEventSchema = z.enum(WEBHOOK_EVENTS);
export type WebhookEvent = z.infer<typeof webhookEventSchema>;

/** The body of a delivery: `data` is the operation's status, slim, as it was when the event was read. */
export const webhookMessageSchema = z.object({
  type: z.enum([...WEBHOOK_EVENTS, 'test']),
  /** When it happened. */
  timestamp: z.iso.datetime(),
  data: bulkStatusSchema
    .omit({ guard: true, confirmations: true, confirmations_truncated: true, confirmations_total: true })
    .extend({
      /** False where the operation had gone on before the event was read: its question waits no more. */
      current: z.boolean(),
      /** Some items of the batch are left out, because the message would be too large. */
      items_truncated: z.literal(true).optional(),
      /** The page on which a person decides; absent without `http.base_url`. */
      url: z.string().optional(),
    })
    .partial(),
});
export type WebhookMessage = z.infer<typeof webhookMessageSchema>;

/** One message for one target. Its id is the same at every try, and for every target. */
export interface WebhookNotice {
  id: string;
  message: WebhookMessage;
}

/** How far an operation was read: the last change, and what was told last. */
export interface WebhookCursor {
  change: OperationEvent;
  told?: string;
}

/** Starts the workflow `webhookDelivery`, one for each operation and target. */
export interface DeliveryInput {
  target: string;
  /** The operation to follow, by the first run of its chain. */
  operation?: { operation_id: string; run_id: string };
  /** To be delivered first: a test, or what was not delivered before. */
  notices?: WebhookNotice[];
  /** How far it was followed before. */
  cursor?: WebhookCursor;
  /** One try each, for a test. */
  once?: boolean;
}

/** What became of one message. */
export interface Delivery {
  id: string;
  type: WebhookMessage['type'];
  /** When it happened. */
  at: string;
  state: 'waiting' | 'delivered' | 'failed';
  error?: string;
}

/** The answer of the query `deliveries`, oldest first. */
export interface DeliveriesAnswer {
  deliveries: Delivery[];
  /** What was given up, whole. */
  failed: WebhookNotice[];
  /** What is no longer followed, because the receiver wants no more messages. */
  rest?: Pick<DeliveryInput, 'operation' | 'cursor'>;
}

/** Of one target, as the command line lists it. */
export interface DeliveryRow extends Delivery {
  target: string;
  operation_id?: string;
  /** Tries so far of the message whose turn it is. */
  attempts?: number;
}

export interface WebhookActivities {
  /** Waits for what is to be told, and answers with it; `over` once nothing more can come. */
  followOperation(input: {
    target: string;
    operation: { operation_id: string; run_id: string };
    cursor?: WebhookCursor;
  }): Promise<{ notices: WebhookNotice[]; cursor?: WebhookCursor; over: boolean }>;
  /** One try. `again`: a person asked for it, also where the receiver has wanted no more messages. */
  deliverWebhook(input: { target: string; notice: WebhookNotice; again?: boolean }): Promise<void>;
}

/** The type of the failure of a delivery whose receiver wants no more messages. */
export const RECEIVER_GONE = 'RECEIVER_GONE';

/** Activities of webhooks have a task queue of their own, so that a slow receiver takes no slot of a batch. */
export const webhookQueue = (taskQueue: string): string => `${taskQueue}-webhooks`;

import type { ErrorBody } from '../contract/errors';
import type { MacroTurn } from '../contract/macro-run';
import type { BulkStatus, BulkTurn } from '../contract/operation';
import type { BulkIntent } from '../core/intent/classifier';
import type { SeenGate } from '../core/intent/conversation';
import type { DecisionOptions } from './signer';

export interface MessageContext extends Omit<DecisionOptions, 'signature'> {
  /** The decision id. A message that is delivered twice decides once, even if its operation has ended meanwhile. */
  message_id?: string;
  /** The gate that the person was shown. Without it, a yes is a bare confirmation. */
  seen?: SeenGate;
  /**
   * Returns the digest of the gate of this operation that the door last showed to the sender. Used without `seen`.
   */
  given?: (operationId: string) => string;
  /** The operation that the message is about. Default: the live operation of the session. */
  operation_id?: string;
  by?: string;
  /** The sender's IANA time zone. Default: the zone of this process. */
  zone?: string;
  task_queue?: string;
  /** If false, the sender, such as an agent, may only read and ask. A decision is refused with `FORBIDDEN`. */
  may_decide?: boolean;
  /** If false, the sender, such as an approver, may not start a follow-up of an operation. */
  may_start?: boolean;
}

export interface Turn {
  /** False if the message is about something else. Then nothing was done. */
  handled: boolean;
  intent: BulkIntent | 'revise' | 'edit';
  reply: string;
  /** The question in `reply`. Pass it as `seen` with the next message. */
  asked?: SeenGate;
  /** The current status of the operation; after a decision, the `BulkTurn` that it returned, without items. */
  status?: BulkTurn | BulkStatus;
  /** The macro whose question the message was about. */
  macro?: MacroTurn;
  /** The error, if the decision was refused. `reply` has the reason in words. */
  error?: ErrorBody;
}

import type { ErrorBody } from '../contract/errors';
import type { MacroTurn } from '../contract/macro-run';
import type { BulkStatus, BulkTurn } from '../contract/operation';
import type { BulkIntent } from '../core/intent/classifier';
import type { SeenGate } from '../core/intent/conversation';
import type { DecisionOptions } from './signer';

export interface MessageContext extends Omit<DecisionOptions, 'signature'> {
  /** The decision id: the same message delivered twice decides once, also when its operation has ended meanwhile. */
  message_id?: string;
  /** The gate that the person was shown. Without it, a yes is a bare confirmation. */
  seen?: SeenGate;
  /**
   * Returns the digest of the gate of this operation that the door showed to the sender, if it remembers. Used without
   * `seen`.
   */
  given?: (operationId: string) => string;
  /** The operation that the message is about, if the door knows it; by default the session's live one. */
  operation_id?: string;
  by?: string;
  /** Their time zone, a name of the IANA database; by default that of this process. */
  zone?: string;
  task_queue?: string;
  /** False: the sender, such as an agent, may only look and ask. A decision is refused with `FORBIDDEN`. */
  may_decide?: boolean;
  /** False: the sender, such as an approver, may not start an operation that follows another one. */
  may_start?: boolean;
}

export interface Turn {
  /** False: the message is about something else, and nothing was done. */
  handled: boolean;
  intent: BulkIntent | 'revise' | 'edit';
  reply: string;
  /** The question that `reply` asks. Pass it as `seen` with the next message. */
  asked?: SeenGate;
  /** The current status of the operation; after a decision, the `BulkTurn` that it returned, without items. */
  status?: BulkTurn | BulkStatus;
  /** The macro whose question the message was about. */
  macro?: MacroTurn;
  /** Why the decision was refused; `reply` has the reason in words. */
  error?: ErrorBody;
}

import type { CancellationScope } from '@temporalio/workflow';
import type { ErrorBody } from '../../src/contract/errors';
import type { ContinueRequest } from '../../src/contract/messages';
import type { BulkState } from '../../src/contract/operation';
import type { OperationState } from '../../src/core/bulk/operation';

/** How an operation is to end, asked for while it still runs. */
export interface Closing {
  to: Extract<BulkState, 'cancelled' | 'expired' | 'completed'>;
  forced?: OperationState['forced'];
  /** Why, where no person asked for it. */
  error?: ErrorBody;
}

/** What a running operation holds beside its state: nothing of it is carried on. */
export interface RunningOperation {
  state: OperationState;
  /** Asked for, and reached at the next item boundary. */
  closing?: Closing;
  /** The step that a cancellation stops. */
  step?: CancellationScope;
  /** Signals that name their gate, in the order in which they came, until all that came with them is applied. */
  inbox: ContinueRequest[];
  /** When the last workflow task began that refused a bare signal and left a command. */
  markedTask?: number;
  /** The state that lists show, as far as this run has set it. */
  listed?: BulkState;
}

/** The first request holds; a running step learns of it at its next item boundary. */
export function requestClose(operation: RunningOperation, closing: Closing): void {
  operation.closing ??= closing;
  operation.step?.cancel();
}

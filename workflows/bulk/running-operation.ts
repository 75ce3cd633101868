import type { CancellationScope } from '@temporalio/workflow';
import type { ErrorBody } from '../../src/contract/errors';
import type { Edit } from '../../src/contract/edits';
import type { ContinueRequest, EditRequest } from '../../src/contract/messages';
import type { AuditedDecision } from '../../src/contract/counted-approvals';
import type { BulkState } from '../../src/contract/operation';
import type { OperationState } from '../../src/core/bulk/operation';
import type { Attested } from '../../src/core/bulk/signatures';
import { isClosed } from '../../src/core/bulk/transitions';
import { onReset, resetsSoFar } from '../shared/resets';

/** A requested end of an operation that is still running. */
export interface Closing {
  to: Extract<BulkState, 'cancelled' | 'expired' | 'completed'>;
  forced?: OperationState['forced'];
  /** The reason of the end, if no person requested it. */
  error?: ErrorBody;
}

/** An edit that has closed the question and, once it is over, its error if it failed. */
export interface AskedEdit {
  request: EditRequest;
  update_id: string | undefined;
  edit: Omit<Edit, 'after'>;
  sender: Attested;
  over?: { error?: ErrorBody };
}

/** The workflow task that brought a signal, and the signal's place among the signals `continue` of that task. */
export interface SignalPlace {
  task: number;
  index: number;
}

class SignalPlaces {
  #last: SignalPlace | undefined;

  next(task: number): SignalPlace {
    this.#last = { task, index: this.#last?.task === task ? this.#last.index + 1 : 0 };
    return this.#last;
  }
}

/** Temporal accepts ten updates at a time per workflow. This many may wait for the answer of another one. */
const MAX_WAITING = 4;

/** A running operation: its state, and the data of this run, which is not carried over. */
export class RunningOperation {
  #state: OperationState;
  #change: { promise: Promise<void>; happened: () => void } | undefined;
  /** The requested end, which is executed at the next item boundary. */
  closing?: Closing;
  /** The edit that waits for its plan. */
  edit?: AskedEdit;
  /** The step that a cancellation stops. */
  step?: CancellationScope;
  /** Signals that name their gate, in order of arrival, until everything that came with them is applied. */
  readonly inbox: ContinueRequest[] = [];
  /** Signals that name no gate, in order of arrival, until the time of their sending is known. */
  readonly undated: { request: ContinueRequest; place: SignalPlace }[] = [];
  readonly signals = new SignalPlaces();
  readonly revisions = new SignalPlaces();
  /** The last workflow task that brought such a signal. It left a command. */
  markedTask?: number;
  /** Decisions that are not in the audit record yet, and the write that is under way. */
  readonly unrecorded: AuditedDecision[] = [];
  recording?: Promise<void>;
  /** The time of its last report of a refused decision to the sentinel, in milliseconds. */
  refusedAt?: number;
  #waiting = 0;
  /** The resets after which the ledger was read. */
  #resetsRead = 0;
  /** The last escalation that this run has published: its time, and whom it asked. */
  escalated?: { at: string; to: string[] };
  /** The state that lists show, as far as this run has set it. */
  listed?: BulkState;

  constructor(state: OperationState) {
    this.#state = state;
    onReset(() => this.changed());
  }

  get state(): OperationState {
    return this.#state;
  }

  set state(state: OperationState) {
    this.#state = state;
    this.changed();
  }

  /** Reports that `closing`, or something else outside the state, has changed. */
  changed(): void {
    this.#change?.happened();
    this.#change = undefined;
  }

  /**
   * Whether the run was reset in Temporal and the ledger was not read since. Until it is read, the state of later
   * batches is wrong, and no question is answered.
   */
  get isReset(): boolean {
    return resetsSoFar() > this.#resetsRead;
  }

  /** The number of resets after which the ledger was read. */
  noteLedgerRead(resets: number): void {
    this.#resetsRead = resets;
    this.changed();
  }

  /** Waits until the ledger was read after a reset. An operation that has ended reads it no more. */
  untilKnown(): Promise<void> {
    return this.until(() => !this.isReset || isClosed(this.state.state));
  }

  /**
   * Waits until a change makes the test true. Temporal's own Cancel does not end the wait. The SDK's `condition` tests
   * after each activation, which would cost two more calls into the sandbox per batch.
   */
  async until(test: () => boolean): Promise<void> {
    while (!test()) await this.#nextChange();
  }

  /**
   * Like `settled`, for a repeated request. It does not wait while many requests do: the next person's update needs a
   * place.
   */
  async untilOrBusy(test: () => boolean): Promise<void> {
    if (this.#waiting >= MAX_WAITING) return;
    this.#waiting++;
    await this.until(test);
    this.#waiting--;
  }

  #nextChange(): Promise<void> {
    if (!this.#change) {
      let happened = () => {};
      const promise = new Promise<void>((resolve) => (happened = resolve));
      this.#change = { promise, happened };
    }
    return this.#change.promise;
  }
}

/** The first request applies; a running step receives it at its next item boundary. */
export function requestClose(operation: RunningOperation, closing: Closing): void {
  operation.closing ??= closing;
  operation.changed();
  // Without its plan, a run that was reset could not report what the earlier one had done.
  if (operation.isReset && operation.state.state === 'preparing') return;
  operation.step?.cancel();
}

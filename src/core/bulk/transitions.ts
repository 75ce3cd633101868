import { CLOSED_STATES, type BulkState } from '../../contract/operation';

/** Every legal change of state, with its reason. All others are impossible. */
const TRANSITIONS: Partial<Record<BulkState, Partial<Record<BulkState, string>>>> = {
  preparing: {
    awaiting_confirmation:
      'the plan is frozen and the first question is asked, or nothing matches where some were expected',
    awaiting_resolution: 'its run was reset in Temporal after every batch had run, and items are in doubt',
    completed: 'nothing matches, or an undo leaves every item alone, so nothing is to be done',
    rejected: 'refused before anything ran: admission, parameters, size or an unreachable tool',
    cancelled: 'a person cancelled before the first question',
  },
  awaiting_confirmation: {
    preparing: 'a person edited the change, and the rest is planned anew',
    running_batch: 'a person confirmed the open gate',
    scheduled: 'a person confirmed the open gate, and its batch begins later',
    completed: 'a person completed it: the guard allowed it, or they forced it with a reason',
    cancelled: 'a person cancelled at the question, or sent it back',
    expired: 'no answer came in time',
  },
  running_batch: {
    awaiting_confirmation: 'the batch ended and items remain, or the guard does not allow completion',
    awaiting_resolution: 'every batch has run, and items are in doubt',
    batch_failed: 'the batch died or stopped early, and some of its items are still to be done',
    completed: 'each planned item has an outcome, or a person forced completion while the batch ran',
    cancelled: 'a person cancelled while the batch ran; what was done is counted',
    scheduled: 'its window ended before a worker began it',
  },
  scheduled: {
    running_batch: 'the time of the confirmed batch has come',
    awaiting_confirmation: 'a person took the confirmation back',
    batch_failed: 'a person took back the confirmation of the rest of a failed batch',
    completed: 'a person forced completion with a reason',
    cancelled: 'a person cancelled; the batch never began',
  },
  batch_failed: {
    preparing: 'a person edited the change, and the rest is planned anew',
    running_batch: 'a person confirmed the rest of the failed batch',
    scheduled: 'a person confirmed the rest of the failed batch, and it begins later',
    completed: 'a person forced completion with a reason',
    cancelled: 'a person cancelled after the failure, or sent the rest back',
    expired: 'no answer came in time',
  },
  awaiting_resolution: {
    completed: 'the last item in doubt was resolved, or a person forced completion with a reason',
    awaiting_confirmation: 'the last item in doubt was resolved, and the guard does not allow completion',
    cancelled: 'a person cancelled with items in doubt',
    expired: 'the items were not resolved in time',
  },
};

export function transitionReason(from: BulkState, to: BulkState): string | undefined {
  return TRANSITIONS[from]?.[to];
}

/** Checks a change of state against the table. @throws Error if the table lacks it, which is a defect of batchgate. */
export function assertTransition(from: BulkState, to: BulkState): void {
  if (transitionReason(from, to) === undefined) throw new Error(`illegal transition from ${from} to ${to}`);
}

const WAITING_STATES: readonly string[] = [
  'awaiting_confirmation',
  'batch_failed',
  'awaiting_resolution',
] satisfies BulkState[];

export function isClosed(state: string): boolean {
  return (CLOSED_STATES as readonly string[]).includes(state);
}

/** Whether the operation waits for a person. Only then may a gate be open, except in `awaiting_resolution`. */
export function needsConfirmation(state: string): boolean {
  return WAITING_STATES.includes(state);
}

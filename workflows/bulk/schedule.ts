import { condition, setHandler } from '@temporalio/workflow';
import { withdrawRequestSchema, type WithdrawRequest } from '../../src/contract/messages';
import type { BulkTurn } from '../../src/contract/operation';
import { closedError } from '../../src/core/bulk/gate';
import { withOutcome } from '../../src/core/bulk/lifecycle';
import { gateKey } from '../../src/core/bulk/operation';
import {
  judgeWithdraw,
  missed,
  scheduledDigest,
  started,
  withdrawn,
  type WithdrawVerdict,
} from '../../src/core/bulk/schedule';
import { marked } from '../../src/core/bulk/taken-back';
import { isClosed } from '../../src/core/bulk/transitions';
import { iso, turnOf } from '../../src/core/bulk/view';
import { attestSender, read, record, type How } from '../shared/decision-record';
import { toFailure } from '../shared/failures';
import { isFull } from '../shared/hand-over';
import { withdrawSignal, withdrawUpdate } from '../shared/messages';
import { settled } from '../shared/settle';
import { publishProgress, publishState, touchSentinel } from '../shared/visibility';
import type { RunningOperation } from './running-operation';

/**
 * Waits until the scheduled batch may begin, or something else happens. The timer is durable; the window is checked
 * again at its end, which a worker may read much later.
 */
export async function untilDue(operation: RunningOperation): Promise<void> {
  const { scheduled, batch } = operation.state;
  if (!scheduled) return;
  const { at } = scheduled;
  const over = () =>
    operation.isReset ||
    operation.closing !== undefined ||
    operation.state.state !== 'scheduled' ||
    operation.state.scheduled?.at !== at ||
    isFull();
  const wait = at - Date.now();
  if (wait > 0 && !over())
    await condition(over, wait, { summary: `Batch ${batch} is scheduled for ${iso(at)}` });
  if (over() || Date.now() < at) return;
  operation.state = started(operation.state, Date.now());
  if (operation.state.state === 'scheduled') answerScheduled(operation);
  else publishState(operation);
}

/** The answer of the confirmation: its batch begins later. */
export function answerScheduled(operation: RunningOperation, by?: string): void {
  const { batch, attempt } = operation.state;
  operation.state = withOutcome(operation.state, gateKey(batch, attempt));
  publishProgress(operation);
  touchSentinel(by);
}

/** Whether the batch that was to begin waits for the next window of its domain. */
export function waitsForWindow(operation: RunningOperation): boolean {
  const waiting = missed(operation.state, Date.now());
  if (waiting === operation.state) return false;
  operation.state = waiting;
  answerScheduled(operation);
  return true;
}

/** Handles the withdrawal of a scheduled batch's confirmation. */
export function registerWithdraw(operation: RunningOperation): void {
  setHandler(
    withdrawUpdate,
    async (input): Promise<BulkTurn> => {
      const request = input ?? {};
      await inTurn(operation);
      const verdict = judge(operation, request);
      if (verdict.kind === 'refused') {
        record(operation, 'withdraw', verdict.error.code, { ...request, note: request.reason }, BY_UPDATE);
        throw toFailure(verdict.error);
      }
      if (verdict.kind === 'accepted')
        takeBack(operation, request, { ...BY_UPDATE, ...attestSender(operation, 'withdraw', request) });
      return turnOf(operation.state);
    },
    {
      validator: (input?: WithdrawRequest | null) => {
        const verdict = judge(operation, read(withdrawRequestSchema, input ?? {}));
        const isFirst = operation.inbox.length === 0 && !operation.isReset;
        if (verdict.kind === 'refused' && isFirst) throw toFailure(verdict.error);
      },
      description: 'Take back the confirmation of the scheduled batch. Optional: {"batch": 1, "by": "…"}',
    },
  );
  setHandler(
    withdrawSignal,
    async (message) => {
      await inTurn(operation);
      // A withdrawal with a mistake still applies, unless it names another batch: not running is safe.
      const request = withdrawRequestSchema.safeParse(message ?? {});
      const withdrawal = request.success ? request.data : {};
      const verdict = judge(operation, withdrawal);
      if (verdict.kind === 'accepted') takeBack(operation, withdrawal, { via: 'signal' });
      else if (verdict.kind === 'refused' && !isClosed(operation.state.state))
        record(
          operation,
          'withdraw',
          verdict.error.code,
          { ...withdrawal, note: withdrawal.reason },
          { via: 'signal' },
        );
    },
    { description: 'Take back the confirmation of the scheduled batch' },
  );
}

/** Confirmations that came earlier, and wait for what came with them, go first. */
async function inTurn(operation: RunningOperation): Promise<void> {
  if (operation.inbox.length > 0) await settled();
  if (operation.isReset) await operation.untilKnown();
}

const BY_UPDATE = { via: 'update' } as const;

function judge(operation: RunningOperation, request: WithdrawRequest): WithdrawVerdict {
  const { closing } = operation;
  if (closing) return { kind: 'refused', error: closedError(operation.state, closing.to) };
  return judgeWithdraw(operation.state, request);
}

function takeBack(operation: RunningOperation, request: WithdrawRequest, how: How): void {
  const { by, reason, through } = request;
  const digest = scheduledDigest(operation.state);
  const { state, confirmation } = marked(operation.state, {
    ...(by !== undefined && { by }),
    at: iso(Date.now()),
  });
  operation.state = state;
  // No claim of a batch will write it.
  if (confirmation) operation.unrecorded.push(confirmation);
  record(operation, 'withdraw', 'accepted', { by, note: reason, digest, through }, how);
  operation.state = withdrawn(operation.state, request, Date.now());
  publishProgress(operation);
  touchSentinel(by);
}

import { setTimeout as pause } from 'node:timers/promises';
import { WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { toBatchgateError } from '../../../src/client/failures';
import type { BulkStatus, BulkTurn } from '../../../src/contract/operation';
import { isClosed } from '../../../src/core/bulk/transitions';
import { isUnavailable, ranIn, type Answer } from './answers';
import type { Decision, Door, Place } from './doors';

/** Doors by signals. A signal has no answer, so its sender reads the record. */
export function signalDoors({ harness: { client }, id, look }: Place): Door[] {
  const recorded = async ({ by }: Decision): Promise<Answer> => {
    for (;;) {
      const { confirmations, state } = await look();
      const own = confirmations.filter((one) => one.by === by);
      const accepted = own.find(({ outcome }) => outcome === 'accepted');
      if (accepted && state !== 'running_batch') return { ran: accepted.batch };
      const [refused] = own;
      if (!accepted && refused) return { refused: refused.outcome };
      if (isClosed(state)) return { refused: 'OPERATION_CLOSED' };
      await pause(50);
    }
  };
  const signal = async (decision: Decision, request: object): Promise<Answer> => {
    try {
      await client.workflow.getHandle(id).signal('continue', { by: decision.by, ...request });
    } catch {
      // The operation has ended, perhaps by an earlier copy: see the record.
    }
    return recorded(decision);
  };
  return [
    { name: 'signal', look, confirm: (decision) => signal(decision, decision.shown) },
    {
      name: 'signal, bare',
      ...{ look, waits: true, forgets: true },
      confirm: (decision) => signal(decision, {}),
    },
  ];
}

/** Doors by Temporal's own client, without our code. A repeated update id is the same decision. */
export function updateDoors({ harness: { client }, id }: Place): Door[] {
  const handle = client.workflow.getHandle(id);
  const look = () =>
    handle.query<BulkStatus>('status').catch((error: unknown) => {
      throw toBatchgateError(error);
    });
  // The result contains the record: docs/other-languages.md.
  const inResult = async (request: { by?: string }): Promise<Answer> => {
    const { confirmations } = (await handle.result()) as BulkStatus;
    const own = confirmations.find((one) => one.by === request.by && one.outcome === 'accepted');
    return own ? { ran: own.batch } : { refused: 'OPERATION_CLOSED' };
  };
  const update = async (request: { by?: string }, updateId?: string): Promise<Answer> => {
    try {
      const options = { args: [request] as [object], ...(updateId !== undefined && { updateId }) };
      return ranIn(await handle.executeUpdate<BulkTurn, [object]>('continue', options));
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return await inResult(request);
      const failure = toBatchgateError(error);
      // A busy worker dropped the update unread, so its effect is unknown.
      if (isUnavailable(failure)) throw failure;
      if (error instanceof WorkflowUpdateFailedError && error.cause instanceof ApplicationFailure)
        return { refused: error.cause.type ?? 'no code' };
      throw failure;
    }
  };
  return [
    { name: 'update', look, confirm: ({ by, shown }) => update({ ...shown, by }) },
    {
      name: 'update, bare',
      ...{ look, waits: true, forgets: true },
      confirm: ({ by }) => update({ by }),
    },
    {
      name: 'update, bare, with its id',
      ...{ look, waits: true, unnamed: true },
      confirm: ({ by, id: updateId }) => update({ by }, updateId),
    },
  ];
}

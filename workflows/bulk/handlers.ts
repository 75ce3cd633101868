import { setHandler } from '@temporalio/workflow';
import {
  cancelRequestSchema,
  itemsRequestSchema,
  pageRequestSchema,
  type CancelRequest,
} from '../../src/contract/messages';
import type { Confirmation } from '../../src/contract/operation';
import { isUnreadable } from '../../src/contract/text';
import { bulkContract, bulkGuard } from '../../src/core/bulk/contract-progress';
import { closedError } from '../../src/core/bulk/gate';
import { recordedDecision } from '../../src/core/bulk/repetitions';
import { isClosed } from '../../src/core/bulk/transitions';
import { errorsPage, itemsPage, statusOf, turnOf } from '../../src/core/bulk/view';
import { attest, read, record } from '../shared/decision-record';
import { toFailure } from '../shared/failures';
import {
  cancelSignal,
  cancelUpdate,
  errorsQuery,
  guardQuery,
  itemsQuery,
  progressQuery,
  statusQuery,
} from '../shared/messages';
import { recordInvalid, registerContinue } from './continue-handlers';
import { registerPersonsUpdates } from './person-handlers';
import { requestClose, type RunningOperation } from './running-operation';

export function registerHandlers(operation: RunningOperation): void {
  registerQueries(operation);
  registerContinue(operation);
  registerCancel(operation);
  registerPersonsUpdates(operation);
}

function registerQueries(operation: RunningOperation): void {
  setHandler(statusQuery, () => statusOf(operation.state), { description: 'Where the operation stands' });
  setHandler(errorsQuery, (page) => errorsPage(operation.state, read(pageRequestSchema, page ?? {})), {
    description: 'The failed items, a page at a time: {"offset": 0, "limit": 100}',
  });
  setHandler(itemsQuery, (page) => itemsPage(operation.state, read(itemsRequestSchema, page ?? {})), {
    description: 'Each planned item and its outcome, a page at a time',
  });
  setHandler(guardQuery, () => bulkGuard(operation.state, { items: true }), {
    description: 'Whether it may be called complete, and what is missing',
  });
  setHandler(progressQuery, () => bulkContract(operation.state), { description: 'The progress contract' });
}

/** Requests the end; the first request applies. */
export function askCancel(
  operation: RunningOperation,
  request: CancelRequest,
  via: Confirmation['via'],
): void {
  if (operation.closing || isClosed(operation.state.state)) return;
  const assurance = via === 'update' ? attest(operation, 'cancel', request) : undefined;
  record(operation, 'cancel', 'accepted', { by: request.by, note: request.reason }, { via, assurance });
  requestClose(operation, { to: 'cancelled' });
}

function registerCancel(operation: RunningOperation): void {
  setHandler(
    cancelUpdate,
    async (given) => {
      const first = operation.closing === undefined;
      const over = () => isClosed(operation.state.state);
      askCancel(operation, given ?? {}, 'update');
      await (first ? operation.until(over) : operation.untilOrBusy(over));
      return turnOf(operation.state);
    },
    {
      validator: (given?: CancelRequest | null) => {
        const { by } = read(cancelRequestSchema, given ?? {});
        const { state } = operation;
        if (!isClosed(state.state)) return;
        const isRepeated = state.state === 'cancelled' && recordedDecision(state, 'cancel', by);
        if (!isRepeated) throw toFailure(closedError(state));
      },
      description: 'Stop at the next item boundary and count what was done',
    },
  );
  setHandler(
    cancelSignal,
    (given) => {
      if (isUnreadable(given)) return recordInvalid(operation, 'cancel', given);
      // A cancel with a mistake in it still cancels: stopping is safe.
      const request = cancelRequestSchema.safeParse(given ?? {});
      askCancel(operation, request.success ? request.data : {}, 'signal');
    },
    { description: 'Stop at the next item boundary' },
  );
}

import { defineQuery, defineUpdate, setHandler } from '@temporalio/workflow';
import {
  assistantMessageSchema,
  stopRequestSchema,
  type AssistantMessage,
  type AssistantStatus,
  type StopRequest,
} from '../../src/contract/assistant';
import { QUERIES, UPDATES } from '../../src/contract/messages';
import { receive, statusOf, stopTurn } from '../../src/core/assistant/session';
import { read } from '../shared/decision-record';
import { refusing, toFailure } from '../shared/failures';
import { waitFor } from '../shared/settle';
import type { Running } from './running';

const messageUpdate = defineUpdate<{ turn: number }, [AssistantMessage]>(UPDATES.message);
const stopUpdate = defineUpdate<AssistantStatus, [(StopRequest | null)?]>(UPDATES.stop);
const statusQuery = defineQuery<AssistantStatus>(QUERIES.get);
const startedQuery = defineQuery<boolean, [{ operation_id: string }]>(QUERIES.started);

export function registerHandlers(running: Running): void {
  setHandler(
    messageUpdate,
    async (message) => {
      if (!running.admitted) await waitFor(() => running.admitted);
      refuseOver(running);
      const { session, turn } = refusing(() => receive(running.session, message, Date.now()));
      running.session = session;
      return { turn };
    },
    {
      validator: (message) => {
        read(assistantMessageSchema, message);
      },
      description: 'Says something to the assistant: {"text": "…"}; answers the number of its turn',
    },
  );
  setHandler(
    stopUpdate,
    (request?: StopRequest | null) => {
      running.session = stopTurn(running.session, request?.turn, Date.now());
      if (running.session.stopped !== undefined) running.scope?.cancel();
      return statusOf(running.session);
    },
    {
      validator: (request?: StopRequest | null) => {
        read(stopRequestSchema, request ?? {});
      },
      description: 'Stops the turn; operations that it started go on',
    },
  );
  setHandler(statusQuery, () => statusOf(running.session), {
    description: 'The latest turns with their answers, what it waits for, and what is left of its limits',
  });
  setHandler(startedQuery, ({ operation_id }) => running.session.operations.includes(operation_id), {
    description: 'Whether it started this bulk operation; asked when the operation is admitted',
  });
}

function refuseOver({ session, cancelled }: Running): void {
  const { state, error } = session;
  if (state === 'rejected' && error) throw toFailure(error);
  if (state !== 'cleared' && state !== 'cancelled' && !cancelled) return;
  throw toFailure({
    code: 'OPERATION_CLOSED',
    message: 'This assistant has ended.',
    hint: 'Send the message again; it starts a new one.',
  });
}

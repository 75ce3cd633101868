import type { Client } from '@temporalio/client';
import { defaultDataConverter, defaultPayloadConverter, msNumberToTs } from '@temporalio/common';
import { cancelDeliveries, listDeliveries, moveDeliveries, retryDeliveries } from '../../src/client/webhooks';
import type { DeliveriesAnswer } from '../../src/contract/webhooks';

/** More deliveries than a list has. Each has one message that waits. */
const MANY = 150;
const long = { toNumber: () => 1 };
const executions = Array.from({ length: MANY }, (_, at) => ({
  type: { name: 'webhookDelivery' },
  execution: { workflowId: `webhook-bulk-${at}-chat-run`, runId: `${at}` },
  status: 1,
  ...{ historyLength: long, stateTransitionCount: long, startTime: msNumberToTs(0) },
  memo: {
    fields: {
      webhook: defaultPayloadConverter.toPayload({ target: 'chat', operation_id: `bulk-${at}` }),
    },
  },
}));

/** A client of a server that has these deliveries. Notes the calls that change something. */
function clientWithMany() {
  const calls = { signals: 0, starts: 0 };
  const waiting = [{ id: '1', type: 'completed', at: '', state: 'waiting' }];
  const answer = (operation_id: string) =>
    ({
      ...{ deliveries: waiting, failed: [] },
      rest: { operation: { operation_id, run_id: 'run' } },
    }) as unknown as DeliveriesAnswer;
  const handleOf = (id: string) => ({
    query: () => Promise.resolve(answer(id)),
    result: () => Promise.resolve(answer(id)),
    signal: () => Promise.resolve(calls.signals++),
    describe: () => Promise.resolve({ status: { name: 'RUNNING' }, raw: {} }),
  });
  const client = {
    options: { namespace: 'default', identity: 'test', loadedDataConverter: defaultDataConverter },
    connection: { workflowService: { listWorkflowExecutions: () => Promise.resolve({ executions }) } },
    workflow: { getHandle: handleOf, start: () => Promise.resolve(calls.starts++) },
    withDeadline: (_: number, work: () => unknown) => work(),
  } as unknown as Client;
  return { client, calls };
}

describe('more deliveries than a list has', () => {
  it('are all sent again', async () => {
    const { client, calls } = clientWithMany();
    expect(await retryDeliveries(client)).toBe(MANY);
    expect(calls).toEqual({ signals: MANY, starts: 0 });
  });

  it('are all given up', async () => {
    const { client, calls } = clientWithMany();
    expect(await cancelDeliveries(client, { target: 'chat' })).toBe(MANY);
    expect(calls).toEqual({ signals: MANY, starts: 0 });
  });

  it('are all moved to another receiver', async () => {
    const { client, calls } = clientWithMany();
    expect(await moveDeliveries(client, { target: 'chat', to: 'mail' })).toBe(MANY);
    expect(calls).toEqual({ signals: MANY, starts: MANY });
  });

  it('are not all listed', async () => {
    expect(await listDeliveries(clientWithMany().client)).toHaveLength(100);
  });
});

import type { Client } from '@temporalio/client';
import { SIGNALS, TASK_QUEUE, UPDATES } from '../../src/contract/messages';
import { sentinelId } from '../../src/contract/sentinel';
import type { HostileMessage } from './plan';

/** The message of a client with a codec that the workers do not have. */
const UNDECODABLE = {
  payloads: [{ metadata: { encoding: Buffer.from('binary/encrypted') }, data: Buffer.from('{"batch":1}') }],
};
/** Five of them are just below the server's limit for one message, and a refusal must not repeat them. */
const LONG_ID = 'x'.repeat(380_000);
const ANSWER_MS = 3_000;

/** Sends messages that no client of ours would send. It ignores answers: the effect on the operations is judged. */
export async function sendHostile(
  { connection, workflowService, options: { namespace } }: Client,
  message: HostileMessage,
  operationId: string,
): Promise<void> {
  const signal = (workflowId: string, signalName: string, input: object) =>
    workflowService.signalWorkflowExecution({
      ...{ namespace, signalName, input },
      workflowExecution: { workflowId },
    });
  const exclude = Array.from({ length: 5 }, (_, at) => ({ id: `${at}${LONG_ID}` }));
  const oversized = {
    payloads: [
      {
        metadata: { encoding: Buffer.from('json/plain') },
        data: Buffer.from(JSON.stringify({ exclude })),
      },
    ],
  };
  const sending = {
    'undecodable signal': () => signal(operationId, SIGNALS.continue, UNDECODABLE),
    'undecodable touch': () => signal(sentinelId(TASK_QUEUE), SIGNALS.touch, UNDECODABLE),
    'oversized signal': () => signal(operationId, SIGNALS.continue, oversized),
    'undecodable update': () =>
      workflowService.updateWorkflowExecution({
        namespace,
        workflowExecution: { workflowId: operationId },
        request: { input: { name: UPDATES.continue, args: UNDECODABLE } },
      }),
  }[message];
  // The message may be refused, or its operation may have ended.
  await connection.withDeadline(Date.now() + ANSWER_MS, sending).catch(() => undefined);
}

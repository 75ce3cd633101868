import { WithStartWorkflowOperation, type Client } from '@temporalio/client';
import { BatchgateError, type ErrorBody, type ErrorCode } from '../contract/errors';
import { UPDATES } from '../contract/messages';
import { digestOf } from '../core/canonical';
import { call } from './calls';

/** How long a worker may take to pick it up, and to come to its first answer. */
const PICKED_UP_MS = 15_000;
const PREPARING_MS = 240_000;

export interface Start {
  type: string;
  workflowId: string;
  taskQueue: string;
  input: object;
  memo?: Record<string, unknown>;
  staticSummary?: string;
}

/**
 * Starts a workflow that answers `ready`, and answers its status. The same input under the same id again finds the one
 * that is there, also after its end; only where that one found no place among the active jobs, it is started anew.
 * @throws BatchgateError with the refusal's code; `IDEMPOTENCY_CONFLICT` when the id belongs to another request.
 */
export async function startOnce<S extends { state: string; error?: ErrorBody }>(
  client: Client,
  start: Start,
  statusOf: () => Promise<S>,
): Promise<S> {
  const found = await begin(client, start, 'REJECT_DUPLICATE');
  await refuseOtherRequest(client, start);
  let status = await statusOf();
  if (found === 'ended' && foundNoPlace(status.error)) {
    await begin(client, start, 'ALLOW_DUPLICATE');
    status = await statusOf();
  }
  const { error } = status;
  if (status.state !== 'rejected' || !error) return status;
  throw new BatchgateError(error.code, error.message, error.hint, {
    ...(typeof error.details === 'object' ? error.details : {}),
    operation_id: start.workflowId,
  });
}

/** `ended`: the id was used before. */
async function begin(
  client: Client,
  { type, input, memo, ...start }: Start,
  reuse: 'REJECT_DUPLICATE' | 'ALLOW_DUPLICATE',
): Promise<'started' | 'ended'> {
  const startWorkflowOperation = new WithStartWorkflowOperation(type, {
    ...start,
    args: [input],
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: reuse,
    memo: { ...memo, input_digest: digestOf(input) },
  });
  const ready = { startWorkflowOperation, waitForStage: 'ACCEPTED' as const };
  try {
    const accepted = await call(
      client,
      () => client.workflow.startUpdateWithStart(UPDATES.ready, ready),
      PICKED_UP_MS,
    );
    await call(client, () => accepted.result(), PREPARING_MS);
    return 'started';
  } catch (error) {
    if (!(error instanceof BatchgateError) || error.code === 'TEMPORAL_UNAVAILABLE') throw error;
    const there = await describe(client, start.workflowId).catch(() => undefined);
    if (there?.type !== type) throw error;
    return 'ended';
  }
}

const NO_PLACE: readonly (ErrorCode | undefined)[] = [
  'JOB_LIMIT_REACHED',
  'SESSION_LOCKED',
  'TEMPORAL_UNAVAILABLE',
];

/** It was refused only because others were there, or nobody answered: the same request may find a place now. */
export function foundNoPlace(error: ErrorBody | undefined): boolean {
  return NO_PLACE.includes(error?.code);
}

async function refuseOtherRequest(client: Client, { workflowId, type, input }: Start): Promise<void> {
  const there = await describe(client, workflowId);
  if (there.type === type && there.memo?.['input_digest'] === digestOf(input)) return;
  throw new BatchgateError(
    'IDEMPOTENCY_CONFLICT',
    `The id ${workflowId} belongs to another request.`,
    'Choose another id, or send the same request again to find the one that is there.',
  );
}

const describe = (client: Client, workflowId: string) =>
  call(client, () => client.workflow.getHandle(workflowId).describe());

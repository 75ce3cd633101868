import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { getBulkStatus, glanceAt, watchOperation } from '../../client';
import type { BulkStatus } from '../../contract/operation';
import type { Call } from '../context';
import { patienceOf, type Progress } from '../progress';

/**
 * Reads the operation until `isOver` is true, for no longer than the host is known to wait, and returns the last
 * status. The end of a wait, whatever its reason, leaves the operation unchanged: a host that cancels a call is not a
 * person who cancels the operation.
 */
export async function waitFor(
  call: Call,
  operationId: string,
  isOver: (status: BulkStatus) => boolean | Promise<boolean>,
): Promise<BulkStatus> {
  const { client } = call;
  const { progress, signal: patience } = patienceOf(call);
  const stop = new AbortController();
  const signal = AbortSignal.any([patience, stop.signal]);
  const telling = progress ? tell(client, operationId, progress, signal) : undefined;
  try {
    return await look(client, operationId, isOver, signal);
  } finally {
    stop.abort();
    await telling;
  }
}

async function look(
  client: Client,
  operationId: string,
  isOver: (status: BulkStatus) => boolean | Promise<boolean>,
  outer: AbortSignal,
): Promise<BulkStatus> {
  const done = new AbortController();
  const signal = AbortSignal.any([outer, done.signal]);
  const last: { status?: BulkStatus } = {};
  const check = async () => {
    const status = await getBulkStatus(client, operationId);
    if (!(await isOver(status))) return;
    last.status = status;
    done.abort();
  };
  await check();
  await Promise.all([
    checkAtChanges(client, operationId, check, signal),
    checkNowAndThen(client, operationId, check, signal),
  ]);
  return last.status ?? getBulkStatus(client, operationId);
}

/** Checks at every change of state. */
async function checkAtChanges(
  client: Client,
  operationId: string,
  check: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return;
  let caughtUp = false;
  for await (const event of watchOperation(client, operationId, signal)) {
    caughtUp ||= event === 'caught_up';
    if (caughtUp) await check();
    if (signal.aborted) return;
  }
}

const LOOK_EVERY_MS = 1_000;

/** Checks at every new revision, because some decisions, for example about a deadline, do not change the state. */
async function checkNowAndThen(
  client: Client,
  operationId: string,
  check: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  let last: string | undefined;
  while (!signal.aborted) {
    const { revision } = await glanceAt(client, operationId);
    if (last !== undefined && revision !== last) await check();
    last = revision;
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** Reports the batch's progress, and that a person must still answer, so that the host does not give up. */
async function tell(
  client: Client,
  operationId: string,
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const glance = await glanceAt(client, operationId).catch(() => undefined);
    const ran = glance?.progress;
    if (signal.aborted) return;
    await progress.tell(
      ran ? `The batch runs: ${ran.done} of ${ran.total} items.` : 'Waiting for the decision of a person.',
    );
    await progress.pause(signal);
  }
}

import type { Command } from 'commander';
import type { Client } from '@temporalio/client';
import { BatchgateError } from '../contract/errors';
import { findRuntime } from '../host/runtime-file';
import { connectionOptions } from '../host/temporal/connection';
import { io, readConfig } from './io';
import { note } from './output';
import { verb } from './verb';
import { getJobs } from '../client';
import { oneLine } from '../core/shared/plain-text';

/** The worker's parts are loaded only where they run: the other verbs start in a moment. */
export function addRunVerbs(program: Command): void {
  verb(program, 'up', 'the whole product on this machine: server, worker, local mailbox; stays', async () => {
    const asked = interruption();
    keepPrivate();
    const { startStack } = await import('../worker/stack.js');
    const config = readConfig();
    const stack = await startStack(config, note);
    await tellInterrupted(stack);
    note('batchgate is up. Ctrl-C stops it; everything it knows is kept.');
    await untilEnded(asked, stack);
  });

  verb(program, 'worker', 'only the worker, against the configured Temporal server; stays', async () => {
    const asked = interruption();
    keepPrivate();
    const { startWorker } = await import('../worker/run-worker.js');
    const config = readConfig();
    const configured = connectionOptions(config.env);
    const runtime = configured.address === undefined ? await findRuntime(config.dataDir) : undefined;
    const address = configured.address ?? runtime?.temporal_address;
    if (address === undefined) {
      throw new BatchgateError(
        'TEMPORAL_UNAVAILABLE',
        'A worker needs a Temporal server, and none is configured.',
        'Set TEMPORAL_ADDRESS, or run `npx batchgate up`, which starts one with a worker.',
      );
    }
    const target = { address, options: configured.options };
    const worker = await startWorker(config, target, configured.namespace, runtime?.mailbox_url);
    note(`The worker serves ${address}. Ctrl-C stops it.`);
    await untilEnded(asked, worker);
  });
}

/** Stays until it is asked to stop, or what runs has ended. Why it ended counts for more than trouble in stopping. */
async function untilEnded(
  asked: Promise<void>,
  running: { ended: Promise<unknown>; stop(): Promise<unknown> },
): Promise<void> {
  try {
    await Promise.race([asked, running.ended]);
  } catch (error) {
    await running.stop().catch(() => undefined);
    throw error;
  }
  await running.stop();
}

/** What this process and its servers write is for this user alone. */
export function keepPrivate(): void {
  process.umask(0o077);
}

/** Resolves at the first Ctrl-C or termination; a second one ends the process at once. */
export function interruption(): Promise<void> {
  return new Promise((resolve) => {
    io().onInterrupt(() => {
      note('Stopping; a second Ctrl-C stops at once.');
      resolve();
    });
  });
}

const SHOWN = 10;
const KINDS = { bulk_operation: 'operation', macro: 'macro run', task_run: 'task run' } as const;

/** Names the jobs that are still live from before, so that a person finds them without knowing their ids. */
async function tellInterrupted({ client, taskQueue }: { client: Client; taskQueue: string }): Promise<void> {
  const jobs = await getJobs(client, taskQueue).catch(() => undefined);
  if (jobs === undefined) {
    note('Whether jobs were interrupted is not known yet; `npx batchgate resume` shows them.');
    return;
  }
  if (jobs.length === 0) return;
  note(`${jobs.length} job(s) of before are live; \`npx batchgate resume\` shows each with its question:`);
  for (const { job_id, kind, session_id, admitted_at } of jobs.slice(0, SHOWN)) {
    const where = session_id === undefined ? '' : `, session ${oneLine(session_id)}`;
    note(`  ${KINDS[kind]} ${oneLine(job_id)}${where}, since ${admitted_at}`);
  }
  if (jobs.length > SHOWN) note(`  and ${jobs.length - SHOWN} more`);
}

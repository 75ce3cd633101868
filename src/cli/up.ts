import type { Command } from 'commander';
import type { Client } from '@temporalio/client';
import type { RunningApi } from '../api/server';
import { findServer } from './connect';
import { readConfig } from './io';
import { note } from './output';
import { serveStack } from './serve';
import { interruption, keepPrivate, untilEnded } from './staying';
import { verb } from './verb';
import { getJob, getJobs, looseTaskRuns } from '../client';
import type { Job } from '../contract/sentinel';
import { restorationLines } from './chat/restoration';
import { oneLine } from '../core/shared/plain-text';

/** The worker's parts are loaded only where they run, so that the other verbs start fast. */
export function addRunVerbs(program: Command): void {
  verb(program, 'up', 'the whole product on this machine: server, worker, local mailbox; stays', async () => {
    const interrupt = interruption();
    keepPrivate();
    const { startStack } = await import('../worker/stack.js');
    const config = readConfig();
    const stack = await startStack(config, note);
    const http = await serveStack(config, stack);
    await tellInterrupted(stack);
    note('batchgate is up. Ctrl-C stops it; its data is kept.');
    await untilEnded(interrupt, { ...stack, stop: () => stopBoth(http, stack) });
  });

  verb(program, 'worker', 'only the worker, against the configured Temporal server; stays', async () => {
    const interrupt = interruption();
    keepPrivate();
    const { startConfiguredWorker } = await import('../worker/run-worker.js');
    const { refusePolicies } = await import('../host/policies.js');
    const config = readConfig();
    refusePolicies(config, false);
    const { target, configured, runtime } = await findServer(
      config,
      'No Temporal server is configured, and a worker needs one.',
      'Set TEMPORAL_ADDRESS, or run `npx batchgate up`, which starts one with a worker.',
    );
    const worker = await startConfiguredWorker(config, target, configured.namespace, runtime?.mailbox_url);
    note(`The worker serves ${target.address}. Ctrl-C stops it.`);
    await untilEnded(interrupt, worker);
  });
}

async function stopBoth(http: RunningApi | undefined, stack: { stop(): Promise<void> }): Promise<void> {
  await http?.close();
  await stack.stop();
}

const SHOWN = 10;
const KINDS = {
  bulk_operation: 'operation',
  macro: 'macro run',
  task_run: 'task run',
  assistant: 'assistant',
} as const;

/** Lists the live jobs of earlier runs, so that a person finds them without knowing their ids. */
async function tellInterrupted({ client, taskQueue }: { client: Client; taskQueue: string }): Promise<void> {
  const jobs = await liveJobs(client, taskQueue).catch(() => undefined);
  if (jobs === undefined) {
    note('Interrupted jobs could not be listed yet; `npx batchgate resume` shows them.');
    return;
  }
  if (jobs.length === 0) return;
  note(`${jobs.length} job(s) from before are live; \`npx batchgate resume\` shows each with its question:`);
  for (const { job_id, kind, session_id, admitted_at } of jobs.slice(0, SHOWN)) {
    const where = session_id === undefined ? '' : `, session ${oneLine(session_id)}`;
    note(`  ${KINDS[kind]} ${oneLine(job_id)}${where}, since ${admitted_at}`);
    if (kind === 'assistant') (await stoodAt(client, job_id)).forEach((line) => note(`    ${line}`));
  }
  if (jobs.length > SHOWN) note(`  and ${jobs.length - SHOWN} more`);
}

async function liveJobs(
  client: Client,
  taskQueue: string,
): Promise<Pick<Job, 'job_id' | 'kind' | 'session_id' | 'admitted_at'>[]> {
  const loose = (await looseTaskRuns(client, taskQueue)).map(({ task_run_id, created_at }) => ({
    ...{ job_id: task_run_id, kind: 'task_run' as const, admitted_at: created_at },
  }));
  return [...(await getJobs(client, taskQueue)), ...loose];
}

/** The latest messages and actions of an assistant's session, and its questions; empty while no worker answers. */
async function stoodAt(client: Client, jobId: string): Promise<string[]> {
  const job = await getJob(client, jobId).catch(() => undefined);
  return job?.kind === 'assistant' ? restorationLines(job.status, job.open).slice(1) : [];
}

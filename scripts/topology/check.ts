import { setTimeout as pause } from 'node:timers/promises';
import { Client, type WorkflowHandle } from '@temporalio/client';
import { defaultPayloadConverter, fromPayloadsAtIndex } from '@temporalio/common';
import type { RunBatchInput } from '../../src/contract/activities';
import type { BulkStatus } from '../../src/contract/operation';
import { NEWSLETTER_SENDER } from '../../src/host/local-google/record';
import { NEWSLETTER_COUNT } from '../../dev/google/seed';
import { connectClient } from '../../src/host/temporal/connection';
import { runToEnd, type Part } from './process';
import { BATCHGATE, NAMESPACE, type Topology } from './stack';

const OPERATION = 'topology-check';
const LABEL = 'Checked';
/** The batch during which a worker is killed. */
const KILLED_IN = 3;
const STARTED_MS = 30_000;

/**
 * Runs one operation with the command line, batch by batch. During one batch, kills the worker that runs it; the other
 * worker finishes. Throws if anything is wrong.
 */
export async function check(topology: Topology, say: (line: string) => void): Promise<void> {
  const connection = await connectClient({ address: topology.temporal.address });
  try {
    const handle = new Client({ connection, namespace: NAMESPACE }).workflow.getHandle(OPERATION);
    const params = { sender: NEWSLETTER_SENDER, label_name: LABEL, create_label: true };
    const start = ['start', '--domain', 'gmail', '--action', 'label', '--id', OPERATION];
    let status = await verb<BulkStatus>(topology, ...start, '--params', JSON.stringify(params));
    say(status.message);
    let killed: Part | undefined;
    // Each round confirms one question; the kill may cost one round more, and further rounds are a defect.
    for (let round = 0; status.needs_confirmation && round < 7; round += 1) {
      if (status.next_batch?.number === KILLED_IN && !killed) {
        killed = await killInTheMiddle(topology, handle, say);
        status = await verb(topology, 'status', OPERATION);
      } else {
        status = await verb(topology, ...confirming(status));
      }
      say(status.message);
    }
    const ran = await whoRan(handle, topology.workers);
    ran.forEach(({ batch, attempt, worker }) => say(`batch ${batch}, attempt ${attempt}: ${worker}`));
    const survivors = topology.workers.filter((worker) => worker !== killed).map(({ name }) => name);
    expect(killed !== undefined, 'no worker was killed');
    expect(status.state === 'completed', `the operation is ${status.state}, not completed`);
    expect(status.succeeded === NEWSLETTER_COUNT, `${status.succeeded} of ${NEWSLETTER_COUNT} succeeded`);
    expect(
      ran.some(({ batch, worker }) => batch === KILLED_IN && worker === killed?.name),
      `the killed worker did not have batch ${KILLED_IN}`,
    );
    expect(
      ran.filter(({ batch }) => batch > KILLED_IN).every(({ worker }) => survivors.includes(worker)),
      'a dead worker ran a batch',
    );
    await checkReport(topology);
    await checkMailbox(topology.mailbox.url);
    await checkList(topology);
    await checkUi(topology.ui.url);
    say(`${NEWSLETTER_COUNT} of ${NEWSLETTER_COUNT}, and a report of ${NEWSLETTER_COUNT} rows.`);
  } finally {
    await connection.close();
  }
}

/** Kills the worker of a batch. The mailbox is suspended, so that the batch cannot end before. */
async function killInTheMiddle(topology: Topology, handle: WorkflowHandle, say: (line: string) => void) {
  process.kill(topology.mailbox.pid, 'SIGSTOP');
  const confirmed = verb(topology, 'continue', OPERATION, '--batch', String(KILLED_IN)).catch(
    (error: unknown) => error,
  );
  try {
    const identity = await untilStarted(handle);
    const worker = topology.workers.find(({ pid }) => identity.startsWith(`${pid}@`));
    if (!worker) throw new Error(`batch ${KILLED_IN} runs on ${identity}, which is none of ours`);
    await worker.kill();
    say(`killed ${worker.name} in the middle of batch ${KILLED_IN}`);
    return worker;
  } finally {
    process.kill(topology.mailbox.pid, 'SIGCONT');
    await confirmed;
  }
}

/** The arguments that confirm exactly this question: the batch alone would name its first attempt. */
function confirming({ next_batch: gate }: BulkStatus): string[] {
  if (!gate) throw new Error('no question is open');
  const which = ['--batch', String(gate.number), '--attempt', String(gate.attempt), '--digest', gate.digest];
  return ['continue', OPERATION, ...which];
}

async function untilStarted(handle: WorkflowHandle): Promise<string> {
  const deadline = Date.now() + STARTED_MS;
  while (Date.now() < deadline) {
    const { raw } = await handle.describe();
    const running = raw.pendingActivities?.find(({ activityType }) => activityType?.name === 'runBatch');
    if (running?.lastWorkerIdentity) return running.lastWorkerIdentity;
    await pause(50);
  }
  throw new Error(`batch ${KILLED_IN} did not start`);
}

interface Ran {
  batch: number;
  attempt: number;
  worker: string;
}

/** The worker of each batch, from the history. */
async function whoRan(handle: WorkflowHandle, workers: readonly Part[]): Promise<Ran[]> {
  const { events } = await handle.fetchHistory();
  const inputs = new Map<string, RunBatchInput>();
  const ran: Ran[] = [];
  for (const { eventId, ...event } of events ?? []) {
    const scheduled = event.activityTaskScheduledEventAttributes;
    const started = event.activityTaskStartedEventAttributes;
    if (scheduled?.activityType?.name === 'runBatch') {
      inputs.set(
        String(eventId),
        fromPayloadsAtIndex(defaultPayloadConverter, 0, scheduled.input?.payloads ?? []),
      );
    }
    const input = inputs.get(String(started?.scheduledEventId));
    if (!started || !input) continue;
    const identity = started.identity ?? '';
    const worker = workers.find(({ pid }) => identity.startsWith(`${pid}@`))?.name ?? identity;
    ran.push({ batch: input.batch, attempt: input.attempt, worker });
  }
  return ran;
}

async function checkReport(topology: Topology): Promise<void> {
  const report = await command(topology, 'report', OPERATION, '--format', 'jsonl');
  const rows = report
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string; outcome: string });
  const ids = new Set(rows.map(({ id }) => id));
  expect(
    rows.length === NEWSLETTER_COUNT && ids.size === NEWSLETTER_COUNT,
    `the report has ${rows.length} rows`,
  );
  const other = rows.filter(({ outcome }) => outcome !== 'succeeded');
  expect(other.length === 0, `${other.length} rows of the report are not succeeded`);
}

/** Checks the account's own data, independent of batchgate's report. */
async function checkMailbox(url: string): Promise<void> {
  const get = async <T>(path: string): Promise<T> => {
    const answer = await fetch(`${url}/gmail/v1/users/me/${path}`, {
      headers: { authorization: 'Bearer check' },
    });
    return (await answer.json()) as T;
  };
  const { labels } = await get<{ labels: { id: string; name: string }[] }>('labels');
  const label = labels.find(({ name }) => name === LABEL)?.id ?? '';
  const { messages = [] } = await get<{ messages?: unknown[] }>(`messages?maxResults=500&labelIds=${label}`);
  expect(messages.length === NEWSLETTER_COUNT, `${messages.length} emails of the mailbox have the label`);
}

/** Repeats the query until it returns the operation, because Visibility lags. */
async function checkList(topology: Topology): Promise<void> {
  const deadline = Date.now() + STARTED_MS;
  for (;;) {
    const listed = await command(topology, 'list', '--state', 'completed');
    if (listed.includes(OPERATION)) return;
    expect(Date.now() < deadline, 'the list of completed operations does not have it');
    await pause(200);
  }
}

/** Checks the page, and the UI's own API, which queries the server. */
async function checkUi(url: string): Promise<void> {
  const page = await fetch(`${url}/namespaces/${NAMESPACE}/workflows`);
  expect((await page.text()).includes('<html'), 'the Temporal UI shows no page');
  const answer = await fetch(`${url}/api/v1/namespaces/${NAMESPACE}/workflows/${OPERATION}`);
  expect((await answer.text()).includes('COMPLETED'), 'the Temporal UI does not know the operation');
}

const verb = async <T>(topology: Topology, ...args: string[]): Promise<T> =>
  JSON.parse(await command(topology, ...args)) as T;

const command = (topology: Topology, ...args: string[]): Promise<string> =>
  runToEnd(process.execPath, [BATCHGATE, ...args, '--json'], topology.env);

function expect(fact: boolean, otherwise: string): void {
  if (!fact) throw new Error(otherwise);
}

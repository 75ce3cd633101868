import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { getBulkStatus, handleMessage, listJobs, startTaskRun } from '../../src/client';
import { runBatchgate } from '../helpers/command-line';
import { serveGrpcProxy, type GrpcProxy } from '../helpers/grpc-proxy-server';
import { countingTool, startHarness, testServer, type Harness } from '../helpers/harness';
import { confirmOpen } from '../helpers/confirm';
import { caughtUp } from '../helpers/look-again';

/** How many requests a decision or a query costs, counted between a client and the Temporal server. */
const calls: string[] = [];
/** The method whose next call the server resets, as at the end of its deadline. */
let reset = '';
const tool = countingTool(10);
let harness: Harness;
let proxy: GrpcProxy;
let client: Client;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'batchgate-calls-'));
  harness = await startHarness({ adapters: [tool.adapter] });
  proxy = await serveGrpcProxy(testServer().address, (method, at) => {
    if (at === 'call') calls.push(method);
    if (at !== 'call' || method !== reset) return undefined;
    reset = '';
    return { method, at, end: 'reset' };
  });
  client = new Client({ connection: await Connection.connect({ address: `127.0.0.1:${proxy.port}` }) });
});
afterAll(async () => {
  await client.connection.close();
  proxy.close();
  await harness.close();
  await rm(folder, { recursive: true, force: true });
});

async function callsOf(work: () => Promise<unknown>): Promise<string[]> {
  calls.length = 0;
  await work();
  return [...calls];
}

const started = async () => {
  const session_id = `calls-${randomUUID()}`;
  const { operation_id: id } = await harness.start({ batch_size: 5, session_id });
  return { id, session_id };
};

describe('a function of the client', () => {
  it('continues in two calls, including the last batch', async () => {
    const { id } = await started();
    for (const processed of [5, 10]) {
      const made = await callsOf(() => confirmOpen(client, id));
      expect(made).toEqual(['QueryWorkflow', 'UpdateWorkflowExecution']);
      expect(await harness.status(id)).toMatchObject({ processed });
    }
  });

  it('takes one turn of conversation in three calls: about a batch, a question, the end', async () => {
    const { session_id } = await started();
    const say = (text: string, message_id: string = randomUUID()) =>
      callsOf(() => handleMessage(client, session_id, text, { task_queue: harness.taskQueue, message_id }));
    const decision = ['ExecuteMultiOperation', 'QueryWorkflow', 'UpdateWorkflowExecution'];
    expect(await say('continue')).toEqual(decision);
    expect(await say('how is it going?')).toEqual(decision.slice(0, 2));
    expect(await say('maybe continue with the items?')).toEqual([
      ...decision.slice(0, 2),
      'SignalWorkflowExecution',
    ]);
    expect(await say('continue', 'last')).toEqual(decision);
    expect((await say('show the errors', 'last')).length).toBeLessThan(4);
    // It also asks whether this message decided.
    expect((await say('continue', 'last')).length).toBeLessThan(5);
  });

  it('reads a status in one call, and after the end in one more for the operation that undid it', async () => {
    const { id } = await started();
    const read = () => callsOf(() => getBulkStatus(client, id));
    expect(await read()).toEqual(['QueryWorkflow']);
    await confirmOpen(client, id);
    await confirmOpen(client, id);
    await client.workflow.getHandle(id).result();
    expect(await read()).toEqual([
      'QueryWorkflow',
      'GetWorkflowExecutionHistory',
      'DescribeWorkflowExecution',
    ]);
  });

  it('asks again if the server resets a question whose time is up before this side notices', async () => {
    const { id } = await started();
    reset = 'QueryWorkflow';
    const made = await callsOf(async () => {
      expect(await getBulkStatus(client, id)).toMatchObject({ state: 'awaiting_confirmation' });
    });
    // In between it asks whether the run is quarantined.
    expect(made).toEqual(['QueryWorkflow', 'DescribeWorkflowExecution', 'QueryWorkflow']);
  });

  it('lists jobs in two calls, the second for quarantined ones, and each progress in one more', async () => {
    await started();
    const { taskQueue: task_queue } = harness;
    const [list, look] = ['ListWorkflowExecutions', 'GetWorkflowExecutionHistoryReverse'];
    await caughtUp(async () => {
      const live = (await listJobs(client, { task_queue, live: true })).length;
      const made = await callsOf(() => listJobs(client, { task_queue }));
      expect(made).toEqual([list, ...Array<string>(live).fill(look), list]);
    });
    expect(await callsOf(() => listJobs(client, { task_queue, progress: false }))).toEqual([list, list]);
  });
});

describe('a verb of the command line', () => {
  const run = (...args: string[]) =>
    callsOf(async () => {
      const env = { TEMPORAL_ADDRESS: `127.0.0.1:${proxy.port}`, BATCHGATE_TASK_QUEUE: harness.taskQueue };
      const { code, stderr } = await runBatchgate(args, { dataDir: folder, env });
      expect({ code, stderr }).toMatchObject({ code: 0 });
    });

  it('costs at most three calls: status, continue, say, and list apart from the progress', async () => {
    const { id } = await started();
    // The first verb of a minute also reports activity.
    expect((await run('status', id)).sort()).toEqual(['QueryWorkflow', 'SignalWorkflowExecution']);
    // A report that took too long is sent again by the next verb.
    await caughtUp(async () => expect(await run('status', id)).toEqual(['QueryWorkflow']));
    expect(await run('continue', id)).toEqual(['QueryWorkflow', 'UpdateWorkflowExecution', 'QueryWorkflow']);
    expect(await run('continue', id)).toEqual([
      'QueryWorkflow',
      'UpdateWorkflowExecution',
      'GetWorkflowExecutionHistory',
    ]);
    expect((await run('status', id)).length).toBeLessThan(4);
    const { id: asked, session_id } = await started();
    const listing = (await run('list', '--session', session_id)).filter(
      (name) => name !== 'GetWorkflowExecutionHistoryReverse',
    );
    expect(listing).toEqual(['ListWorkflowExecutions', 'ListWorkflowExecutions']);
    await run('status', asked);
    expect(await run('say', 'continue', '--session', session_id)).toEqual([
      'ExecuteMultiOperation',
      'QueryWorkflow',
      'UpdateWorkflowExecution',
    ]);
    const task = await startTaskRun(harness.client, { goal: 'count' }, { task_queue: harness.taskQueue });
    expect((await run('status', task.task_run_id)).length).toBeLessThan(4);
  });
});

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { continueBulkOperation, getBulkStatus, handleMessage } from '../../../src/client';
import { BatchgateError } from '../../../src/contract/errors';
import type { BulkStatus, BulkTurn } from '../../../src/contract/operation';
import { runBatchgate } from '../../../test/helpers/command-line';
import type { Harness } from '../../../test/helpers/harness';
import type { HttpApi } from '../../../test/helpers/http-api';
import { agent, connectAgent, mcpContext, type Connected } from '../../../test/helpers/mcp';

/** What a sender learned about a decision: the batch that ran, or the code of the refusal. */
export type Answer = { ran: number } | { refused: string };

/** One decision, however often it is sent. */
export interface Decision {
  /** Names the decision in the operation's record. */
  by: string;
  id: string;
  shown: { batch: number; attempt: number; digest: string };
}

export interface Stage {
  harness: Harness;
  http: HttpApi;
  folder: string;
  /** An agent whose operator trusts its messages. */
  mcp: Connected;
}

/** One way to look at the open question, and to confirm it. */
export interface Door {
  name: string;
  look(): Promise<BulkStatus>;
  /** `lost` aborts the wait for the answer. */
  confirm(decision: Decision, lost: AbortSignal): Promise<Answer>;
  /** A confirmation names nothing: the question must have been open for two seconds. */
  waits?: true;
  /** It names neither question nor sender memory, so a repetition counts as a new one after two seconds. */
  forgets?: true;
  /** The record names the caller, and not the decision. */
  oneCaller?: true;
}

/** The doors of one sender in one operation. */
export async function doorsOf({ harness, http, folder, mcp }: Stage, id: string): Promise<Door[]> {
  const { client, taskQueue: task_queue } = harness;
  const session = `mcp.runner.${id}`;
  const key = await http.key('approver');
  const path = `/v1/operations/${id}`;
  const dataDir = join(folder, randomUUID());
  const handle = client.workflow.getHandle(id);
  const look = () => getBulkStatus(client, id);
  const turn = async (work: Promise<Pick<BulkTurn, 'last_batch'>>): Promise<Answer> => {
    try {
      return ranIn(await work);
    } catch (error) {
      if (error instanceof BatchgateError && error.code !== 'TEMPORAL_UNAVAILABLE')
        return { refused: error.code };
      throw error;
    }
  };
  const web = async (to: string, body: object, lost: AbortSignal, headers: Record<string, string> = {}) => {
    const response = await fetch(`${http.url}${to}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: lost,
    });
    return (await response.json()) as {
      code?: string;
      error?: { code: string };
      status?: BulkTurn;
    } & BulkTurn;
  };
  const webAnswer = async (answer: ReturnType<typeof web>): Promise<Answer> => {
    const body = await answer;
    const refused = body.code ?? body.error?.code;
    return refused === undefined ? ranIn(body.status ?? body) : { refused };
  };
  const webLook = async () => (await http.ask('GET', path, { key })).body as BulkStatus;
  const say = (body: object, lost: AbortSignal) =>
    webAnswer(web(`/v1/sessions/${session}/messages`, { text: 'yes', ...body }, lost));
  const recorded = async ({ by }: Decision): Promise<Answer> => {
    for (;;) {
      const { confirmations, state } = await look();
      const own = confirmations.filter((one) => one.by === by);
      const accepted = own.find(({ outcome }) => outcome === 'accepted');
      if (accepted && state !== 'running_batch') return { ran: accepted.batch };
      const [refused] = own;
      if (!accepted && refused) return { refused: refused.outcome };
      await pause(50);
    }
  };
  const signal = async (decision: Decision, request: object): Promise<Answer> => {
    try {
      await handle.signal('continue', { by: decision.by, ...request });
    } catch {
      return { refused: 'OPERATION_CLOSED' };
    }
    return recorded(decision);
  };
  const verb = async (...args: string[]) => {
    const env = {
      TEMPORAL_ADDRESS: process.env['BATCHGATE_TEST_TEMPORAL'] ?? '',
      BATCHGATE_TASK_QUEUE: task_queue,
    };
    const { stdout } = await runBatchgate([...args, '--json'], { dataDir, env });
    return JSON.parse(stdout) as BulkStatus & { error?: { code: string } };
  };
  const call = async (name: string, args: object) =>
    (await mcp.call(name, { operation_id: id, ...args }, { onprogress: () => undefined })).data as {
      decision?: string;
      error?: { code: string };
      status?: BulkStatus;
    } & BulkStatus;
  return [
    {
      name: 'client',
      look,
      confirm: ({ by, shown }) => turn(continueBulkOperation(client, id, { ...shown, by })),
    },
    {
      name: 'client, with an id',
      look,
      confirm: ({ by, shown, id: decision_id }) =>
        turn(continueBulkOperation(client, id, { ...shown, by, decision_id })),
    },
    {
      name: 'client, bare',
      ...{ look, waits: true, forgets: true },
      confirm: ({ by }) => turn(continueBulkOperation(client, id, { by })),
    },
    { name: 'signal', look, confirm: (decision) => signal(decision, decision.shown) },
    {
      name: 'signal, bare',
      ...{ look, waits: true, forgets: true },
      confirm: (decision) => signal(decision, {}),
    },
    {
      name: 'message',
      look,
      confirm: async ({ by, shown }) => {
        const said = await handleMessage(client, session, 'yes', { seen: shown, by, task_queue });
        if (said.error) return { refused: said.error.code };
        return said.status ? ranIn(said.status) : { refused: 'unheard' };
      },
    },
    {
      name: 'HTTP',
      look: webLook,
      confirm: ({ by, shown }, lost) => webAnswer(web(`${path}/continue`, { ...shown, by }, lost)),
    },
    {
      name: 'HTTP, bare',
      ...{ look: webLook, waits: true },
      confirm: ({ by }, lost) => webAnswer(web(`${path}/continue`, { by }, lost)),
    },
    {
      name: 'HTTP, with a key',
      look: webLook,
      confirm: ({ by, id: key }, lost) =>
        webAnswer(web(`${path}/continue`, { by }, lost, { 'idempotency-key': key })),
    },
    { name: 'HTTP message', look: webLook, confirm: ({ by, shown }, lost) => say({ by, seen: shown }, lost) },
    {
      name: 'HTTP message, bare',
      ...{ look: webLook, waits: true, forgets: true },
      confirm: ({ by }, lost) => say({ by }, lost),
    },
    {
      name: 'HTTP message, with an id',
      look: webLook,
      confirm: ({ by, id: message_id }, lost) => say({ by, message_id }, lost),
    },
    {
      name: 'command line',
      look: () => verb('status', id),
      confirm: async ({ by }) => {
        const said = await verb('continue', id, '--by', by);
        return said.error ? { refused: said.error.code } : ranIn(said);
      },
    },
    {
      name: 'MCP',
      ...{ oneCaller: true },
      look: async () => {
        await call('get_bulk_status', {});
        return look();
      },
      confirm: async ({ shown }) => {
        const said = await call('continue_bulk_operation', { batch: shown.batch, person_message: 'yes' });
        return said.decision === 'confirmed'
          ? { ran: shown.batch }
          : { refused: said.decision ?? said.error?.code ?? '' };
      },
    },
  ];
}

const ranIn = ({ last_batch }: Pick<BulkTurn, 'last_batch'>): Answer =>
  last_batch ? { ran: last_batch.number } : { refused: 'nothing ran' };

/** The agent of the runner: its messages count, because its operator trusts it. */
export const connectRunner = (harness: Harness): Promise<Connected> =>
  connectAgent(mcpContext(harness, [...harness.adapters], { confirm: 'message' }), agent('runner'));

import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import {
  answerMacro,
  getMacroTurn,
  recordTaskRun,
  startBulkOperation,
  startMacro,
  startTaskRun,
} from '../../src/client';
import type { Step } from '../../src/contract/macro';
import { isFailure, troublesOf } from './workflow-troubles';
import { itemId } from './worker-process';
import { confirmOpen } from './confirm';

/** Jobs that wait for people, and must not be affected by other jobs. */
export interface Neighbours {
  /** Answers each job once more, as its person. */
  answerAll(): Promise<void>;
  /** Their workflow tasks that failed or timed out, and the failed ones of these heavy workflows. */
  troubles(heavy?: readonly string[]): Promise<string[]>;
}

const OPERATIONS = 8;
const MACROS = 6;
const TASKS = 6;

/** Starts operations of `domain` at their gates, macros that ask a person, and task runs: twenty jobs in all. */
export async function startNeighbours(
  client: Client,
  task_queue: string,
  domain: string,
): Promise<Neighbours> {
  const each = <T>(count: number, start: () => Promise<T>) =>
    Promise.all(Array.from({ length: count }, start));
  const ask: Step = { type: 'ask', of: 'person', prompt: 'Go on?' };
  const round: Step = {
    type: 'loop',
    list: Array.from({ length: 20 }, (_, at) => at),
    iterator: 'i',
    steps: [ask],
  };
  const macro = { name: 'asking', steps: [round] };
  const begin = async () => {
    const operation_id = `beside-${randomUUID()}`;
    const items = Array.from({ length: 100 }, (_, index) => ({
      id: itemId(operation_id, index),
      display_name: `Item ${index + 1}`,
    }));
    await startBulkOperation(
      client,
      { domain, action: 'mark', items, batch_size: 5 },
      { task_queue, operation_id },
    );
    return operation_id;
  };
  const operations = await each(OPERATIONS, begin);
  const macros = await each(MACROS, async () => (await startMacro(client, { macro }, { task_queue })).run_id);
  const tasks = await each(
    TASKS,
    async () => (await startTaskRun(client, { goal: 'count' }, { task_queue })).task_run_id,
  );
  const answered = async (id: string) => {
    const before = await questionOf(client, id);
    await answerMacro(client, id, { answer: 'yes', question: before });
    while ((await questionOf(client, id)) === before);
  };
  return {
    async answerAll() {
      await Promise.all([
        ...operations.map((id) => confirmOpen(client, id, { by: 'ana' })),
        ...macros.map(answered),
        ...tasks.map((id) => recordTaskRun(client, id, { completed: [randomUUID()] })),
      ]);
    },
    async troubles(heavy = []) {
      const own = [...operations, ...macros, ...tasks].map((id) => troublesOf(client, id));
      // On a busy machine a long task may be dispatched twice, which must not affect the other jobs.
      const failed = heavy.map(async (id) => (await troublesOf(client, id)).filter(isFailure));
      return (await Promise.all([...own, ...failed])).flat();
    },
  };
}

const questionOf = async (client: Client, id: string): Promise<number | undefined> =>
  (await getMacroTurn(client, id)).questions?.[0]?.number;

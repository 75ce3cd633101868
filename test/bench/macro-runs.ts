import { performance } from 'node:perf_hooks';
import { awaitMacro, startMacro } from '../../src/client';
import type { Step } from '../../src/contract/macro';
import type { Ground } from './ground';

export const range = (count: number) => Array.from({ length: count }, (_, at) => at);

/** Calls a command `count` times, in sequence or concurrently. */
export const loop = (command: string, count: number, is_async: boolean): Step => ({
  type: 'loop',
  list: range(count),
  iterator: 'id',
  steps: [{ type: 'command', command, args: { id: '{{.id}}' }, is_async }],
});

/** Runs a macro of one step to its end. @throws Error if it does not complete */
export async function runMacro(
  { client }: Ground,
  task_queue: string,
  step: Step,
  database?: string,
): Promise<void> {
  const macro = { name: 'bench', steps: [step] };
  const { run_id } = await startMacro(client, { macro, database }, { task_queue });
  const { state, error } = await awaitMacro(client, run_id);
  if (state !== 'completed') throw new Error(error?.message);
}

export async function timed(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

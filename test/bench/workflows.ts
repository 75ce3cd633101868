import {
  allHandlersFinished,
  condition,
  defineUpdate,
  proxyActivities,
  setHandler,
} from '@temporalio/workflow';

/** The input of the bare activity: a batch, and whether to make two commits like the product. */
export interface BareBatch {
  operation_id: string;
  batch: number;
  ids: string[];
  commits: boolean;
}

export const bareContinueUpdate = defineUpdate<{ done: number }, [{ batch: number }]>('continue');

/** The minimal workflow that asks before each batch: one update, one activity, one answer. */
export async function bareGate(input: { id: string; batches: string[][]; commits: boolean }): Promise<void> {
  const { touch } = proxyActivities<{ touch(batch: BareBatch): Promise<number> }>({
    startToCloseTimeout: '1 minute',
    heartbeatTimeout: '10 seconds',
    retry: { maximumAttempts: 1 },
  });
  const confirmed = new Set<number>();
  let done = 0;
  setHandler(
    bareContinueUpdate,
    async ({ batch }) => {
      confirmed.add(batch);
      await condition(() => done >= batch);
      return { done };
    },
    {
      validator: ({ batch }) => {
        if (batch !== done + 1) throw new Error('nothing waits under this number');
      },
    },
  );
  for (const [at, ids] of input.batches.entries()) {
    const batch = at + 1;
    await condition(() => confirmed.has(batch));
    await touch({ operation_id: input.id, batch, ids, commits: input.commits });
    done = batch;
  }
  await condition(allHandlersFinished);
}

/** The minimal workflow that makes these calls one after the other, written by hand. */
export async function bareCalls(ids: number[]): Promise<number> {
  const { touch } = proxyActivities<{ touch(input: { id: number }): Promise<number> }>({
    startToCloseTimeout: '2 minutes',
    heartbeatTimeout: '10 seconds',
    retry: { maximumAttempts: 1 },
  });
  let last = 0;
  for (const id of ids) last = await touch({ id });
  return last;
}

import type { BatchCall, CallLimits } from '../../src/contract/adapter';
import type { Break } from './broken-adapters';

const asBatch = (call: CallLimits): BatchCall => ({ ...call, operation_id: 'bulk-1', run_id: 'run-1' });

/** Adapters that change something before a person has confirmed a batch. */
export const WRITING_EARLY: readonly [id: string, words: RegExp, Break][] = [
  [
    'writes-nothing-before-a-batch',
    /a request that waits for a person changes something/,
    (good) => ({
      prepare: async (request, call) => {
        const context = await good.prepare(request, call);
        await good.executeBatch(await good.getNextBatch(context, 1, 0, call), context, asBatch(call));
        return context;
      },
    }),
  ],
  [
    'writes-nothing-before-a-batch',
    /a request that finds too many items changes something/,
    (good) => ({
      getTotalCount: async (context, call) => {
        const beyond = await good.getNextBatch(context, 5, 200, call);
        await good.executeBatch(beyond, context, asBatch(call));
        return good.getTotalCount(context, call);
      },
    }),
  ],
];

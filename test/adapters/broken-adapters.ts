import type { BatchCall, BulkAdapter } from '../../src/contract/adapter';
import { BatchgateError } from '../../src/contract/errors';
import type { BulkItem, BulkResult, PreparedBulkContext } from '../../src/contract/items';
import type { ConformanceWorld } from '../../src/testing/conformance';
import { PREVIEWING } from './previewing-adapters';
import { UNDESCRIBED } from './undescribed-adapters';
import { WRITING_EARLY } from './early-adapters';

export type Break = (good: BulkAdapter, world: ConformanceWorld) => Partial<BulkAdapter>;

const limits = () => ({ signal: new AbortController().signal, deadline: Date.now() + 30_000 });

/** Changes each result of the adapter. */
const results =
  (change: (result: BulkResult) => Partial<BulkResult>): Break =>
  (good) => ({
    executeBatch: async (...batch) =>
      (await good.executeBatch(...batch)).map((result) => ({ ...result, ...change(result) })),
  });
const answered = (status: number, change: Partial<BulkResult>) =>
  results(({ error }) => (error?.includes(String(status)) ? change : {}));
const unknownAs = (change: Partial<BulkResult>) =>
  results(({ outcome_unknown }) => (outcome_unknown ? { outcome_unknown: false, ...change } : {}));

/** What an adapter that wrongly keeps state remembers between calls. */
const remembered = new WeakMap<ConformanceWorld, { items: BulkItem[]; context?: PreparedBulkContext }>();
const memoryOf = (world: ConformanceWorld) => {
  const memory = remembered.get(world) ?? { items: [] };
  remembered.set(world, memory);
  return memory;
};

const oneByOne = (good: BulkAdapter, items: readonly BulkItem[], rest: [PreparedBulkContext, BatchCall]) =>
  Promise.all(items.map(async (item) => (await good.executeBatch([item], ...rest))[0]!));

/** Adapters that violate each case of the kit, derived from a correct one, and the error that the case reports. */
export const BROKEN: readonly [id: string, words: RegExp, Break][] = [
  ['describes-itself', /planPageSize must be a positive integer/, () => ({ planPageSize: 0 })],
  ...UNDESCRIBED,
  [
    'refuses-bad-parameters',
    /an unknown parameter is not refused/,
    (good) => ({
      prepare: ({ params, ...request }, call) => {
        const { no_such_parameter: _, ...known } = params;
        return good.prepare({ ...request, params: known }, call);
      },
    }),
  ],
  [
    'resolves-names',
    /the prepared context does not contain the id s1/,
    (good) => ({
      prepare: async (request, call) => {
        const { target_id: _, ...context } = { target_id: undefined, ...(await good.prepare(request, call)) };
        return { ...context, query_params: { shelf_id: request.params['shelf'] } };
      },
    }),
  ],
  [
    'prepares-without-touching',
    /prepare may look up names only/,
    (good) => ({
      prepare: async (request, call) => {
        const context = await good.prepare(request, call);
        if (!request.explicit_items) await good.getTotalCount(context, call);
        return context;
      },
    }),
  ],
  ...WRITING_EARLY,
  [
    'counts-exactly',
    /10 !== 24/,
    (good) => ({
      getTotalCount: async (context, call) => Math.min(10, await good.getTotalCount(context, call)),
    }),
  ],
  [
    'pages-by-size-and-offset',
    /1 items after 0, in the order of the whole/,
    (good) => ({
      getNextBatch: (context, size, offset, call) => good.getNextBatch(context, size + 1, offset, call),
    }),
  ],
  [
    'freezes-items-that-fit',
    /item b001 has no name/,
    (good) => ({
      getNextBatch: async (...page) =>
        (await good.getNextBatch(...page)).map((item) => ({ ...item, display_name: '' })),
    }),
  ],
  // It does not sort: each page comes from a different order.
  [
    'plans-a-changing-search',
    /items that always matched are missing/,
    (good) => {
      let pages = 0;
      return {
        getNextBatch: async (context, size, offset, call) => {
          const all = await good.getNextBatch(context, 1_000, 0, call);
          pages += 1;
          return [...all.slice(pages), ...all.slice(0, pages)].slice(offset, offset + size);
        },
      };
    },
  ],
  [
    'changes-its-items-only',
    /item b004 was changed/,
    (good) => ({
      executeBatch: async (items, context, call) => {
        const all = await good.getNextBatch(context, 50, 0, call);
        await good.executeBatch(all, context, call);
        return items.map(({ id }) => ({ item_id: id, success: true }));
      },
    }),
  ],
  [
    'captures-item-failures',
    /Book not found/,
    (good) => ({
      executeBatch: async (items, context, call) => {
        const done: BulkResult[] = [];
        for (const item of items) {
          const [result] = await good.executeBatch([item], context, call);
          if (!result?.success) throw new Error(result?.error);
          done.push(result);
        }
        return done;
      },
    }),
  ],
  [
    'takes-named-items',
    /item b001 does not have the change/,
    () => ({
      freezeItems: (items) =>
        Promise.resolve(items.map((item) => ({ ...item, raw_data: { missing: 'Not read' } }))),
    }),
  ],
  [
    'bounds-its-concurrency',
    /7 concurrent calls, but the limit is 5/,
    (good) => ({
      executeBatch: (items, ...rest) => oneByOne(good, items, rest),
    }),
  ],
  [
    'stops-between-slices',
    /item b006 was changed/,
    (good, world) => ({
      getNextBatch: async (...page) => {
        const items = await good.getNextBatch(...page);
        memoryOf(world).items.push(...items);
        return items;
      },
      executeBatch: async (items, ...rest) => {
        await good.executeBatch(memoryOf(world).items, ...rest);
        return items.map(({ id }) => ({ item_id: id, success: true }));
      },
    }),
  ],
  ['stops-between-slices', /7 items with one call each/, () => ({ sliceSize: undefined })],
  ['stops-between-slices', /6 items with one call each/, () => ({ sliceSize: 6 })],
  [
    'reconciles-after-a-crash',
    /b003[^]*'not_applied'/,
    () => ({ reconcile: () => Promise.resolve('applied') }),
  ],
  [
    'holds-no-state',
    /item b001 does not have the change/,
    (good, world) => ({
      prepare: async (...request) => (memoryOf(world).context = await good.prepare(...request)),
      executeBatch: (items, context, call) =>
        memoryOf(world).context?.action === context.action
          ? good.executeBatch(items, context, call)
          : Promise.resolve(items.map(({ id }) => ({ item_id: id, success: false, error: 'Not mine' }))),
    }),
  ],
  [
    'respects-other-changes',
    /only the item that changed fails|the error is/,
    (good) => ({
      executeBatch: async (items, context, call) =>
        good.executeBatch((await good.freezeItems?.(items, context, call)) ?? items, context, call),
    }),
  ],
  [
    'respects-other-changes',
    /the error is "Changed since the preview/,
    results(({ changed_since_preview }) => (changed_since_preview ? { changed_since_preview: false } : {})),
  ],
  ...PREVIEWING,
  ['reports-limits', /retryable of "The library answered 429/, answered(429, { retryable: false })],
  ['reports-troubles', /the outcome is known/, answered(503, { outcome_unknown: true })],
  [
    'reports-missing',
    /retryable of "Book not found"/,
    results(({ error }) => (error === 'Book not found' ? { retryable: true } : {})),
  ],
  [
    'distrusts-malformed-answers',
    /b001 was sent, so a plain failure is a guess/,
    results(({ success }) => (success ? { success: false, error: 'Unreadable', retryable: true } : {})),
  ],
  // It reports a success for every answer, whatever the answer contains.
  [
    'distrusts-malformed-answers',
    /b003 is reported as a success, but nothing was changed/,
    results(() => ({ success: true })),
  ],
  ['admits-lost-answers', /b001 was sent, so a plain failure is a guess/, unknownAs({ retryable: false })],
  [
    'tells-the-truth',
    /item b001 was changed/,
    results(() => ({ success: false, error: 'It may have failed', retryable: true })),
  ],
  ['gives-up-in-time', /b001 was sent without an answer/, unknownAs({ success: true })],
  [
    'sends-nothing-too-late',
    /nothing was sent, so a retry is safe/,
    (good) => ({
      executeBatch: (items, context, call) => good.executeBatch(items, context, { ...call, ...limits() }),
    }),
  ],
  [
    'hears-an-abort',
    /the next items were sent after the abort/,
    (good) => ({
      executeBatch: async (items, context, call) => {
        const first = await good.executeBatch(items.slice(0, 5), context, call);
        const rest = { ...call, signal: new AbortController().signal, deadline: Date.now() + 1_000 };
        return [...first, ...(await good.executeBatch(items.slice(5), context, rest))];
      },
    }),
  ],
  // It ignores the signal, and observes only the deadline.
  [
    'hears-an-abort',
    /it goes on after the abort/,
    (good) => ({
      executeBatch: (items, context, call) =>
        good.executeBatch(items, context, { ...call, signal: new AbortController().signal }),
    }),
  ],
  [
    'never-retries',
    /a write that ended with "limited" was sent again/,
    (good) => ({
      executeBatch: async (...batch) => {
        const first = await good.executeBatch(...batch);
        return first.every(({ success }) => success) ? first : good.executeBatch(...batch);
      },
    }),
  ],
  [
    'reads-loudly',
    /list under "limited" is not refused/,
    (good) => ({
      getNextBatch: (...page) => good.getNextBatch(...page).catch(() => []),
    }),
  ],
  [
    'names-refused-credentials',
    /count[^]*'CREDENTIALS_INVALID'/,
    (good) => ({
      getTotalCount: (...count) =>
        good.getTotalCount(...count).catch((error: BatchgateError) => {
          throw new BatchgateError('ADAPTER_UNAVAILABLE', error.message, error.hint);
        }),
    }),
  ],
  [
    'names-refused-credentials',
    /b001 is reported as a success, but the provider refused our credentials/,
    (good) => ({
      executeBatch: (items, ...rest) =>
        good
          .executeBatch(items, ...rest)
          .catch(() => [])
          .then(() => items.map(({ id }) => ({ item_id: id, success: true }))),
    }),
  ],
  [
    'keeps-one-items-trouble-apart',
    /only the failing item fails/,
    (good) => ({
      executeBatch: async (...batch) => {
        const done = await good.executeBatch(...batch);
        const failed = done.find(({ success }) => !success);
        return failed ? done.map(({ item_id }) => ({ ...failed, item_id })) : done;
      },
    }),
  ],
  [
    'keeps-secrets',
    /a secret is visible/,
    (good, world) => ({
      prepare: (...request) =>
        good.prepare(...request).catch((error: Error) => {
          throw new BatchgateError('INTERNAL', `${error.message} (${world.secrets.join()})`, 'Look closely.');
        }),
    }),
  ],
];

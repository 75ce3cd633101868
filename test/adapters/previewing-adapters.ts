import type { Break } from './broken-adapters';

/** Adapters that violate the cases about preview and undo. */
export const PREVIEWING: readonly [id: string, words: RegExp, Break][] = [
  [
    'previews-what-it-does',
    /the item is not as the preview said/,
    (good) => ({
      previewItem: (item, context) => {
        const preview = good.previewItem?.(item, context) ?? {};
        return preview.already ? preview : { ...preview, after: preview.before };
      },
    }),
  ],
  [
    'previews-what-it-does',
    /two previews of the same item differ/,
    (good) => ({
      previewItem: (item, context) => ({
        ...good.previewItem?.(item, context),
        expected_error: `${process.hrtime.bigint()}`,
      }),
    }),
  ],
  [
    'undoes-what-it-did',
    /the undo does not restore what was there/,
    (good) => ({
      executeBatch: (items, context, call) =>
        context.undo
          ? Promise.resolve(items.map(({ id }) => ({ item_id: id, success: true })))
          : good.executeBatch(items, context, call),
      reconcile: () => Promise.resolve('applied'),
    }),
  ],
  [
    'respects-changes-after-it',
    /what somebody changed after the operation is not a conflict/,
    (good) => ({
      previewItem: (item, context) => {
        const { conflict: _, ...preview } = good.previewItem?.(item, context) ?? {};
        return preview;
      },
    }),
  ],
  [
    'respects-changes-after-it',
    /the error is/,
    (good) => ({
      executeBatch: async (items, context, call) =>
        good.executeBatch((await good.freezeItems?.(items, context, call)) ?? items, context, call),
    }),
  ],
];

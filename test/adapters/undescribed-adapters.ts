import type { Break } from './broken-adapters';

/** Adapters that violate the cases about the description of a change. */
export const UNDESCRIBED: readonly [id: string, words: RegExp, Break][] = [
  [
    'describes-its-change',
    /its summary is not a complete sentence/,
    () => ({ describeChange: () => ({ summary: 'moves books', fields: [], reversible: 'yes' }) }),
  ],
  [
    'describes-its-change',
    /descriptions of the same change differ/,
    () => ({
      describeChange: () => ({
        summary: `Move it at ${process.hrtime.bigint()}.`,
        fields: [],
        reversible: 'yes',
      }),
    }),
  ],
  [
    'describes-its-change',
    /the change shows a secret/,
    (_, world) => ({
      describeChange: () => ({
        summary: 'Move the books.',
        fields: [{ name: 'key', to: world.secrets[0] ?? '' }],
        reversible: 'yes',
      }),
    }),
  ],
  [
    'describes-its-change',
    /does not describe its change as one/,
    () => ({ describeChange: () => 'Moves the books.' as never }),
  ],
  [
    'names-its-actions',
    /move: its phrase must contain/,
    ({ actions }) => ({ actions: { ...actions, move: { ...actions['move']!, phrase: 'move the books' } } }),
  ],
];

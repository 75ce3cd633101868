import type { Foreseen, OutcomeDetail } from '../../contract/activities';
import type { BulkAdapter } from '../../contract/adapter';
import type { Change } from '../../contract/change';
import { BatchgateError, describeIssues } from '../../contract/errors';
import type { BulkItem, FrozenItem, PreparedBulkContext } from '../../contract/items';
import {
  itemPreviewSchema,
  type ItemPreview,
  type PreviewedItem,
  type ShownItem,
} from '../../contract/preview';
import { digestOf } from '../shared/canonical';
import { boundedPreview } from './preview-bounds';

/** The item with the effect of the change on it, as far as its adapter can tell. */
export function withPreview(adapter: BulkAdapter, item: BulkItem, context: PreparedBulkContext): FrozenItem {
  const said = adapter.previewItem?.(item, context);
  if (said === undefined) return item;
  const parsed = itemPreviewSchema.safeParse(boundedPreview(said));
  if (!parsed.success) {
    throw new BatchgateError(
      'INTERNAL',
      `The adapter ${adapter.toolName} does not preview an item as one: ${describeIssues(parsed.error)}.`,
      'This is a defect of the adapter; tell its author.',
    );
  }
  return Object.keys(parsed.data).length === 0 ? item : { ...item, preview: parsed.data };
}

/** An item as a question shows it. Its digest covers the rest of it, too. */
export function shown({ id, display_name, preview }: FrozenItem): ShownItem {
  return { id, display_name, ...preview };
}

export function foreseenIn(items: readonly FrozenItem[]): Foreseen {
  const count = (wanted: (preview: ItemPreview) => unknown) =>
    items.filter(({ preview }) => preview && wanted(preview)).length;
  return {
    already: count(({ already }) => already),
    expected_errors: count(({ expected_error }) => expected_error),
  };
}

/** Whether the change of these items can be undone, as far as each of them can be. */
export function promisedFor(change: Change, items: readonly Pick<FrozenItem, 'preview'>[]): Change {
  const changing = items.filter(({ preview }) => !preview?.already && preview?.expected_error === undefined);
  const each = new Set(changing.map(({ preview }) => preview?.reversible ?? change.reversible));
  const [first = change.reversible] = each;
  return { ...change, reversible: each.size > 1 ? 'partly' : first };
}

/**
 * An undo skips an item that somebody has changed since, unless it is told to overwrite it. An item that cannot be
 * restored cannot be overwritten either.
 */
export function startsSkipped(
  { id, preview }: Pick<FrozenItem, 'id' | 'preview'>,
  overwrite: 'all' | readonly string[] = [],
): boolean {
  if (preview?.conflict === undefined) return false;
  return preview.reversible === 'no' || (overwrite !== 'all' && !overwrite.includes(id));
}

/** The reason for skipping such an item. */
export function conflictDetail(preview: ItemPreview | undefined): Required<OutcomeDetail> {
  return { error: `changed_after: ${preview?.conflict ?? ''}`, retryable: false };
}

/** The plan of an operation, in the form that a start can be bound to. */
export interface PreviewedPlan {
  context: PreparedBulkContext;
  change: Change;
  batch_size: number;
  undoes?: string;
  items: readonly SealedItem[];
}

/** What a preview shows of an item, with the hash of all that the adapter would get of it. */
export type SealedItem = PreviewedItem & { seal: string };

/** SHA-256 over what a preview shows and what the adapter would get, in its order. */
export function previewDigest({ items, ...plan }: PreviewedPlan): string {
  return digestOf({ ...plan, items: items.map(({ seal, skipped }) => [seal, skipped ?? false]) });
}

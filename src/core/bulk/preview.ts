import type { Foreseen } from '../../contract/activities';
import type { OutcomeDetail } from '../../contract/planned-items';
import type { BulkAdapter } from '../../contract/adapter';
import { MAX_FIELD_VALUE_LENGTH, type Change } from '../../contract/change';
import { BatchgateError, describeIssues } from '../../contract/errors';
import type { BulkItem, FrozenItem, PreparedBulkContext } from '../../contract/items';
import {
  itemPreviewSchema,
  type ItemPreview,
  type PreviewedItem,
  type ShownItem,
} from '../../contract/preview';
import { shortened } from '../../contract/text';
import { oneLine } from '../shared/plain-text';
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

/** The id of an item, and the other names by which it was asked for. */
export const namesOf = ({ id, preview }: Pick<FrozenItem, 'id' | 'preview'>): string[] => [
  id,
  ...(preview?.named ?? []),
];

export function foreseenIn(items: readonly FrozenItem[]): Foreseen {
  const count = (wanted: (preview: ItemPreview) => unknown) =>
    items.filter(({ preview }) => preview && wanted(preview)).length;
  return {
    already: count(({ already }) => already),
    expected_errors: count(({ expected_error }) => expected_error),
  };
}

/**
 * The change with what is known of these items: whether each of them can be undone, and what they have in common.
 * `isWhole`: they are all items of the operation, so that they can be counted.
 */
export function promisedFor(
  change: Change,
  items: readonly Pick<FrozenItem, 'preview'>[],
  scope?: string,
  isWhole = true,
): Change {
  const changing = items.filter(
    ({ preview = {} }) => !preview.already && preview.expected_error === undefined && !staysAsItIs(preview),
  );
  const each = changing.map(({ preview }) => preview?.reversible ?? change.reversible);
  const [first = change.reversible] = each;
  const isSame = each.every((one) => one === first);
  const count = (wanted: Change['reversible']) => each.filter((one) => one === wanted).length;
  const undoable = { items: each.length - count('no'), partly: count('partly'), of: each.length };
  const part = isWhole ? '' : `Of the first ${items.length}: `;
  return {
    ...change,
    reversible: isSame ? first : 'partly',
    ...(scope !== undefined && { scope: shortened(oneLine(`${part}${scope}`), MAX_FIELD_VALUE_LENGTH) }),
    ...(!isSame && isWhole && { undoable }),
  };
}

/** An undo cannot restore it. */
const staysAsItIs = ({ conflict, reversible }: ItemPreview): boolean =>
  conflict !== undefined && reversible === 'no';

/**
 * An undo skips an item that somebody has changed since, unless it is told to overwrite it. An item that cannot be
 * restored cannot be overwritten either.
 */
export function startsSkipped(
  { id, preview }: Pick<FrozenItem, 'id' | 'preview'>,
  overwrite: 'all' | readonly string[] = [],
): boolean {
  if (preview?.conflict === undefined) return false;
  return staysAsItIs(preview) || (overwrite !== 'all' && !overwrite.includes(id));
}

/** How the conflict of an item begins that nobody changed, and that cannot be restored. */
export const CANNOT_BE_UNDONE = 'it cannot be undone';

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

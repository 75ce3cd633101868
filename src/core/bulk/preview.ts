import type { Foreseen, OutcomeDetail } from '../../contract/activities';
import type { BulkAdapter } from '../../contract/adapter';
import type { Change } from '../../contract/change';
import { BatchgateError, describeIssues } from '../../contract/errors';
import type { BulkItem, FrozenItem, PreparedBulkContext } from '../../contract/items';
import {
  itemPreviewSchema,
  MAX_REASON_LENGTH,
  MAX_STATE_FIELDS,
  MAX_STATE_LIST_LENGTH,
  MAX_STATE_NAME_LENGTH,
  MAX_STATE_VALUE_LENGTH,
  type ItemPreview,
  type ItemState,
  type PreviewedItem,
  type ShownItem,
  type StateValue,
} from '../../contract/preview';
import { shortened } from '../../contract/text';
import { bytesOf, fitting } from '../shared/bounds';
import { digestOf } from '../shared/canonical';

/** Every question contains a preview of each item, for example of 20. */
const MAX_PREVIEW_BYTES = 2_048;
const SHORT_VALUE_LENGTH = 60;

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

/** An item as a question shows it, which is what its digest covers. */
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
  adapter: string;
  action: string;
  action_params: Record<string, unknown>;
  change: Change;
  batch_size: number;
  undoes?: string;
  items: readonly PreviewedItem[];
}

/** SHA-256 over everything that a preview shows, in its order. */
export function previewDigest(plan: PreviewedPlan): string {
  return digestOf(plan);
}

/** Limits every text to its length; the last field counts those that do not fit. */
function boundedPreview({ before, after, expected_error, conflict, ...flags }: ItemPreview): ItemPreview {
  const within = (length: number): ItemPreview => ({
    ...(before && { before: boundedState(before, length) }),
    ...(after && { after: boundedState(after, length) }),
    ...flags,
    ...(expected_error !== undefined && { expected_error: shortened(expected_error, MAX_REASON_LENGTH) }),
    ...(conflict !== undefined && { conflict: shortened(conflict, MAX_REASON_LENGTH) }),
  });
  const whole = within(MAX_STATE_VALUE_LENGTH);
  if (bytesOf(whole) <= MAX_PREVIEW_BYTES) return whole;
  const short = within(SHORT_VALUE_LENGTH);
  if (bytesOf(short) <= MAX_PREVIEW_BYTES) return short;
  const room = MAX_PREVIEW_BYTES / 3;
  return {
    ...short,
    ...(short.before && { before: fittingState(short.before, room) }),
    ...(short.after && { after: fittingState(short.after, room) }),
  };
}

function boundedState(state: ItemState, length: number): ItemState {
  const fields = Object.entries(state).map(
    ([name, value]) => [shortened(name, MAX_STATE_NAME_LENGTH), boundedValue(value, length)] as const,
  );
  return counted(fields, fields.slice(0, MAX_STATE_FIELDS));
}

function fittingState(state: ItemState, maxBytes: number): ItemState {
  const fields = Object.entries(state);
  return counted(fields, fitting(fields, maxBytes));
}

function counted(
  all: readonly (readonly [string, StateValue])[],
  fits: readonly (readonly [string, StateValue])[],
): ItemState {
  if (fits.length === all.length) return Object.fromEntries(all);
  const kept = fits.slice(0, MAX_STATE_FIELDS - 1);
  return { ...Object.fromEntries(kept), more: `${all.length - kept.length} more fields` };
}

function boundedValue(value: StateValue, length: number): StateValue {
  if (typeof value === 'string') return shortened(value, length);
  if (!Array.isArray(value)) return value;
  const texts = value.map((text) => shortened(text, length));
  if (texts.length <= MAX_STATE_LIST_LENGTH) return texts;
  const kept = texts.slice(0, MAX_STATE_LIST_LENGTH - 1);
  return [...kept, `and ${texts.length - kept.length} more`];
}

import type { OutcomeDetail } from '../../contract/items';
import type { BulkAdapter } from '../../contract/adapter';
import { MAX_FIELD_VALUE_LENGTH, type Change } from '../../contract/change';
import { BatchgateError, describeIssues } from '../../contract/errors';
import type { BulkItem, FrozenItem, PreparedBulkContext } from '../../contract/items';
import {
  itemPreviewSchema,
  type ItemPreview,
  type PreviewedItem,
  type ShownItem,
  MAX_REASON_LENGTH,
  MAX_STATE_FIELDS,
  MAX_STATE_LIST_LENGTH,
  MAX_STATE_NAME_LENGTH,
  MAX_STATE_VALUE_LENGTH,
  type ItemState,
  type StateValue,
} from '../../contract/preview';
import { shortened } from '../../contract/text';
import { oneLine } from '../shared/plain-text';
import { digestOf } from '../shared/canonical';
import { bytesOf } from '../shared/bounds';
import { shortenedPair, withLength } from '../shared/differing-texts';

/** Adds the adapter's preview of the change to an item, if it has one. */
export function withPreview(adapter: BulkAdapter, item: BulkItem, context: PreparedBulkContext): FrozenItem {
  const effect = adapter.previewItem?.(item, context);
  if (effect === undefined) return item;
  const parsed = itemPreviewSchema.safeParse(boundedPreview(effect));
  if (!parsed.success) {
    throw new BatchgateError(
      'INTERNAL',
      `The adapter ${adapter.toolName} does not preview an item as one: ${describeIssues(parsed.error)}.`,
      'This is a defect of the adapter; tell its author.',
    );
  }
  return Object.keys(parsed.data).length === 0 ? item : { ...item, preview: parsed.data };
}

/** The part of an item that a question shows. The digest of the question covers the rest too. */
export function shown({ id, display_name, preview }: FrozenItem): ShownItem {
  return { id, display_name, ...preview };
}

/** The id of an item, and the other names under which it was requested. */
export const namesOf = ({ id, preview }: Pick<FrozenItem, 'id' | 'preview'>): string[] => [
  id,
  ...(preview?.named ?? []),
];

/**
 * Adds the properties of these items to the change: whether each of them can be undone, and what they have in common.
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
  const isSame = each.every((reversible) => reversible === first);
  const count = (value: Change['reversible']) => each.filter((reversible) => reversible === value).length;
  const undoable = { items: each.length - count('no'), partly: count('partly'), of: each.length };
  const part = isWhole ? '' : `Of the first ${items.length}: `;
  return {
    ...change,
    reversible: isSame ? first : 'partly',
    ...(scope !== undefined && { scope: shortened(oneLine(`${part}${scope}`), MAX_FIELD_VALUE_LENGTH) }),
    ...(!isSame && isWhole && { undoable }),
  };
}

/** Whether an item has a conflict and an undo cannot restore it. */
const staysAsItIs = ({ conflict, reversible }: ItemPreview): boolean =>
  conflict !== undefined && reversible === 'no';

/**
 * An undo skips an item that somebody has changed since, unless it overwrites it. An item that cannot be restored
 * cannot be overwritten either.
 */
export function startsSkipped(
  { id, preview }: Pick<FrozenItem, 'id' | 'preview'>,
  overwrite: 'all' | readonly string[] = [],
): boolean {
  if (preview?.conflict === undefined) return false;
  return staysAsItIs(preview) || (overwrite !== 'all' && !overwrite.includes(id));
}

/** The prefix of the conflict of an item that was not changed and cannot be restored. */
export const CANNOT_BE_UNDONE = 'it cannot be undone';

/** The outcome of an item that is skipped for a conflict. */
export function conflictDetail(preview: ItemPreview | undefined): Required<OutcomeDetail> {
  return { error: `changed_after: ${preview?.conflict ?? ''}`, retryable: false };
}

/** The plan of an operation in the form to which a start can be bound. */
export interface PreviewedPlan {
  context: PreparedBulkContext;
  change: Change;
  batch_size: number;
  batch_sizes?: number[];
  undoes?: string;
  items: readonly SealedItem[];
}

/** An item of a preview, with the hash of all data that the adapter would receive. */
export type SealedItem = PreviewedItem & { seal: string };

/** SHA-256 over the contents of a preview and the data that the adapter would receive, in order. */
export function previewDigest({ items, ...plan }: PreviewedPlan): string {
  return digestOf({ ...plan, items: items.map(({ seal, skipped }) => [seal, skipped ?? false]) });
}

/** The maximum size of a preview. Every question contains one of each of its items. */
const MAX_PREVIEW_BYTES = 2_048;
const SHORT_VALUE_LENGTH = 60;

/** A field before and after the change; `undefined` in a state that the preview does not have. */
interface Field {
  name: string;
  before: StateValue | undefined;
  after: StateValue | undefined;
  differs: boolean;
}

/**
 * Truncates each text to its limit. Values that differ still differ after that, and a truncated value includes its
 * length. The last field counts the fields that do not fit.
 */
function boundedPreview({ before, after, ...rest }: ItemPreview): ItemPreview {
  const { expected_error, conflict, not_shown, ...flags } = rest;
  const reason = (text: string) => shortened(text, MAX_REASON_LENGTH);
  const plain: ItemPreview = {
    ...flags,
    ...(expected_error !== undefined && { expected_error: reason(expected_error) }),
    ...(conflict !== undefined && { conflict: reason(conflict) }),
    ...(not_shown !== undefined && { not_shown: reason(not_shown) }),
  };
  const fields = fieldsOf(before ?? {}, after ?? {});
  const within = (length: number, most = MAX_STATE_FIELDS): ItemPreview => {
    const { kept, more } = fitting(fields, most);
    const pairs = kept.map((field) => bounded(field, length));
    const state = (of: 'before' | 'after'): ItemState => ({
      ...Object.fromEntries(
        pairs.flatMap(({ name, [of]: value }) => (value === undefined ? [] : [[name, value]])),
      ),
      ...more,
    });
    return { ...(before && { before: state('before') }), ...(after && { after: state('after') }), ...plain };
  };
  const whole = within(MAX_STATE_VALUE_LENGTH);
  if (bytesOf(whole) <= MAX_PREVIEW_BYTES) return whole;
  for (let most = MAX_STATE_FIELDS; most > 0; most = Math.floor(most / 2)) {
    const short = within(SHORT_VALUE_LENGTH, most);
    if (bytesOf({ before: short.before, after: short.after }) <= MAX_PREVIEW_BYTES) return short;
  }
  return { ...plain, not_shown: plain.not_shown ?? 'its values, which are too large' };
}

function fieldsOf(before: ItemState, after: ItemState): Field[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].map((name) => {
    // A column may have the name of an inherited member.
    const [from, to] = [before, after].map((state) => (Object.hasOwn(state, name) ? state[name] : undefined));
    return { name, before: from, after: to, differs: JSON.stringify(from) !== JSON.stringify(to) };
  });
}

/** The fields that fit, those that change first, and a field that counts the others. */
function fitting(fields: readonly Field[], most: number): { kept: readonly Field[]; more?: ItemState } {
  if (fields.length <= most) return { kept: fields };
  const sorted = [...fields.filter(({ differs }) => differs), ...fields.filter(({ differs }) => !differs)];
  const kept = sorted.slice(0, Math.max(1, most - 1));
  const rest = sorted.slice(kept.length);
  const changing = rest.filter(({ differs }) => differs).length;
  const changes = changing === 0 ? '' : `, ${changing} of which ${changing === 1 ? 'changes' : 'change'}`;
  return { kept, more: { more: `${rest.length} more ${rest.length === 1 ? 'field' : 'fields'}${changes}` } };
}

function bounded({ name, before, after }: Field, length: number): Omit<Field, 'differs'> {
  const short = shortened(name, MAX_STATE_NAME_LENGTH);
  if (typeof before === 'string' && typeof after === 'string') {
    const [from, to] = shortenedPair(before, after, length);
    return { name: short, before: from, after: to };
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    const [from, to] = [boundedList(before, length), boundedList(after, length)];
    const alike = JSON.stringify(from) === JSON.stringify(to);
    const differs = alike && JSON.stringify(before) !== JSON.stringify(after);
    return { name: short, before: from, after: differs ? [...to.slice(0, -1), DIFFERS] : to };
  }
  return { name: short, before: boundedValue(before, length), after: boundedValue(after, length) };
}

const DIFFERS = 'and others than before';

function boundedValue(value: StateValue | undefined, length: number): StateValue | undefined {
  if (typeof value === 'string') return withLength(value, length);
  return Array.isArray(value) ? boundedList(value, length) : value;
}

function boundedList(list: readonly string[], length: number): string[] {
  const texts = list.map((text) => withLength(text, length));
  if (texts.length <= MAX_STATE_LIST_LENGTH) return texts;
  const head = texts.slice(0, MAX_STATE_LIST_LENGTH - 1);
  return [...head, `and ${texts.length - head.length} more`];
}

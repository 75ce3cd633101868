import { z } from 'zod';
import type { BulkItem, PreparedBulkContext } from '../../../src/contract/items';
import type { ItemPreview, ItemState } from '../../../src/contract/preview';
import { NOT_RECORDED, undoOf } from '../shared/frozen-state';
import { changeOf, labelOf, missingLabel, type GmailActionName, type LabelChange } from './parameters';

/** The labels that one request adds to emails and removes from them. */
export interface Labels {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

const frozenSchema = z.union([
  z.object({ missing: z.literal(true) }),
  z.object({
    /** Whether the email has the label that the change adds or removes. */
    has: z.boolean(),
    /** Whether it is in the inbox. Gmail may remove it from there when it is moved to the trash. */
    inbox: z.boolean().optional(),
  }),
]);
type Frozen = z.infer<typeof frozenSchema>;

/** What the plan stores of an email with these labels. `label`: undefined while the label does not exist. */
export function freeze(labels: readonly string[], label: string | undefined): Frozen {
  const has = label !== undefined && labels.includes(label);
  return label === 'TRASH' ? { has, inbox: labels.includes('INBOX') } : { has };
}

export const GONE: Frozen = { missing: true };

/** Whether there was no such email when the item was frozen. */
export function wasMissing({ raw_data }: BulkItem): boolean {
  const frozen = frozenOf(raw_data);
  return frozen !== undefined && 'missing' in frozen;
}

/** Undefined if the item was not frozen. */
function frozenOf(raw_data: BulkItem['raw_data']): Frozen | undefined {
  return frozenSchema.safeParse(raw_data).data;
}

function hasLabel(raw_data: BulkItem['raw_data']): boolean | undefined {
  const frozen = frozenOf(raw_data);
  return frozen !== undefined && 'has' in frozen ? frozen.has : undefined;
}

/** Whether the change adds the label of its context. */
const adds = (context: PreparedBulkContext): boolean =>
  missingLabel(context) !== undefined || 'add' in changeOf(context);

/** Whether the email is intended to have the label; undefined if an undo does not know. */
export function wish(item: BulkItem, context: PreparedBulkContext): boolean | undefined {
  const undo = undoOf(item, context);
  return undo ? hasLabel(undo.to) : adds(context);
}

/** Whether the email is as intended, or as frozen; a label has no third state that a change could overwrite. */
export function isAlready(item: BulkItem, context: PreparedBulkContext): boolean {
  const has = hasLabel(item.raw_data);
  return has !== undefined && has === wish(item, context);
}

/** The change of an email; undefined if an undo does not know it. `label`: the id of the label of the change. */
export function labelsFor(item: BulkItem, context: PreparedBulkContext, label: string): Labels | undefined {
  const wanted = wish(item, context);
  if (wanted === undefined) return undefined;
  if (wanted) return { add: [label], remove: [] };
  return { add: leftInbox(item, context) ? ['INBOX'] : [], remove: [label] };
}

/** An email that was in the inbox before it went to the trash is restored to the inbox. */
function leftInbox(item: BulkItem, context: PreparedBulkContext): boolean {
  const [to, now] = [frozenOf(undoOf(item, context)?.to), frozenOf(item.raw_data)];
  const was = to !== undefined && 'inbox' in to && to.inbox === true;
  return was && !(now !== undefined && 'inbox' in now && now.inbox === true);
}

/** The label of a context with its id, once the label exists. */
export const touchedLabel = (change: LabelChange): string => ('add' in change ? change.add : change.remove);

export function previewEmail(item: BulkItem, context: PreparedBulkContext): ItemPreview {
  const frozen = frozenOf(item.raw_data);
  if (frozen === undefined) return {};
  if ('missing' in frozen) return { expected_error: 'Email not found' };
  const before = stateOf(frozen.has, context);
  const wanted = wish(item, context);
  if (wanted === undefined) return { before, reversible: 'no', expected_error: NOT_RECORDED };
  if (wanted === frozen.has) return { before, after: before, already: true };
  return { before, after: stateOf(wanted, context), reversible: 'yes' };
}

/** The affected part of an email, in words. */
export function stateOf(has: boolean, context: PreparedBulkContext): ItemState {
  const answer = has ? 'yes' : 'no';
  switch (context.action as GmailActionName) {
    case 'label':
    case 'unlabel':
      return { label: has ? labelOf(context).label_name : null };
    case 'archive':
      return { 'in the inbox': answer };
    case 'mark_read':
    case 'mark_unread':
      return { unread: answer };
    case 'star':
      return { starred: answer };
    case 'trash':
      return { 'in the trash': answer };
  }
}

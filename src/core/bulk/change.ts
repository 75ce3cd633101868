import type { AdapterAction, BulkAdapter } from '../../contract/adapter';
import {
  describedChangeSchema,
  MAX_CHANGE_FIELDS,
  MAX_FIELD_NAME_LENGTH,
  MAX_FIELD_VALUE_LENGTH,
  MAX_SUMMARY_LENGTH,
  MAX_UNTIL_LENGTH,
  type ActionWords,
  type Change,
} from '../../contract/change';
import { BatchgateError, describeIssues } from '../../contract/errors';
import type { PreparedBulkContext } from '../../contract/items';
import { shortened, withoutTrailing } from '../../contract/text';
import { fitting } from '../shared/bounds';
import { capitalized, nameText, oneLine } from '../shared/plain-text';
import { withLength } from '../shared/differing-texts';
import { looksSecret } from '../shared/plain-secrets';

const ITEMS = '{items}';
const UNDO: Record<Change['reversible'], string> = {
  yes: 'Can be undone',
  partly: 'Can be undone in part',
  no: 'Cannot be undone',
};

/** The line above the question: the change, what its items have in common, and whether it can be undone. */
export function presentChange(change: Change): string {
  return [oneLine(change.summary), ...scopeText(change), `${undoText(change)}.`].join(' ');
}

export const scopeText = ({ scope }: Change): string[] =>
  scope === undefined ? [] : [`${withoutTrailing(oneLine(scope), '.')}.`];

/** `Can be undone until …`, `50 of 60 can be undone` */
export function undoText({ reversible, until, undoable }: Change): string {
  const limit = until === undefined || reversible === 'no' ? '' : ` until ${oneLine(until)}`;
  return `${undoable ? countText(undoable) : UNDO[reversible]}${limit}`;
}

const countText = ({ items, partly, of }: NonNullable<Change['undoable']>) =>
  `${items} of ${of} can be undone${partly === 0 ? '' : `, ${partly} of them in part`}`;

/** The values that the change sets, one per line: `due: 2026-12-24T18:00:00.000Z`, `state: open → closed`. */
export function presentChangeFields({ fields }: Change): string[] {
  return fields.map(
    ({ name, from, to }) =>
      `${oneLine(name)}: ${from === undefined ? '' : `${oneLine(from)} → `}${oneLine(to)}`,
  );
}

/** The adapter's description of its change; by default, the action and its parameters. */
export function changeOfAdapter(
  adapter: BulkAdapter,
  context: PreparedBulkContext,
  changeParams: Readonly<Record<string, unknown>>,
): Change {
  const description =
    adapter.describeChange?.(context) ?? defaultChange(adapter, context.action, changeParams);
  const parsed = describedChangeSchema.safeParse(description);
  if (parsed.success) return bounded(parsed.data);
  throw new BatchgateError(
    'INTERNAL',
    `The adapter ${adapter.toolName} does not describe its change as one: ${describeIssues(parsed.error)}.`,
    'This is a defect of the adapter; tell its author.',
  );
}

/** The words for an action in sentences; by default its name without underscores. */
export function wordsOfAction(action: string, definition?: AdapterAction): ActionWords {
  const name = action.replaceAll('_', ' ');
  return {
    phrase: definition?.phrase ?? `${name} ${ITEMS}`,
    short_name: definition?.shortName ?? name,
    ...(definition?.already !== undefined && { already: definition.already }),
  };
}

/** `mark 50 emails as read` */
export function withItems({ phrase }: ActionWords, items: string): string {
  return phrase.split(ITEMS).join(items);
}

/** A field's value as text for people. */
export function valueText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function defaultChange(
  adapter: BulkAdapter,
  action: string,
  changeParams: Readonly<Record<string, unknown>>,
): Change {
  const words = wordsOfAction(action, adapter.actions[action]);
  const sentence = withItems(words, `each ${adapter.itemNoun?.one ?? 'item'}`);
  return {
    summary: `${capitalized(sentence)}.`,
    fields: Object.entries(changeParams).map(([name, value]) => ({
      name,
      to: looksSecret(name) ? '(not shown)' : valueText(value),
    })),
    reversible: 'no',
  };
}

/** The maximum bytes of the fields: a change is part of every question and of every answer. */
const MAX_FIELDS_BYTES = 16_384;

/** Truncates each text to its limit and shows invisible characters. The last field counts those that do not fit. */
function bounded({ summary, fields, reversible, until }: Change): Change {
  const value = (text: string) => withLength(nameText(text), MAX_FIELD_VALUE_LENGTH);
  const values = fields.map(({ name, from, to }) => ({
    name: shortened(nameText(name), MAX_FIELD_NAME_LENGTH),
    ...(from !== undefined && { from: value(from) }),
    to: value(to),
  }));
  const fits = fitting(values, MAX_FIELDS_BYTES);
  const atMost = fits.length < values.length ? fits.length : MAX_CHANGE_FIELDS;
  const leading = values.length > atMost ? values.slice(0, Math.min(atMost, MAX_CHANGE_FIELDS - 1)) : values;
  const more = values.length - leading.length;
  return {
    summary: shortened(oneLine(summary), MAX_SUMMARY_LENGTH),
    fields: more === 0 ? leading : [...leading, { name: 'more', to: `${more} more fields` }],
    reversible,
    ...(until !== undefined && { until: shortened(oneLine(until), MAX_UNTIL_LENGTH) }),
  };
}

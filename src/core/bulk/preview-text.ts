import { diffWordsWithSpace } from 'diff';
import type { ItemPreview, ItemState, StateValue } from '../../contract/preview';
import { CANNOT_BE_UNDONE } from './preview';
import { nameText, oneLine } from '../shared/plain-text';

/** A text of at least this many words is shown once, with its changed words marked. */
const LONG_TEXT_WORDS = 4;
const UTC = 'UTC';

/** The person who reads a preview. */
export interface Reader {
  /** The name of their time zone; UTC if it is unknown. */
  time_zone?: string;
}

/** The change of an item, in one line: `labels: none → “Later”; due: …`. Empty if nothing is known. */
export function previewText(preview: ItemPreview = {}, reader: Reader = {}): string {
  const { already, expected_error, reversible, conflict, not_shown, named = [] } = preview;
  return [
    ...(named.length > 0 ? [`named as ${named.map(nameText).join(', ')}`] : []),
    ...(already ? ['already so'] : changeTexts(preview, reader)),
    ...(not_shown === undefined ? [] : [`not shown: ${oneLine(not_shown)}`]),
    ...(expected_error === undefined ? [] : [`will probably fail: ${oneLine(expected_error)}`]),
    ...(conflict === undefined ? [] : [conflictText(conflict)]),
    ...(reversible === 'no' && !conflict?.startsWith(CANNOT_BE_UNDONE) ? ['cannot be undone'] : []),
    ...(reversible === 'partly' ? ['can be undone in part'] : []),
  ].join('; ');
}

const conflictText = (conflict: string): string =>
  conflict.startsWith(CANNOT_BE_UNDONE)
    ? oneLine(conflict)
    : `changed after the operation: ${oneLine(conflict)}`;

type States = Pick<ItemPreview, 'before' | 'after'>;

/** The names of the fields that change, or of all known fields. */
export const changedFields = ({ before, after }: States): string[] =>
  [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].filter(
    (name) => !before || !after || !same(before[name], after[name]),
  );

/** The fields that change, or all known fields: `title: “a” → “b”`. */
function changeTexts({ before, after }: ItemPreview, reader: Reader): string[] {
  return changedFields({ before, after }).map((name) => {
    const [from, to] = [before?.[name], after?.[name]];
    const words =
      before && after
        ? differenceText(from ?? null, to ?? null, reader)
        : before
          ? `now ${valueText(from ?? null, reader)}`
          : valueText(to ?? null, reader);
    return `${nameText(name)}: ${words}`;
  });
}

/** The fields that change, or all known fields, each with its values as text for people. */
export function differences(
  before: ItemState | undefined,
  after: ItemState | undefined,
  reader: Reader = {},
): { name: string; from?: string; to?: string }[] {
  return changedFields({ before, after }).map((name) => ({
    name: nameText(name),
    ...(before && { from: valueText(before[name] ?? null, reader) }),
    ...(after && { to: valueText(after[name] ?? null, reader) }),
  }));
}

const same = (a: StateValue | undefined, b: StateValue | undefined) =>
  JSON.stringify(a ?? null) === JSON.stringify(b ?? null);

/** Two values; for two longer texts, one text with removed words as `[-…-]` and added words as `{+…+}`. */
function differenceText(from: StateValue, to: StateValue, reader: Reader): string {
  if (typeof from === 'string' && typeof to === 'string' && isLong(from) && isLong(to)) {
    return diffWordsWithSpace(from, to)
      .map(({ value, added, removed }) => {
        const text = nameText(value);
        return added ? `{+${text}+}` : removed ? `[-${text}-]` : text;
      })
      .join('');
  }
  return `${valueText(from, reader)} → ${valueText(to, reader)}`;
}

const isLong = (text: string) => text.trim().split(/\s+/).length >= LONG_TEXT_WORDS;

/** A state as text for people: `list: “To do”; due: none`. */
export function stateText(state: ItemState, reader: Reader = {}): string {
  return Object.entries(state)
    .map(([name, value]) => `${nameText(name)}: ${valueText(value, reader)}`)
    .join('; ');
}

function valueText(value: StateValue, reader: Reader): string {
  if (value === null) return 'none';
  if (typeof value === 'string') return `“${nameText(value)}”`;
  if (Array.isArray(value))
    return value.length === 0 ? 'none' : value.map((text) => `“${nameText(text)}”`).join(', ');
  return timeText(value.time, reader);
}

/** A time in the reader's zone, with the name of the zone. A date without a time stays a date. */
function timeText(time: string, { time_zone: timeZone = UTC }: Reader): string {
  const at = Date.parse(time);
  if (!time.includes('T') || Number.isNaN(at)) return nameText(time);
  const format = new Intl.DateTimeFormat('en-GB', {
    ...{ timeZone, day: 'numeric', month: 'short', year: 'numeric' },
    ...{ hour: '2-digit', minute: '2-digit', timeZoneName: 'short' },
  });
  return format.format(at);
}

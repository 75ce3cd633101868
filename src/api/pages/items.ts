import type { ItemPreview, ShownItem } from '../../contract/preview';
import { besides, groupsOf, groupsSummary, isPlain, ownEffect, type Group } from '../../core/bulk/groups';
import { CANNOT_BE_UNDONE } from '../../core/bulk/preview';
import { differences } from '../../core/bulk/preview-text';
import { capitalized, nameText, oneLine } from '../../core/shared/plain-text';
import { html, named, nothing, plural, prose, type Html } from './html';

/** A longer group is folded at first. */
const OPEN_UP_TO = 20;

interface Listing<T extends ShownItem> {
  /** The prefix of the ids of the groups. */
  id: string;
  /** Renders a row. `text`: the item's name, and the effects that its group does not show. */
  row: (item: T, at: number, text: Html) => Html;
  /** Whether the item at this place will run. */
  isKept?: (at: number) => boolean;
  /** The maximum length of a plain list. More items without shared effects become a group, which can be folded. */
  most?: number;
}

/** The items, grouped by what happens to them, outliers first. Each group unfolds to all of its items. */
export function groupedItems<T extends ShownItem>(
  items: readonly T[],
  { id, row, isKept = () => true, most = Infinity }: Listing<T>,
): Html {
  const groups = groupsOf(items);
  if (isPlain(groups) && items.length <= most)
    return list(items.map((item, at) => row(item, at, itemText(item))));
  const parts: Html[] = [];
  let alone: Html[] = [];
  const endList = () => {
    if (alone.length > 0) parts.push(list(alone));
    alone = [];
  };
  for (const [number, group] of groups.entries()) {
    const { members } = group;
    const rows = members.map(({ item, at }) => row(item, at, itemText(item, ownEffect(group, item))));
    if (members.length === 1) {
      alone.push(...rows);
      continue;
    }
    endList();
    const keptCount = members.filter(({ at }) => isKept(at)).length;
    const all = plural(members.length, 'item');
    parts.push(
      html`<details
        class="group ${group.kind}"
        id="${id}-${number + 1}"
        ${members.length <= OPEN_UP_TO ? 'open' : ''}
      >
        <summary>
          <b class="count">${keptCount === members.length ? all : `${keptCount} of ${all}`}</b>
          ${groupView(group)}
        </summary>
        ${list(rows)}
      </details>`,
    );
  }
  endList();
  const summary = groups.length > 1 ? html`<p class="alike">${prose(groupsSummary(groups))}</p>` : nothing;
  return html`${summary} ${parts}`;
}

const list = (rows: readonly Html[]): Html =>
  html`<ol class="items">
    ${rows}
  </ol>`;

/** An item's name, and an effect on it. */
const itemText = (item: ShownItem, effect: ItemPreview = item): Html =>
  html`<span class="what">
    <span class="title">${named(item.display_name)}</span>
    ${item.id === item.display_name ? nothing : html`<span class="id">${named(item.id, 120)}</span>`}
    ${effectView(effect, notesOf(effect, 'This one'))}
  </span>`;

const groupView = (group: Group): Html =>
  effectView(group.shared, [
    ...besides(group).map((text) => `${capitalized(text)}.`),
    ...notesOf(group.shared, 'These'),
  ]);

/** Each field that changes, before and after, and notes. */
function effectView({ before, after, already }: ItemPreview, notes: readonly string[]): Html {
  const rows = already ? [] : differences(before, after);
  if (rows.length === 0 && notes.length === 0) return nothing;
  return html`<span class="preview">
    ${rows.map(
      ({ name, from, to }) =>
        html`<span class="diff"
          ><b><bdi>${name}</bdi></b>
          ${from === undefined ? nothing : html`<del><bdi>${prose(from)}</bdi></del>`}
          ${from !== undefined && to !== undefined ? '→' : ''}
          ${to === undefined ? nothing : html`<ins><bdi>${prose(to)}</bdi></ins>`}</span
        >`,
    )}
    ${notes.map((note) => html`<em>${prose(note)}</em>`)}
  </span>`;
}

function notesOf(effect: ItemPreview, these: 'This one' | 'These'): string[] {
  const { already, expected_error, conflict, reversible, not_shown } = effect;
  const names = (effect.named ?? []).map(nameText).join(', ');
  return [
    ...(names === '' ? [] : [`Named as ${names}.`]),
    ...(already ? ['No change needed.'] : []),
    ...(not_shown === undefined ? [] : [`Not shown: ${oneLine(not_shown)}`]),
    ...(expected_error === undefined ? [] : [`It will probably fail: ${oneLine(expected_error)}`]),
    ...(conflict === undefined ? [] : [conflictNote(conflict)]),
    ...(reversible === 'no' ? [`${these} cannot be undone.`] : []),
    ...(reversible === 'partly' ? [`${these} can be undone in part.`] : []),
  ];
}

const conflictNote = (conflict: string): string =>
  conflict.startsWith(CANNOT_BE_UNDONE)
    ? capitalized(oneLine(conflict))
    : `It was changed afterwards: ${oneLine(conflict)}`;

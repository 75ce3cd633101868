import type { ErrorBody } from '../../contract/errors';
import { canonicalJson } from '../shared/canonical';
import { shortenedPair } from '../shared/differing-texts';
import { hidingSecrets, isPrivate, NOT_SHOWN } from '../shared/plain-secrets';
import { itemInLine, nameText } from '../shared/plain-text';
import { valueText } from './change';
import type { PreviewedPlan, SealedItem } from './preview';
import { previewText } from './preview-text';

const NOT_SEEN = 'it differs in what is not shown';
const NAMED = 5;
const LISTED = 100;

/** The error for a start that differs from its preview. `before`: the preview, if it is still stored. */
export function changedSincePreview(before: PreviewedPlan | undefined, now: PreviewedPlan): ErrorBody {
  const difference = before && differenceOf(before, now);
  const text = difference ? difference.lines.join('; ') || NOT_SEEN : 'the preview itself is no longer kept';
  return {
    code: 'CHANGED_SINCE_PREVIEW',
    message: `This is not what was previewed: ${text}.`,
    hint: 'Make a new preview and start with its digest; nothing was run.',
    ...(difference && { details: difference.details }),
  };
}

/** The differences, as text and as item ids. */
function differenceOf(before: PreviewedPlan, now: PreviewedPlan) {
  const [was, is] = [byId(before.items), byId(now.items)];
  const added = now.items.filter(({ id }) => !was.has(id));
  const gone = before.items.filter(({ id }) => !is.has(id));
  const changed = now.items.flatMap((item) => {
    const earlier = was.get(item.id);
    return earlier && isChanged(earlier, item) ? [{ earlier, item }] : [];
  });
  const moved =
    added.length + gone.length === 0 && before.items.some(({ id }, at) => now.items[at]?.id !== id);
  const lines = [
    ...parameterLines(before, now),
    ...counted(added.map(itemInLine), 'new'),
    ...counted(gone.map(itemInLine), 'gone'),
    ...counted(changed.map(changedText), 'changed'),
    ...(moved ? ['the order of the items'] : []),
  ];
  const ids = (items: readonly SealedItem[]) => items.slice(0, LISTED).map(({ id }) => id);
  const details = { new: ids(added), gone: ids(gone), changed: ids(changed.map(({ item }) => item)) };
  return { lines, details };
}

const isChanged = (one: SealedItem, other: SealedItem) =>
  one.seal !== other.seal || one.skipped !== other.skipped;

const byId = (items: readonly SealedItem[]) => new Map(items.map((item) => [item.id, item]));

function parameterLines(before: PreviewedPlan, now: PreviewedPlan): string[] {
  const [was, is] = [factsOf(before), factsOf(now)];
  return [...new Set([...Object.keys(was), ...Object.keys(is)])]
    .filter((name) => canonicalJson(was[name]) !== canonicalJson(is[name]))
    .map((name) => {
      const [from, to] = shownValues(name, was[name], is[name]);
      return `${nameText(name)} was ${from}, is ${to}`;
    });
}

/** The properties of a plan besides its items, under names for people. */
function factsOf({ items: _, context, change, ...rest }: PreviewedPlan): Record<string, unknown> {
  const { tool_name, query_params, action_params, ...more } = context;
  const search = Object.entries(query_params).map(([name, value]): [string, unknown] => [
    `${name} of the search`,
    value,
  ]);
  return {
    ...{ ...rest, ...more, adapter: tool_name },
    ...Object.fromEntries(search),
    ...action_params,
    change: change.summary,
    'values of the change': change.fields,
    'items of the change': change.scope,
    undo: change.reversible,
    'items that can be undone': change.undoable,
    until: change.until,
  };
}

const MAX_VALUE_LENGTH = 300;

function shownValues(name: string, was: unknown, is: unknown): string[] {
  const texts = [was, is].map((value) =>
    valueText(isPrivate(name) ? NOT_SHOWN : hidingSecrets(value, isPrivate)),
  );
  const [from = '', to = ''] = shortenedPair(texts[0] ?? '', texts[1] ?? '', MAX_VALUE_LENGTH);
  return [from, to].map((text, at) => ([was, is][at] === undefined ? 'not given' : nameText(text)));
}

function changedText({ earlier, item }: { earlier: SealedItem; item: SealedItem }): string {
  const renamed = earlier.display_name !== item.display_name;
  const [was, is] = [earlier, item].map((version) => describe(version, renamed));
  if (was !== is) return `${itemInLine(item)} was [${was}], is [${is}]`;
  return `${itemInLine(item)} differs in what is not shown of it: [${is}]`;
}

/** The shown values of an item; its name only if the name differs. */
function describe(
  { display_name, skipped, id: _, batch: __, seal: ___, ...preview }: SealedItem,
  renamed: boolean,
) {
  const parts = [renamed ? nameText(display_name) : '', previewText(preview), skipped ? 'skipped' : ''];
  return parts.filter((text) => text !== '').join(': ') || 'to be changed';
}

function counted(texts: readonly string[], what: string): string[] {
  if (texts.length === 0) return [];
  const more = texts.length > NAMED ? `, and ${texts.length - NAMED} more` : '';
  return [
    `${texts.length} ${texts.length === 1 ? 'item is' : 'items are'} ${what}: ${texts.slice(0, NAMED).join(', ')}${more}`,
  ];
}

import type { ErrorBody } from '../../contract/errors';
import type { LedgerItem, LedgerRecord } from '../../contract/ledger-record';
import type { BulkPreview } from '../../contract/preview';
import {
  MAX_DIFFERENCES,
  MAX_NAMED_ITEMS,
  MAX_REVISIONS_BY_AGENTS,
  type Revision,
} from '../../contract/revision';
import { shortened } from '../../contract/text';
import { canonicalJson } from '../shared/canonical';
import { hidingSecrets, isPrivate, NOT_SHOWN } from '../shared/plain-secrets';
import { nameText, oneLine, quoted, quotedId, quotedWords } from '../shared/plain-text';
import { valueText } from './change';

type Before = Pick<LedgerRecord, 'operation_id' | 'status' | 'terms'>;

/** The error for an operation that may not be revised; undefined if it may. */
export function revisionRefused(
  before: Before,
  byAgent: boolean,
  others: readonly string[],
): ErrorBody | undefined {
  const { operation_id, status } = before;
  const id = quotedId(operation_id);
  if (!status?.sent_back)
    return {
      code: 'INVALID_INPUT',
      message: `${id} was not sent back: it ${status ? `is ${status.state}` : 'has not ended'}.`,
      hint: 'Name in revises an operation whose status has sent_back, or leave revises out.',
    };
  if (!byAgent) return undefined;
  if (countOfAgents(before) > MAX_REVISIONS_BY_AGENTS)
    return {
      code: 'FORBIDDEN',
      message: `Agents have revised this ${MAX_REVISIONS_BY_AGENTS} times in a row, and it was sent back each time.`,
      hint: 'Ask the person what they want. The count begins anew when a person starts a revision, or confirms a batch of one.',
      details: { revises: operation_id, revisions: MAX_REVISIONS_BY_AGENTS },
    };
  const [other] = others.slice(-1);
  return other === undefined
    ? undefined
    : {
        code: 'INVALID_INPUT',
        message: `${id} has been revised already, by ${quotedId(other)}.`,
        hint: 'Name that one in revises, if it was sent back; else start without revises.',
        details: { revised_by: other },
      };
}

/** The number of successive revisions by agents, with the next one. A start or confirmation by a person resets it. */
function countOfAgents({ status, terms }: Before): number {
  const isAgents = terms?.by_agent === true && status?.last_batch === undefined;
  return (isAgents ? (status?.revision?.by_agents ?? 0) : 0) + 1;
}

/** The differences between a plan and the one that was sent back. */
export function revisionOf(before: LedgerRecord, now: LedgerRecord): Revision | undefined {
  const { status } = before;
  const guidance = status?.sent_back;
  if (!guidance) return undefined;
  const { note, by, at } = guidance;
  return {
    number: (status.revision?.number ?? 0) + 1,
    by_agents: now.terms?.by_agent ? countOfAgents(before) : 0,
    guidance: { note, at, ...(by !== undefined && { by }) },
    differences: differencesOf(before, now),
    ...itemsOf(before.items, now.items),
  };
}

function differencesOf(before: LedgerRecord, now: LedgerRecord): Revision['differences'] {
  const [old, fresh] = [facetsOf(before), facetsOf(now)];
  const names = [...new Set([...Object.keys(old), ...Object.keys(fresh)])];
  return names
    .filter((name) => canonicalJson(old[name]) !== canonicalJson(fresh[name]))
    .slice(0, MAX_DIFFERENCES)
    .map((name) => {
      const [from, to] = [old[name], fresh[name]].map(shownValue(name));
      return {
        name: shortened(nameText(name), 100),
        ...(from !== undefined && { from }),
        ...(to !== undefined && { to }),
      };
    });
}

const shownValue = (name: string) => (value: unknown) => {
  if (value === undefined) return undefined;
  return isPrivate(name) ? NOT_SHOWN : shortened(nameText(valueText(hidingSecrets(value, isPrivate))), 200);
};

/** The properties that a person would compare. */
function facetsOf({ domain, action, batch_size, terms, context, change, change_params }: LedgerRecord) {
  const params = { ...context?.query_params, ...change_params };
  return Object.fromEntries<unknown>([
    ['domain', domain],
    ['action', action],
    ...Object.entries(params),
    ...(change ? [['change', change.summary] as [string, string]] : []),
    ['batch size', terms?.batch_sizes?.join(', ') ?? String(batch_size)],
    ...(terms?.not_before === undefined ? [] : [['not before', terms.not_before] as [string, string]]),
    ...(terms?.reason === undefined ? [] : [['reason', oneLine(terms.reason)] as [string, string]]),
  ]);
}

/** Compares the items of two plans. Of the plan that was sent back, only items that never ran count as removed. */
function itemsOf(
  before: readonly LedgerItem[],
  now: readonly LedgerItem[],
): Pick<Revision, 'items' | 'added' | 'removed'> {
  const old = new Map(before.map((item) => [item.id, item]));
  const ids = new Set(now.map(({ id }) => id));
  const added = now.filter(({ id }) => !old.has(id));
  const removed = before.filter(({ id, state }) => state === 'planned' && !ids.has(id));
  const done = now.filter(({ id }) => old.get(id)?.state === 'succeeded');
  return {
    items: {
      added: added.length,
      removed: removed.length,
      same: now.length - added.length - done.length,
      done_before: done.length,
    },
    added: namesOf(added),
    removed: namesOf(removed),
  };
}

const namesOf = (items: readonly LedgerItem[]): string[] =>
  items.slice(0, MAX_NAMED_ITEMS).map(({ display_name }) => shortened(nameText(display_name), 100));

/** The lines below the first question of a revision, and in its preview. */
export function revisionLines({ revises, revision }: Pick<BulkPreview, 'revises' | 'revision'>): string[] {
  if (revises === undefined || !revision) return [];
  const { number, guidance } = revision;
  const who = guidance.by === undefined ? 'A person' : quoted(guidance.by);
  return [
    `Revision ${number}, in the place of ${quotedId(revises)}. ${who} sent that back: ${quotedWords(guidance.note)}`,
    `What differs: ${differencesText(revision)}.`,
  ];
}

/** `label_name: “Later” → “Archive”; 3 items more` */
function differencesText({ differences, items, added, removed }: Revision): string {
  const quote = (value: string | undefined) => (value === undefined ? 'none' : `“${value}”`);
  const nameList = (count: number, names: readonly string[]) =>
    `${names.map((name) => `“${name}”`).join(', ')}${count > names.length ? ', …' : ''}`;
  const parts = [
    ...differences.map(({ name, from, to }) => `${name}: ${quote(from)} → ${quote(to)}`),
    ...(items.added > 0 ? [`${plural(items.added)} more (${nameList(items.added, added)})`] : []),
    ...(items.removed > 0 ? [`${plural(items.removed)} fewer (${nameList(items.removed, removed)})`] : []),
    ...(items.done_before > 0 ? [`${plural(items.done_before)} that had been done before`] : []),
  ];
  return parts.length === 0 ? 'nothing' : parts.join('; ');
}

const plural = (count: number) => `${count} ${count === 1 ? 'item' : 'items'}`;

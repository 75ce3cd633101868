import type { ItemOutcome } from '../../contract/operation';
import type { ReportGroup, ReportRow } from '../../contract/report';
import { groupedBy } from '../shared/grouped';
import { oneLine } from '../shared/plain-text';
import { itemGroups } from './groups';

/** Outliers first. */
const ORDER: readonly ItemOutcome[] = ['in_doubt', 'failed', 'skipped', 'pending', 'succeeded'];
/** The maximum number of errors with a group each. More would be as long a list as the items themselves. */
const MAX_ERRORS = 6;

type Row = Pick<ReportRow, 'id' | 'display_name' | 'outcome' | 'error' | 'before' | 'after'>;

/** The items of a report by outcome, outliers first. Every item is in exactly one group. */
export function reportGroups(rows: readonly Row[]): ReportGroup[] {
  return ORDER.flatMap((outcome) => {
    const members = rows.filter((row) => row.outcome === outcome);
    const [explained, others] = [members.filter(hasError), members.filter((row) => !hasError(row))];
    return [
      ...withErrors(explained).map((group) => ({ outcome, ...group })),
      ...withChanges(others).map((group) => ({ outcome, ...group })),
    ];
  });
}

type Part = Omit<ReportGroup, 'outcome'>;

const hasError = ({ error }: Row): boolean => error !== undefined;

function withErrors(rows: readonly Row[]): Part[] {
  const alike = [...groupedBy(rows, ({ error = '' }) => error).entries()];
  const isFew = (members: readonly Row[]) => alike.length > MAX_ERRORS && members.length === 1;
  const few = alike.flatMap(([, members]) => (isFew(members) ? members : []));
  const parts = alike
    .filter(([, members]) => !isFew(members))
    .map(([error, members]) => ({ ...partOf(members), text: '', error: oneLine(error) }));
  return [...parts, ...(few.length > 0 ? [{ ...partOf(few), text: 'each its own reason' }] : [])].sort(
    smallestFirst,
  );
}

const withChanges = (rows: readonly Row[]): Part[] =>
  itemGroups(rows.map(({ id, display_name, before, after }) => ({ id, display_name, before, after })))
    .map(({ count, text, items = [] }) => ({ count, text, items }))
    .sort(smallestFirst);

const partOf = (members: readonly Row[]) => ({ count: members.length, items: members.map(({ id }) => id) });

const smallestFirst = (a: Part, b: Part): number => a.count - b.count;

/** A group in words: `2 failed: rate limited`. */
export function reportGroupText({ outcome, count, text, error }: ReportGroup): string {
  const what = error ?? text;
  return `${count} ${outcome.replace('_', ' ')}${what === '' ? '' : `: ${what}`}`;
}

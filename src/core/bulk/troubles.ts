import type { BulkStatus, BulkTurn, ItemError } from '../../contract/operation';
import { fitting } from '../shared/bounds';
import { idText, nameText, oneLine, shellWord } from '../shared/plain-text';
import { CANNOT_BE_UNDONE } from './preview';
import { needsConfirmation } from './transitions';

/**
 * An item that failed or is in doubt; for the latter `error` describes what is unknown. Its id is empty if only the
 * ledger has it; then the item is only counted.
 */
export type Trouble = ItemError & { in_doubt: boolean };

/** An item that was skipped because somebody had changed it. `again`: it can be retried in its current state. */
export type LeftItem = Pick<ItemError, 'item_id' | 'display_name' | 'error'> & { again: boolean };

/** The maximum number of items in a question. More would push the question off the screen. */
const ASKED_LIMIT = 10;
/** The maximum number of items in the final message of an operation, and in the errors of its status. */
export const ENDED_LIMIT = 50;

/** The maximum bytes of the lines of one message. Updates return it, and history stores their answers. */
const MAX_LINES_BYTES = 24_000;

const isNamed = ({ item_id }: Pick<Trouble, 'item_id'>) => item_id !== '';

/** One line per item, to follow the final sentence; empty if there were no errors. */
export function presentBulkErrors(
  errors: readonly Pick<BulkStatus['errors'][number], 'display_name' | 'item_id' | 'error'>[],
): string {
  return errors
    .map(
      ({ display_name, item_id, error }) =>
        `- ${nameText(display_name)} (${idText(item_id)}): ${oneLine(error)}`,
    )
    .join('\n');
}

const IN_DOUBT = 'In doubt: ';

/** The error entry of an item. Only its text marks an item in doubt. */
export function asError({ in_doubt, ...error }: Trouble): ItemError {
  return in_doubt ? { ...error, error: `${IN_DOUBT}${error.error}` } : error;
}

/** The items in doubt among the errors of a status. */
export const inDoubtAmong = (errors: readonly ItemError[]): ItemError[] =>
  errors.filter(({ error, retryable }) => !retryable && error.startsWith(IN_DOUBT));

/** The lines about skipped items that somebody had changed. */
export function leftLines(turn: Facts, skipped: readonly LeftItem[]): string[] {
  const changed = skipped.filter(({ again }) => again);
  const lost = skipped.filter(({ again, error }) => !again && error.startsWith(CANNOT_BE_UNDONE));
  const conflicts = skipped.filter((item) => !item.again && !lost.includes(item));
  const ended = !needsConfirmation(turn.state);
  return [
    ...(changed.length > 0 ? [`${changed.length} item(s) changed since the preview and were skipped:`] : []),
    ...listed(turn, changed, 'items'),
    ...(changed.length > 0 && ended
      ? [`To try them again as they are now: npx batchgate retry-failed ${turn.operation_id}`]
      : []),
    ...(conflicts.length > 0
      ? [`${conflicts.length} item(s) were changed after the operation and stay as they are:`]
      : []),
    ...listed(turn, conflicts, 'items'),
    ...(lost.length > 0 ? [`${lost.length} item(s) cannot be undone and stay as they are:`] : []),
    ...listed(turn, lost, 'items'),
  ];
}

type Facts = Pick<BulkTurn, 'operation_id' | 'state' | 'forced'>;

/** The lines below a sentence: the items that it counts as failed or in doubt. */
export function troubleLines(turn: Facts, troubles: readonly Trouble[]): string[] {
  const failed = troubles.filter(({ in_doubt }) => !in_doubt);
  const doubtful = turn.state === 'awaiting_resolution' ? [] : troubles.filter(({ in_doubt }) => in_doubt);
  const counted = turn.state === 'completed' && !turn.forced;
  return [
    ...(failed.length > 0 && !counted ? [`${failed.length} item(s) had errors.`] : []),
    ...listed(turn, failed),
    ...(doubtful.length > 0 ? [`${doubtful.length} item(s) are in doubt:`] : []),
    ...listed(turn, doubtful),
  ];
}

/** The items in doubt that prevent completion, and what a person can do about them. */
export function doubtLines(
  turn: Facts & Pick<BulkTurn, 'domain'>,
  troubles: readonly Trouble[],
  tried: string,
): string[] {
  const doubtful = troubles.filter(({ in_doubt }) => in_doubt);
  const first = doubtful.find(isNamed);
  const isSingle = doubtful.length === 1;
  return [
    `${tried} ${isSingle ? '1 item is' : `${doubtful.length} items are`} in doubt:`,
    ...listed(turn, doubtful),
    `Look at ${isSingle ? 'it' : 'each'} in ${turn.domain} and say what became of it with resolve, complete the operation with a reason, or say 'cancel'.`,
    `For example: npx batchgate resolve ${turn.operation_id} --item ${quoted(first?.item_id ?? 'ID')} --outcome succeeded --reason "seen in ${turn.domain}"`,
  ];
}

function listed(
  { operation_id, state }: Facts,
  troubles: readonly Pick<Trouble, 'item_id' | 'display_name' | 'error'>[],
  where: 'errors' | 'items' = 'errors',
): string[] {
  const limit = needsConfirmation(state) ? ASKED_LIMIT : ENDED_LIMIT;
  const lines = troubles
    .filter(isNamed)
    .slice(0, limit)
    .map((trouble) => presentBulkErrors([trouble]));
  const fitted = fitting(lines, MAX_LINES_BYTES);
  const more = troubles.length - fitted.length;
  return [
    ...fitted,
    ...(more > 0
      ? [`… and ${more} more: npx batchgate ${where} ${operation_id}, or the query ${where}.`]
      : []),
  ];
}

/** An id as one shell word; `ID` if it has unreadable characters or spaces. */
function quoted(id: string): string {
  if (nameText(id) !== id || /\s/.test(id)) return 'ID';
  return shellWord(id);
}

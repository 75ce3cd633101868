import type { BulkStatus } from '../../contract/operation';
import { idText, quoted } from '../shared/plain-text';

/** What earlier messages asked of the open batch. */
export interface Pending {
  /** The places, from 0, of the items to leave out. */
  exclude?: number[] | undefined;
  /** A limit that was not understood: only a word that names the action confirms. */
  limited?: true | undefined;
}

const WHICH = "Say 'continue' or 'cancel'.";
const CLARIFY = `Did you mean to continue the bulk operation? ${WHICH}`;
export const STILL_WAITS = 'OK, nothing was done. The operation still waits.';
/** More names would push the question off the screen. */
const MAX_NAMES = 20;

/**
 * The question whether to run the open batch, or a part of it.
 * @param named The words of the latest message that match no items.
 */
export function askBack(status: BulkStatus, { exclude, limited }: Pending, named?: string): string {
  const question = exclude ? partQuestion(status, exclude) : CLARIFY;
  if (!limited) return question;
  const { number = 0 } = status.next_batch ?? {};
  const what =
    named === undefined
      ? `Which items of batch ${number} are meant is not clear`
      : `${quoted(named)} is not exactly one item of batch ${number}`;
  const runs = exclude ? 'runs all of them but these' : 'runs all of them';
  return `${question}\n${what}; 'continue' ${runs}, and a plain yes is not enough.`;
}

/** Names what would be left out, and from two items on also what would run. */
function partQuestion({ next_batch }: BulkStatus, exclude: readonly number[]): string {
  const { number = 0, items = [] } = next_batch ?? {};
  const left = items.filter((_, at) => exclude.includes(at)).map(named);
  const kept = items.filter((_, at) => !exclude.includes(at)).map(named);
  const only = left.length > 1 && kept.length <= MAX_NAMES ? ` with only ${listed(kept)},` : '';
  return `Continue batch ${number}${only} without ${listed(left)}? ${kept.length} of its ${items.length} items will run. ${WHICH}`;
}

const named = ({ id, display_name }: { id: string; display_name: string }) =>
  `${quoted(display_name)} (${idText(id)})`;

function listed(names: readonly string[]): string {
  const more = names.length - MAX_NAMES;
  const shown = more > 0 ? [...names.slice(0, MAX_NAMES), `${more} more`] : names;
  return [shown.slice(0, -1).join(', '), ...shown.slice(-1)].filter(Boolean).join(' and ');
}

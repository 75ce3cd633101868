import type { BulkStatus } from '../../contract/operation';
import { digestOf } from '../shared/canonical';
import { idText, quoted } from '../shared/plain-text';
import { exactTime } from './scheduling';

/** The part of the open batch that earlier messages asked for. */
export interface Pending {
  /** The places, from 0, of the items to leave out. */
  exclude?: number[] | undefined;
  /** A limit that was not recognized: only a word that names the action confirms. */
  limited?: true | undefined;
  /** The time for which it is to be confirmed. */
  not_before?: string | undefined;
}

const WHICH = "Say 'continue' or 'cancel'.";
const WHICH_TIME = "Say 'yes' or 'no'.";
const CLARIFY = `Did you mean to continue the bulk operation? ${WHICH}`;
/** The maximum number of names, so that the question stays on the screen. */
const MAX_NAMES = 20;

/**
 * The question whether to run the open batch, or a part of it.
 * @param unmatched The words of the latest message that match no items.
 */
export function askBack(
  status: BulkStatus,
  { exclude, limited, not_before }: Pending,
  unmatched?: string,
): string {
  const question =
    exclude || not_before !== undefined ? partQuestion(status, exclude ?? [], not_before) : CLARIFY;
  if (!limited) return question;
  const { number = 0 } = status.next_batch ?? {};
  const what =
    unmatched === undefined
      ? `Which items of batch ${number} are meant is not clear`
      : `${quoted(unmatched)} is not exactly one item of batch ${number}`;
  const runs = exclude ? 'runs all of them but these' : 'runs all of them';
  return `${question}\n${what}; 'continue' ${runs}, and a plain yes is not enough.`;
}

/** Names the items that would be left out, and if they are two or more, also those that would run. */
function partQuestion(
  { next_batch }: BulkStatus,
  exclude: readonly number[],
  not_before: string | undefined,
): string {
  const { number = 0, items = [] } = next_batch ?? {};
  const when = not_before === undefined ? '' : ` on ${exactTime(not_before)}`;
  const then = not_before === undefined ? '' : ' Until then you can take it back.';
  if (exclude.length === 0)
    return `Run batch ${number}${when}? Its ${items.length} items run then, and nothing before.${then} ${WHICH_TIME}`;
  const excluded = items.filter((_, at) => exclude.includes(at)).map(itemText);
  const included = items.filter((_, at) => !exclude.includes(at)).map(itemText);
  const only = excluded.length > 1 && included.length <= MAX_NAMES ? ` with only ${listed(included)},` : '';
  return `Continue batch ${number}${when}${only} without ${listed(excluded)}? ${included.length} of its ${items.length} items will run.${then} ${WHICH}`;
}

const itemText = ({ id, display_name }: { id: string; display_name: string }) =>
  `${quoted(display_name)} (${idText(id)})`;

function listed(names: readonly string[]): string {
  const more = names.length - MAX_NAMES;
  const parts = more > 0 ? [...names.slice(0, MAX_NAMES), `${more} more`] : names;
  return [parts.slice(0, -1).join(', '), ...parts.slice(-1)].filter(Boolean).join(' and ');
}

/**
 * The identity of the question whether to run the open batch without these items, or at this time; undefined for the whole
 * of it now.
 */
export function partDigest(
  { next_batch: gate }: BulkStatus,
  { exclude, not_before }: Pending,
): string | undefined {
  if (!exclude && not_before === undefined) return undefined;
  return digestOf({
    digest: gate?.digest,
    ...(exclude && { exclude: exclude.map((at) => gate?.items[at]?.id) }),
    ...(not_before !== undefined && { not_before }),
  });
}

import type { ActionWords } from '../../contract/change';
import type { BulkPreview } from '../../contract/preview';
import type { BulkStatus, BulkTurn } from '../../contract/operation';
import { withoutTrailing } from '../../contract/text';
import { presentChange, withItems } from './change';
import { groupLines } from './groups';
import type { Reader } from './preview-text';
import { sizesText } from './ramp';
import { oneLine } from '../shared/plain-text';
import { duration, plural } from '../shared/quantities';
import { requesterLines } from './requester';
import { guidanceLines, sentBackSentence } from './sent-back';
import { doubtLines, leftLines, troubleLines, type LeftItem, type Trouble } from './troubles';

/** The parts of a sentence besides the counts of its turn. */
export interface SentenceContext {
  noun: { one: string; many: string };
  words: ActionWords;
  failure_threshold?: number;
  /** The current batch. */
  batch: number;
  waited_ms: number;
  /** The items to name: those of the batch that has just run, or at the end those of all batches. */
  troubles: readonly Trouble[];
  /** The items of the same batches that were skipped because somebody had changed them. */
  left: readonly LeftItem[];
  /** The differences from the operation that it revises, for its first question. */
  revised?: readonly string[];
  /** The start time of the scheduled batch, in words. */
  scheduled?: string | undefined;
  /** The lines about the requirements of the batch and its start after a confirmation. */
  waits?: readonly string[];
}

type Facts = Omit<BulkTurn, 'message'>;

/** The text for a person: the sentence, and below it notes and the items that failed or are in doubt. */
export function messageOf(turn: Facts, context: SentenceContext): string {
  return [
    sentence(turn, context),
    ...(turn.reset && turn.state !== 'running_batch' ? [resetNote(turn)] : []),
    ...(turn.state === 'cancelled' && hasNoSlot(turn) ? [oneLine(turn.error?.message ?? '')] : []),
    ...(turn.state === 'cancelled' ? guidanceLines(turn) : []),
    ...(turn.state === 'awaiting_confirmation' ? questionNotes(turn, context.words.already) : []),
    ...(turn.next_batch && !turn.last_batch ? (context.revised ?? []) : []),
    ...(context.waits ?? []),
    ...troubleLines(turn, context.troubles),
    ...leftLines(turn, context.left),
  ].join('\n');
}

const resetNote = (turn: Facts): string =>
  'This operation was reset in Temporal. Its plan and its results so far are those that its ledger has, ' +
  `${counts(turn)}; nothing runs twice.`;

/** Whether it was reset after its end, and other jobs have the slots by now. */
const hasNoSlot = ({ error }: Facts): boolean =>
  error?.code === 'JOB_LIMIT_REACHED' || error?.code === 'SESSION_LOCKED';

/** The sentence for the person, exactly as published. */
function sentence(turn: Facts, context: SentenceContext): string {
  switch (turn.state) {
    case 'preparing':
      return `Preparing to ${context.words.short_name} on ${turn.domain}.`;
    case 'running_batch':
      return `Running batch ${context.batch} of ${turn.batches_total}.`;
    case 'awaiting_confirmation':
      return question(turn, context);
    case 'scheduled':
      return scheduled(turn, context);
    case 'batch_failed':
      return 'An error occurred while processing this batch. Please try again or cancel.';
    case 'awaiting_resolution':
      return inDoubt(turn, context);
    case 'completed':
      return completed(turn);
    case 'cancelled':
      if (turn.sent_back) return `${sentBackSentence(turn, context.words.short_name)}${skippedToo(turn)}`;
      return `Bulk ${context.words.short_name} on ${turn.domain} cancelled. ${turn.processed}/${turn.total} items were processed before cancellation.${skippedToo(turn)}`;
    case 'expired':
      return `Bulk ${context.words.short_name} on ${turn.domain} expired after ${duration(context.waited_ms)} without a confirmation. ${turn.processed}/${turn.total} items were processed.${skippedToo(turn)}`;
    case 'rejected':
      return oneLine(turn.error?.message ?? 'The operation was refused.');
  }
}

function scheduled(
  { operation_id, scheduled_batch, missed_at }: Facts,
  { batch, scheduled: at }: SentenceContext,
): string {
  const { by } = scheduled_batch ?? {};
  const who = by === undefined ? 'confirmed' : `confirmed by ${oneLine(by)}`;
  const missed =
    missed_at === undefined
      ? ''
      : `It was to begin at ${missed_at}, and no worker was there while its window was open; nothing ran. `;
  return `Batch ${batch} runs at ${at} (${who}). ${missed}Take it back until then with withdraw: npx batchgate withdraw ${operation_id}`;
}

/**
 * The text of a status: the message, which names the items that failed. Above a question are the change that a
 * confirmation would make and the requester's reason, if there is one.
 */
export function presentBulkStatus(
  status: Pick<BulkTurn, 'message' | 'next_batch' | 'reason' | 'requested_by' | 'by_agent'>,
): string {
  const { message, next_batch } = status;
  return next_batch
    ? [presentChange(next_batch.change), ...requesterLines(status), message].join('\n')
    : message;
}

/**
 * All items that a confirmation would run, grouped by effect, outliers first; empty if no question is open. The numbers
 * are their places in the batch.
 */
export function presentBatchItems(
  { next_batch, batches_total }: Pick<BulkStatus, 'next_batch' | 'batches_total'>,
  reader: Reader = {},
): string {
  if (!next_batch) return '';
  const { number, items } = next_batch;
  const head = `Batch ${number} of ${batches_total}, ${plural(items.length, 'item', 'items')}:`;
  return [head, ...batchItemLines({ next_batch }, reader)].join('\n');
}

/** A preview in one line. */
export function presentPreview(preview: BulkPreview): string {
  const { total, already, expected_errors, skipped, batches_total, noun } = preview;
  const notes = [
    ...(already > 0 ? [`${already} ${already === 1 ? 'is' : 'are'} already so`] : []),
    ...(expected_errors > 0 ? [`${expected_errors} will probably fail`] : []),
    ...(skipped > 0 ? [`${skipped} ${skipped === 1 ? 'stays as it is' : 'stay as they are'}`] : []),
  ];
  const batches =
    preview.batches_text === undefined
      ? ` in ${plural(batches_total, 'batch', 'batches')}`
      : `, ${preview.batches_text}`;
  const plan = `${plural(total, noun.one, noun.many)}${batches}`;
  const policy = preview.policy === undefined ? '' : ` By its policy, each batch ${preview.policy}.`;
  return `${[plan, ...notes].join('; ')}.${policy} Nothing was changed.`;
}

/** The lines of `presentBatchItems` without the heading. */
export function batchItemLines(
  { next_batch }: Pick<BulkStatus, 'next_batch'>,
  reader: Reader = {},
): string[] {
  return groupLines(next_batch?.items ?? [], reader);
}

function question(turn: Facts, context: SentenceContext): string {
  if (!turn.next_batch) {
    return `Every batch ran, and the contract does not allow completion: ${counts(turn)}. Complete it with a reason, or cancel.`;
  }
  if (!turn.last_batch) {
    const { one, many } = context.noun;
    const batches =
      turn.batches_text === undefined ? ` in batches of ${turn.batch_size}` : `, ${turn.batches_text}`;
    return `Ready to ${withItems(context.words, plural(turn.total, one, many))}${batches}. Say 'continue' to start, or 'cancel' to abort.`;
  }
  const ran = turn.last_batch.succeeded + turn.last_batch.failed;
  const usual = `Processed ${plural(ran, 'item', 'items')} (${turn.processed}/${turn.total} total). ${plural(turn.remaining, 'item', 'items')} remaining. Say 'continue' to process the next batch, or 'cancel' to stop.`;
  return [...warnings(turn, context), usual].join(' ');
}

/** The lines below a question: before the first batch the plan's predictions, and later the number of skipped items. */
export function questionNotes(
  turn: Pick<Facts, 'next_batch' | 'last_batch' | 'total' | 'already' | 'expected_errors' | 'skipped'>,
  alreadyWords = 'are already so',
): string[] {
  if (!turn.next_batch) return [];
  if (turn.last_batch) return skipped(turn);
  const { total, already = 0, expected_errors: failing = 0 } = turn;
  return [
    ...(already > 0 ? [`${already} of ${total} ${alreadyWords}.`] : []),
    ...(failing > 0 ? [`${failing} of ${total} will probably fail.`] : []),
  ];
}

/** The facts that a person must know before the next question. */
function warnings(turn: Facts, context: SentenceContext): string[] {
  const { failure_threshold: threshold } = context;
  return [
    ...(threshold !== undefined && turn.processed > 0 && turn.failed / turn.processed > threshold
      ? [`${turn.failed} of ${turn.processed} items failed so far.`]
      : []),
    ...restartNote(turn),
  ];
}

/** The warning that the batch sizes started again, with the reason. */
function restartNote({ ramp_restart: restart, batch_sizes = [], batches_total }: Facts): string[] {
  if (!restart) return [];
  const { after_batch, items, failed, in_doubt } = restart;
  const again = sizesText(batch_sizes, batches_total - after_batch);
  if (items === 0)
    return [`No item of batch ${after_batch} was run, so the next batch is a first one again: ${again}.`];
  const bad = [
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(in_doubt > 0 ? [`${in_doubt} ${in_doubt === 1 ? 'is' : 'are'} in doubt`] : []),
  ].join(' and ');
  return [
    `Of the ${plural(items, 'item')} that ran in batch ${after_batch}, ${bad}, so the batches start again: ${again}.`,
  ];
}

function completed(turn: Facts): string {
  if (turn.forced) {
    const doubtful = turn.in_doubt > 0 ? [`${turn.in_doubt} item(s) in doubt`] : [];
    const missing = turn.remaining > 0 || turn.in_doubt === 0 ? [`${turn.remaining} item(s) missing`] : [];
    const open = [...missing, ...doubtful].join(' and ');
    return `✅ Completed by decision with ${open}: ${withoutTrailing(oneLine(turn.forced.reason), '.')}.${skippedToo(turn)}`;
  }
  if (turn.total === 0 && turn.undoes !== undefined)
    return `✅ Completed! ${oneLine(turn.undoes)} changed nothing, so nothing was taken back.`;
  if (turn.total === 0) return '✅ Completed! Nothing matches, so nothing was done.';
  return [
    `✅ Completed! Processed ${turn.processed}/${turn.total} items.`,
    ...(turn.failed > 0 ? [`${turn.failed} item(s) had errors.`] : []),
    ...skipped(turn),
  ].join(' ');
}

function inDoubt(turn: Facts, { noun, troubles }: SentenceContext): string {
  const tried = turn.total - turn.skipped;
  const were = tried === 1 ? `1 ${noun.one} was` : `All ${tried} items were`;
  return doubtLines(turn, troubles, `${were} tried.${skippedToo(turn)}`).join('\n');
}

function skipped(turn: Pick<Facts, 'skipped'>): string[] {
  return turn.skipped > 0 ? [`${turn.skipped} item(s) were skipped.`] : [];
}

function skippedToo(turn: Facts): string {
  return skipped(turn)
    .map((text) => ` ${text}`)
    .join('');
}

function counts(turn: Facts): string {
  return `${turn.succeeded} succeeded, ${turn.failed} failed, ${turn.skipped} skipped, ${turn.in_doubt} in doubt`;
}

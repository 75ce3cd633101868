import type { BulkStatus } from '../../contract/operation';
import { presentChange } from '../bulk/change';
import { isMixed, planSummary } from '../bulk/groups';
import type { ErrorBody } from '../../contract/errors';
import { idText, nameText, oneLine, visibleText } from '../shared/plain-text';
import { presentBatchItems } from '../bulk/presenter';
import { plural } from '../shared/quantities';
import { requesterLines } from '../bulk/requester';
import { isClosed } from '../bulk/transitions';
import type { Question, Wish } from './questions';
import { inDoubtAmong, presentBulkErrors } from '../bulk/troubles';
import { forPerson } from '../shared/agent-errors';

const SHOWN = 10;

/** The answer to a question about an operation, from its status. */
export function answerTo(question: Exclude<Question, Wish>, status: BulkStatus): string {
  switch (question) {
    case 'items':
      return [presentBatchItems(status) || questionOf(status), ...planLine(status)].join('\n');
    case 'left':
      return left(status);
    case 'change':
      return change(status);
    case 'undo':
      return status.next_batch ? presentChange(status.next_batch.change) : questionOf(status);
    case 'errors':
      return errors(status);
    case 'status':
      return status.next_batch ? counts(status) : `${counts(status)}\n${status.message}`;
    case 'confirmations':
      return confirmations(status);
    case 'extend':
      return deadline(status);
  }
}

/** The whole plan, if different things happen to its items and the first batch is only a part of it. */
const planLine = (status: BulkStatus): string[] =>
  isMixed(status) ? [`All ${status.total} items: ${planSummary(status)}.`] : [];

/** The open question without the errors of the previous batch, or the whole message if no batch is open. */
export function questionOf({ message, next_batch }: BulkStatus): string {
  return next_batch ? (message.split('\n', 1)[0] ?? message) : message;
}

const GO_ON_INSTEAD = "Say 'continue' to go on with the operation instead.";

/** The answer to a wish to retry before the end: failed items can be retried only after all batches have run. */
export function retryAnswer(status: BulkStatus): string {
  const failed =
    status.failed === 0 ? 'No item has failed so far.' : `${plural(status.failed, 'item')} failed so far.`;
  const later =
    "Failed items can be tried again when this operation has ended: say 'retry the failed ones' then.";
  return [`${failed} ${later}`, ...(status.next_batch ? [GO_ON_INSTEAD] : [])].join('\n');
}

/** The answer to a wish to undo before the end: changes can be undone only when no more follow. */
export function takeBackAnswer({ succeeded, total, next_batch }: BulkStatus): string {
  const changed =
    succeeded === 0
      ? 'No item was changed so far.'
      : `${succeeded} of ${plural(total, 'item')} were changed so far.`;
  const how = {
    yes: "Say 'cancel' first, then 'undo' takes back what was changed.",
    partly: "Say 'cancel' first, then 'undo' takes back what can be taken back.",
    no: "This change cannot be undone. Say 'cancel' to leave the rest unchanged.",
    unknown: "Say 'cancel' to end the operation. After the end, 'undo' says whether this can be undone.",
  }[next_batch?.change.reversible ?? 'unknown'];
  return [`${changed} ${how}`, ...(next_batch ? [GO_ON_INSTEAD] : [])].join('\n');
}

function left({ remaining, total, batches_total, next_batch }: BulkStatus): string {
  const batches = next_batch ? batches_total - next_batch.number + 1 : 0;
  const items = `${remaining} of ${plural(total, 'item')} ${remaining === 1 ? 'is' : 'are'} left`;
  return batches > 0 ? `${items}, in ${plural(batches, 'batch', 'batches')}.` : `${items}.`;
}

function change(status: BulkStatus): string {
  const { next_batch } = status;
  if (!next_batch) return questionOf(status);
  const fields = next_batch.change.fields.map(({ name, from, to }) => {
    const before = from === undefined ? '' : ` (now ${oneLine(from)})`;
    return `- ${oneLine(name)}: ${oneLine(to)}${before}`;
  });
  return [presentChange(next_batch.change), ...fields, ...requesterLines(status)].join('\n');
}

function errors(status: BulkStatus): string {
  const { errors: all, failed, in_doubt, operation_id, error } = status;
  const why = error ? [reason(status.state, error)] : [];
  const listed = failed + in_doubt;
  if (listed === 0) return why[0] ?? 'No item has failed.';
  const lines = presentBulkErrors(all.slice(0, SHOWN));
  const rest = listed - Math.min(all.length, SHOWN);
  const more = rest > 0 ? [`${rest} more: npx batchgate errors ${nameText(operation_id)}`] : [];
  const doubtful = `${plural(in_doubt, 'item')} ${in_doubt === 1 ? 'is' : 'are'} in doubt`;
  const what = [
    ...(failed > 0 ? [`${plural(failed, 'item')} had errors`] : []),
    ...(in_doubt > 0 ? [doubtful] : []),
  ];
  return [...why, `${what.join(', ')}:`, lines, ...more, ...howToSettle(status)].join('\n');
}

/** The reason why the batch, or the whole operation, did not continue. */
function reason(state: BulkStatus['state'], { message, hint }: ErrorBody): string {
  const what = state === 'batch_failed' ? 'The batch stopped: ' : '';
  return visibleText(`${what}${forPerson({ message, hint })}`);
}

/**
 * After the end no question asks about the items in doubt, so an answer that lists them explains how to resolve them.
 */
function howToSettle({ state, errors: all }: BulkStatus): string[] {
  const [first] = inDoubtAmong(all);
  if (!first || !isClosed(state)) return [];
  const id = idText(first.item_id);
  return [`Look at each in its tool, and say for example “${id} succeeded” or “${id} failed”.`];
}

/** The items in doubt of an operation that has ended, for a reply about what follows it; empty if there are none. */
export function stillInDoubt(status: BulkStatus): string[] {
  const doubtful = inDoubtAmong(status.errors);
  if (!isClosed(status.state) || status.in_doubt === 0 || doubtful.length === 0) return [];
  const are = status.in_doubt === 1 ? '1 item is' : `${status.in_doubt} items are`;
  return [
    `${are} still in doubt in ${nameText(status.operation_id)}:`,
    presentBulkErrors(doubtful.slice(0, SHOWN)),
    ...howToSettle(status),
  ];
}

function counts({ processed, total, succeeded, failed, skipped, in_doubt }: BulkStatus): string {
  return `${processed}/${total} items: ${succeeded} succeeded, ${failed} failed, ${skipped} skipped, ${in_doubt} in doubt.`;
}

function confirmations({ confirmations: all, confirmations_truncated }: BulkStatus): string {
  const accepted = all.filter(({ decision, outcome }) => decision === 'continue' && outcome === 'accepted');
  if (accepted.length === 0) return 'No batch was confirmed yet.';
  const lines = accepted.map(
    ({ batch, attempt, by, at }) =>
      `- batch ${batch}${attempt > 1 ? `, attempt ${attempt}` : ''}: ${by === undefined ? 'no name given' : nameText(by)}, ${at}`,
  );
  return [`Confirmed${confirmations_truncated ? ' (the latest)' : ''}:`, ...lines].join('\n');
}

function deadline({ expires_at, operation_id, message }: BulkStatus): string {
  if (expires_at === undefined) return message;
  return `It waits for an answer until ${expires_at}. For an hour more: npx batchgate extend ${nameText(operation_id)} --seconds 3600`;
}

import type { BulkStatus } from '../../contract/operation';
import { presentChange } from '../bulk/change';
import { nameText, oneLine } from '../shared/plain-text';
import { presentBatchItems } from '../bulk/presenter';
import type { Question } from './questions';
import { presentBulkErrors } from '../bulk/troubles';

const SHOWN = 10;

/** The answer to a question about an operation, from its status. */
export function answerTo(question: Exclude<Question, 'retry' | 'take_back'>, status: BulkStatus): string {
  switch (question) {
    case 'items':
      return presentBatchItems(status) || questionOf(status);
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
  }
}

/** The open question without the errors of the previous batch, or the whole message if no batch is open. */
export function questionOf({ message, next_batch }: BulkStatus): string {
  return next_batch ? (message.split('\n', 1)[0] ?? message) : message;
}

/** Before the end, failed items cannot be retried: that waits until all batches have run. */
export function retryAnswer(status: BulkStatus): string {
  const failed =
    status.failed === 0 ? 'No item has failed so far.' : `${plural(status.failed, 'item')} failed so far.`;
  return `${failed} Failed items can be tried again when this operation has ended: say 'retry the failed ones' then.`;
}

/** Before the end, nothing can be undone: that waits until nothing more is changed. */
export function takeBackAnswer({ succeeded, total }: BulkStatus): string {
  const changed =
    succeeded === 0
      ? 'No item was changed so far.'
      : `${succeeded} of ${plural(total, 'item')} were changed so far.`;
  return `${changed} Say 'cancel' first, then 'undo' takes back what was changed.`;
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
  return [presentChange(next_batch.change), ...fields].join('\n');
}

function errors({ errors: all, failed, in_doubt, operation_id }: BulkStatus): string {
  const listed = failed + in_doubt;
  if (listed === 0) return 'No item has failed.';
  const lines = presentBulkErrors(all.slice(0, SHOWN));
  const rest = listed - Math.min(all.length, SHOWN);
  const more = rest > 0 ? `\n${rest} more: npx batchgate errors ${nameText(operation_id)}` : '';
  const doubtful = `${plural(in_doubt, 'item')} ${in_doubt === 1 ? 'is' : 'are'} in doubt`;
  const what = [
    ...(failed > 0 ? [`${plural(failed, 'item')} had errors`] : []),
    ...(in_doubt > 0 ? [doubtful] : []),
  ];
  return `${what.join(', ')}:\n${lines}${more}`;
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

function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

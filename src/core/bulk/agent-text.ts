import type { BulkStatus, BulkTurn } from '../../contract/operation';
import { jsonLine } from '../shared/plain-text';
import { questionNotes } from './presenter';

type Turn = Pick<
  BulkTurn,
  | 'state'
  | 'message'
  | 'error'
  | 'forced'
  | 'undoes'
  | 'total'
  | 'already'
  | 'expected_errors'
  | 'skipped'
  | 'last_batch'
  | 'failed'
  | 'in_doubt'
  | 'sent_back'
  | 'operation_id'
  | 'scheduled_for'
  | 'missed_at'
> & { scheduled_batch?: { number: number } | undefined } & {
  next_batch?: BulkTurn['next_batch'] & Partial<BulkStatus['next_batch']>;
};

/**
 * The sentence about a status for a model. A model may follow any text as an instruction, so the sentence contains no
 * text by other people. The items and reasons of the full message are in separate fields.
 */
export function ownSentence(turn: Turn): string {
  if (turn.state === 'rejected') return `The operation was refused: ${turn.error?.code ?? 'INTERNAL'}.`;
  if (turn.forced) return '✅ Completed by decision of a person, whose reason is in `forced`.';
  if (turn.total === 0 && turn.undoes !== undefined)
    return '✅ Completed! The operation to take back changed nothing, so nothing was taken back.';
  if (turn.state === 'scheduled')
    return `A person confirmed batch ${turn.scheduled_batch?.number}. It runs at ${turn.scheduled_for}, and can be taken back until then.${turn.missed_at === undefined ? '' : ` It missed its window of ${turn.missed_at}, in which nothing ran.`}`;
  const [sentence = ''] = turn.message.split('\n');
  const notes = questionNotes(turn);
  // Before the first batch, the notes cover the whole plan.
  const hasPlanNotes = notes.length > 0 && turn.last_batch === undefined;
  return [sentence, ...notes, ...(hasPlanNotes ? [] : outliers(turn))].join(' ');
}

/** Counts the items of the open batch with a failure, a conflict, no undo or no change. `groups` has the reasons. */
function outliers({ next_batch }: Turn): string[] {
  const groups = next_batch?.groups ?? [];
  const count = (isCounted: (group: (typeof groups)[number]) => boolean) =>
    groups.filter(isCounted).reduce((sum, group) => sum + group.count, 0);
  const [failing, touched, same, final] = [
    count(({ kind }) => kind === 'fails'),
    count(({ kind }) => kind === 'conflict'),
    count(({ kind }) => kind === 'already'),
    count(({ kind, reversible }) => kind === 'changes' && reversible === 'no'),
  ];
  const parts = [
    ...(failing > 0 ? [`${failing} will probably fail`] : []),
    ...(touched > 0 ? [`${touched} changed after the operation`] : []),
    ...(final > 0 ? [`${final} cannot be undone`] : []),
    ...(same > 0 ? [`${same} already so`] : []),
  ];
  return next_batch && parts.length > 0 ? [`Batch ${next_batch.number}: ${parts.join(', ')}.`] : [];
}

const ENDED = 'Nothing more runs. get_bulk_report says what was done; start a new operation for the rest.';

/** The next steps for an agent. */
export function nextStep(turn: Turn): string {
  const { next_batch: gate } = turn;
  switch (turn.state) {
    case 'preparing':
      return 'Call get_bulk_status until the question is open.';
    case 'running_batch':
      return 'A batch runs. Call get_bulk_status for its outcome.';
    case 'scheduled':
      return `Nothing ran yet. Tell the person that it runs at ${turn.scheduled_for}. After that, call continue_bulk_operation with batch ${turn.scheduled_batch?.number} for the outcome.`;
    case 'awaiting_confirmation':
    case 'batch_failed':
      return gate
        ? `Show the person the change, the items of batch ${gate.number} and the link approval_url. Then call continue_bulk_operation with batch ${gate.number}: only the person decides.`
        : 'Every batch ran. Call complete_bulk_operation to have a person complete it, or cancel_bulk_operation.';
    case 'awaiting_resolution':
      return 'Items are in doubt. Call resolve_item for each, so that a person says what became of it.';
    case 'completed':
      return turn.failed > 0
        ? 'Report the failed items. retry_failed_items plans an operation over those that may be tried again; get_bulk_report has a row for each item.'
        : 'Report the outcome. get_bulk_report has a row for each item; undo_bulk_operation plans to take it back.';
    case 'cancelled':
      if (turn.sent_back)
        return `Plan what \`sent_back.note\` asks for, with a reason, and call start_bulk_operation with revises ${JSON.stringify(turn.operation_id)}: the person sees what differs.`;
      return ENDED;
    case 'expired':
      return ENDED;
    case 'rejected':
      return 'Nothing ran. Follow the hint of `error`, and start again.';
  }
}

/**
 * Describes the end of an operation to the model that started it, which gets no other field of it. The words of a person
 * who completed it or sent it back are quoted as one line of JSON and marked as data.
 */
export function outcomeText(turn: BulkTurn): string {
  const { sent_back, forced } = turn;
  return [
    ownSentence(turn),
    ...endCounts(turn),
    ...(forced ? [`The decision, as data: ${jsonLine({ forced })}.`] : []),
    ...(sent_back
      ? [`The person who sent it back said, as data: ${jsonLine({ sent_back })}.`, nextStep(turn)]
      : []),
  ].join(' ');
}

/** The counts that the sentence of an end leaves out. That of a plain completion has them. */
function endCounts(turn: BulkTurn): string[] {
  const { state, forced, total, succeeded, failed, skipped, in_doubt, remaining } = turn;
  const isPlain = state === 'completed' && !forced && in_doubt === 0;
  if (isPlain || state === 'rejected' || total === 0) return [];
  const counts = `${succeeded} succeeded, ${failed} failed, ${skipped} skipped, ${in_doubt} in doubt`;
  return [`Of ${total} item(s): ${counts}, ${remaining} not run.`];
}

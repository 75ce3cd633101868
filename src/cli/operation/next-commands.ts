import type { BulkStatus } from '../../contract/operation';
import { isClosed } from '../../core/bulk/transitions';
import { oneLine, shellWord } from '../../core/shared/plain-text';

/** The commands that a person may need next, the most frequent first. */
export function nextCommands(status: BulkStatus): string[] {
  const id = shellWord(oneLine(status.operation_id));
  return commandsFor(status).map((command) => `npx batchgate ${command.replace('ID', () => id)}`);
}

function commandsFor(status: BulkStatus): string[] {
  if (isClosed(status.state)) return status.state === 'rejected' ? [] : afterEnd(status);
  switch (status.state) {
    case 'awaiting_confirmation':
    case 'batch_failed':
      return status.next_batch
        ? [...afterThrottling(status), 'continue ID', 'cancel ID']
        : ['guard ID', 'complete ID --force --reason "…"', 'cancel ID'];
    case 'scheduled':
      return ['withdraw ID', 'watch ID', 'cancel ID'];
    case 'awaiting_resolution':
      return [...resolving(status), 'complete ID --force --reason "…"'];
    default:
      return ['watch ID', 'cancel ID'];
  }
}

function afterEnd(status: BulkStatus): string[] {
  const { total, succeeded, errors, reversible, undone_by, remaining } = status;
  return [
    ...(total > 0 ? ['report ID'] : []),
    ...resolving(status),
    ...(errors.some(({ retryable }) => retryable) ? ['retry-failed ID'] : []),
    ...(remaining > 0 ? ['resume ID'] : []),
    ...(succeeded > 0 && undone_by === undefined && (reversible === 'yes' || reversible === 'partly')
      ? ['undo ID']
      : []),
  ];
}

/** A confirmation before that time is kept until then; `--not-before` makes it explicit. */
const afterThrottling = ({ throttled_until: until }: BulkStatus): string[] =>
  until !== undefined && Date.parse(until) > Date.now() ? [`continue ID --not-before ${until}`] : [];

const resolving = ({ in_doubt }: BulkStatus): string[] =>
  in_doubt > 0 ? ['errors ID', 'resolve ID --item ITEM --outcome succeeded --reason "…"'] : [];

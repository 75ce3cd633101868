import type { AssistantStatus, TurnView } from '../../contract/assistant';
import type { BulkStatus } from '../../contract/operation';
import { presentBulkStatus } from '../bulk/presenter';
import { oneLine, visibleText } from '../shared/plain-text';
import { forPerson } from '../shared/agent-errors';

/** A line of the summary that a returning person sees. */
export interface Row {
  name: string;
  text: string;
}

/**
 * The context of an interrupted assistant (specification S3): the latest messages, what was done, what is open, and the
 * budget that is left. `open` are the operations that wait, with their questions.
 */
export function restorationOf({ turns, error }: AssistantStatus, open: readonly BulkStatus[]): Row[] {
  const last = turns.at(-1);
  return [
    ...(error ? [{ name: 'refused', text: visibleText(forPerson(error)) }] : []),
    ...(last ? turnRows(last) : []),
    ...open.map((status) => ({ name: 'waits', text: waitsText(status) })),
  ];
}

function turnRows(turn: TurnView): Row[] {
  const { about, text, state, answer } = turn;
  return [
    { name: about === 'message' ? 'you said' : 'about', text: oneLine(text) },
    ...(turn.calls.length > 0 ? [{ name: 'it did', text: doneText(turn) }] : []),
    ...(answer === undefined
      ? []
      : [{ name: state === 'asks' ? 'it asks' : 'it said', text: visibleText(answer) }]),
    ...(state === 'working' ? [{ name: 'left', text: budgetText(turn) }] : []),
  ];
}

/** The calls of a turn: `start_bulk_operation (done)`. */
const doneText = ({ calls }: TurnView): string =>
  calls.map(({ tool, state }) => `${oneLine(tool)} (${state})`).join(', ');

/** The rest of the profile's limits for a turn. */
export const budgetText = ({ steps_left, calls_left }: TurnView): string =>
  `${steps_left} steps, ${calls_left} calls`;

const waitsText = (status: BulkStatus): string =>
  `${oneLine(status.operation_id)}: ${presentBulkStatus(status)
    .split('\n')
    .map((line) => visibleText(line))
    .join(' ')}`;

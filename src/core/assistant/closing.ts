import type { Entry, ModelCall, TurnLimits, TurnState, Used } from '../../contract/assistant';
import type { ErrorBody } from '../../contract/errors';
import { asideOf } from './history';

/** The end of a turn. `by`: the author of the answer, if it is not the model. */
export interface End {
  state: TurnState;
  answer?: string | undefined;
  error?: ErrorBody | undefined;
  by?: 'batchgate';
}

/** The turn, as far as its end depends on it. */
interface Ending {
  pending: readonly ModelCall[];
  limits?: TurnLimits;
  interrupted?: true;
}

/**
 * The entries at the end of a turn: the results of the remaining calls. An answer that is not the model's own and a stop
 * by the person are entries too, because the model would otherwise continue with the request.
 */
export function closingEntries(turn: Ending, end: End): Entry[] {
  const remaining = turn.pending.map((call, at): Entry => ({
    ...{ role: 'tool', call_id: call.id, tool: call.tool },
    ...unfinished(call, at === 0 && turn.interrupted === true),
  }));
  return [...remaining, ...unknownEnd(turn, end)];
}

/** The result of a call at the end of its turn. The turn may have been stopped while the call was running. */
function unfinished({ traits }: ModelCall, begun: boolean): Pick<Used, 'output' | 'tokens'> {
  if (!begun) return { output: { not_made: 'The turn ended before this call.' }, tokens: 16 };
  const effect = traits?.read_only ? '' : ' Its effect is unknown: look before you make it again.';
  return { output: { stopped: `The turn was stopped during this call.${effect}` }, tokens: 32 };
}

function unknownEnd({ limits }: Ending, { by, state, answer }: End): Entry[] {
  // The message of a turn without limits is not an entry.
  if (!limits) return [];
  if (state === 'stopped') return [asideOf(STOPPED, 24)];
  if (by !== 'batchgate' || answer === undefined) return [];
  return [{ role: 'model', text: answer, calls: [], tokens: Math.ceil(answer.length / 3) }];
}

const STOPPED = 'The person stopped this turn. Do not go on with it unless they ask again.';

import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { AssistantStatus } from '../contract/assistant';
import { BatchgateError } from '../contract/errors';
import { beginningOf, tellCall, tellEnd, tellText, type Place, type Told } from '../core/assistant/place';
import { followTurn, getAssistant, openQuestions } from './assistant';

const AGAIN_MS = 1_000;

/**
 * Yields the events of an assistant's turns: streamed text, tool calls, questions, and the end of each turn. It begins
 * at `from`, or with the running turn, and continues until the assistant has ended or `signal` is aborted.
 * `changes` reports that something happened to the assistant, and ends with the assistant.
 */
export async function* watchAssistant(
  client: Client,
  session_id: string,
  {
    from,
    changes,
    signal,
  }: { from?: Place | undefined; changes: AsyncIterable<unknown>; signal: AbortSignal },
): AsyncGenerator<Told> {
  let place = from;
  const catchUp = async function* (): AsyncGenerator<Told> {
    for (;;) {
      const status = await answered(client, session_id, signal);
      if (!status) return;
      place ??= beginningOf(atWork(status));
      const next = status.turns.find(({ number }) => number >= (place?.turn ?? 0));
      if (!next) return;
      if (next.number > place.turn) place = beginningOf(next.number);
      for await (const turnEvent of turnEvents(client, session_id, place, signal)) {
        place = turnEvent.place;
        yield turnEvent;
      }
      // A lost turn, for example of a terminated workflow, has no end to wait for.
      if (place.turn === next.number) return;
    }
  };
  const each = changes[Symbol.asyncIterator]();
  for (let over = false; !over && !signal.aborted;) {
    over = (await each.next()).done ?? false;
    yield* catchUp();
  }
}

/** Returns the number of the running turn, or of the next one. */
function atWork({ turns }: AssistantStatus): number {
  const working = turns.find(({ state }) => state === 'working');
  return working?.number ?? (turns.at(-1)?.number ?? 0) + 1;
}

async function* turnEvents(
  client: Client,
  session_id: string,
  from: Place,
  signal: AbortSignal,
): AsyncGenerator<Told> {
  let place = from;
  for await (const event of followTurn(client, session_id, from.turn, signal)) {
    if ('unanswered' in event) continue;
    const news =
      'text' in event
        ? [tellText(place, event)]
        : 'call' in event
          ? [tellCall(place, event)]
          : tellEnd(place, event.turn, await openQuestions(client, event.turn.operations));
    for (const eventAndPlace of news) {
      if (!eventAndPlace) continue;
      place = eventAndPlace.place;
      yield eventAndPlace;
    }
  }
}

/** Returns the status of the assistant, as soon as a worker answers. */
async function answered(
  client: Client,
  session_id: string,
  signal: AbortSignal,
): Promise<AssistantStatus | undefined> {
  while (!signal.aborted) {
    try {
      return await getAssistant(client, session_id);
    } catch (error) {
      if (!(error instanceof BatchgateError) || error.code !== 'TEMPORAL_UNAVAILABLE') throw error;
      await pause(AGAIN_MS, undefined, { signal }).catch(() => undefined);
    }
  }
  return undefined;
}

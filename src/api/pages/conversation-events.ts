import { unlessMissing, watchAssistant } from '../../client';
import { assistantId } from '../../contract/assistant';
import { beginningOf } from '../../core/assistant/place';
import { visibleText } from '../../core/shared/plain-text';
import type { ApiContext } from '../context';
import type { SentEvent } from '../routes/events';

/**
 * The events for the page of a conversation, from this turn on: `answer`, the text so far of the running turn, and
 * `state` whenever the page must be read again, also after a decision that was made elsewhere.
 */
export async function* conversationEvents(
  { client, events }: ApiContext,
  session_id: string,
  turn: number | undefined,
  signal: AbortSignal,
): AsyncGenerator<SentEvent> {
  yield* merged([operationChanges(), answers()]);

  async function* operationChanges(): AsyncGenerator<SentEvent> {
    for await (const seen of events.ofAll(undefined, signal))
      if (seen.session_id === session_id) yield { event: 'state', data: {} };
  }

  async function* answers(): AsyncGenerator<SentEvent> {
    const changes = events.ofJob(assistantId(session_id), signal);
    const from = turn === undefined ? undefined : beginningOf(turn);
    let told = { turn: 0, step: 0, text: '' };
    try {
      for await (const { event, data } of eventsOf(
        watchAssistant(client, session_id, { from, changes, signal }),
      )) {
        const at = event === 'turn' ? data.number : data.turn;
        if (at !== told.turn || event !== 'text') yield { event: 'state', data: {} };
        if (event !== 'text') {
          told = { ...told, turn: at };
          continue;
        }
        const before = told.turn === at && told.step === data.step ? told.text : '';
        told = { turn: at, step: data.step, text: before.slice(0, data.at) + data.text };
        yield { event: 'answer', data: { turn: at, text: visibleText(told.text) } };
      }
    } catch (error) {
      // The first message starts an assistant, and then the page is loaded again.
      unlessMissing(error);
    }
  }
}

async function* eventsOf<T>(source: AsyncIterable<{ event: T }>): AsyncGenerator<T> {
  for await (const { event } of source) yield event;
}

/** The events of all sources, in the order of arrival. */
async function* merged<T>(sources: readonly AsyncGenerator<T>[]): AsyncGenerator<T> {
  const next = async (source: AsyncGenerator<T>) => ({ source, read: await source.next() });
  const pending = new Map(sources.map((source) => [source, next(source)]));
  while (pending.size > 0) {
    const { source, read } = await Promise.race(pending.values());
    if (read.done) pending.delete(source);
    else {
      pending.set(source, next(source));
      yield read.value;
    }
  }
}

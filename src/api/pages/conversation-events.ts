import { unlessMissing, watchAssistant } from '../../client';
import { assistantId } from '../../contract/assistant';
import { beginningOf } from '../../core/assistant/place';
import { visibleText } from '../../core/shared/plain-text';
import type { ApiContext } from '../context';
import type { SentEvent } from '../routes/events';
import { merged } from './merged';

/** The content of a conversation's page. */
interface PageContent {
  session_id: string;
  /** The turn whose changes it does not show yet. */
  turn: number | undefined;
  /** The position in the changes of all operations. */
  mark: string;
}

/**
 * The events for the page of a conversation: `answer` with the text so far of the running turn, and `state` whenever
 * the page must be refreshed, also after a decision that was made elsewhere.
 */
export async function* conversationEvents(
  { client, events }: ApiContext,
  { session_id, turn, mark }: PageContent,
  signal: AbortSignal,
): AsyncGenerator<SentEvent> {
  yield* merged([operationChanges(), answers()]);

  async function* operationChanges(): AsyncGenerator<SentEvent> {
    for await (const change of events.ofAllSince(mark, signal))
      if (change.event === undefined || change.session_id === session_id) yield { event: 'state', data: {} };
  }

  async function* answers(): AsyncGenerator<SentEvent> {
    const changes = events.ofJob(assistantId(session_id), signal);
    const from = turn === undefined ? undefined : beginningOf(turn);
    let latest = { turn: 0, step: 0, text: '' };
    try {
      for await (const { event, data } of eventsOf(
        watchAssistant(client, session_id, { from, changes, signal }),
      )) {
        const at = event === 'turn' ? data.number : data.turn;
        if (at !== latest.turn || event !== 'text') yield { event: 'state', data: {} };
        if (event !== 'text') {
          latest = { ...latest, turn: at };
          continue;
        }
        const before = latest.turn === at && latest.step === data.step ? latest.text : '';
        latest = { turn: at, step: data.step, text: before.slice(0, data.at) + data.text };
        yield { event: 'answer', data: { turn: at, text: visibleText(latest.text) } };
      }
    } catch (error) {
      // Without an assistant there are no answers. The first message starts one and loads the page again.
      unlessMissing(error);
    }
  }
}

async function* eventsOf<T>(source: AsyncIterable<{ event: T }>): AsyncGenerator<T> {
  for await (const { event } of source) yield event;
}

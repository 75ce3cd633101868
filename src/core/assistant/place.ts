import type { AssistantEvent, CallView, TurnView } from '../../contract/assistant';
import type { BulkStatus } from '../../contract/operation';
import { digestOf } from '../shared/canonical';

/** A reader's position in an assistant's events. It is the id of each event, and returns as `Last-Event-ID`. */
export interface Place {
  turn: number;
  /** The number of received events: two for each call, at its beginning and its end, and then the questions. */
  told: number;
  /** The part of a step's text that the reader has: its step, length and digest. */
  step: number;
  length: number;
  digest: string;
}

export const beginningOf = (turn: number): Place => ({ turn, told: 0, step: 0, length: 0, digest: '' });

export const idOf = ({ turn, told, step, length, digest }: Place): string =>
  [turn, told, step, length, digest].join('.');

/** Undefined for an id that is not one of ours. */
export function placeOf(id: string | undefined): Place | undefined {
  const [, turn, events, step, length, digest = ''] =
    /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})\.(\d{1,9})\.([0-9a-f]{0,16})$/.exec(id ?? '') ?? [];
  if (turn === undefined) return undefined;
  return { turn: Number(turn), told: Number(events), step: Number(step), length: Number(length), digest };
}

/** An event with the position of a reader that has received it. */
export interface Told {
  event: AssistantEvent;
  place: Place;
}

const markOf = (text: string) => digestOf(text).slice(0, 16);

/** The part of a step's text that the reader lacks; the whole text if the step began again with other words. */
export function tellText(place: Place, { step, text }: { step: number; text: string }): Told | undefined {
  const goesOn =
    place.step === step && place.length > 0 && markOf(text.slice(0, place.length)) === place.digest;
  const at = goesOn ? place.length : 0;
  if (text.length === at) return undefined;
  return {
    event: { event: 'text', data: { turn: place.turn, step, at, text: text.slice(at) } },
    place: { ...place, step, length: text.length, digest: markOf(text) },
  };
}

/** The event of a call, if the reader lacks it. Calls are numbered from 0. */
export function tellCall(
  place: Place,
  { number, call }: { number: number; call: CallView },
): Told | undefined {
  const eventCount = 2 * number + (call.state === 'running' ? 1 : 2);
  if (eventCount <= place.told) return undefined;
  const data = { turn: place.turn, number, ...call };
  return { event: { event: 'call', data }, place: { ...place, told: eventCount } };
}

/** The events at the end of a turn: the rest of the answer, the questions that it leaves open, and the whole turn. */
export function tellEnd(from: Place, turn: TurnView, questions: readonly BulkStatus[]): Told[] {
  const rest =
    turn.answer === undefined ? undefined : tellText(from, { step: turn.steps - 1, text: turn.answer });
  const place = rest?.place ?? from;
  const calls = 2 * turn.calls.length;
  const questionEvents = questions.map((status, at): Told => ({
    event: { event: 'question', data: { turn: turn.number, status } },
    place: { ...place, told: calls + at + 1 },
  }));
  return [
    ...(rest ? [rest] : []),
    ...questionEvents.filter(({ place: { told } }) => told > place.told),
    { event: { event: 'turn', data: turn }, place: beginningOf(turn.number + 1) },
  ];
}

import type { AssistantEvent, CallView, TurnView } from '../../contract/assistant';
import type { BulkStatus } from '../../contract/operation';
import { digestOf } from '../shared/canonical';

/** A reader's position in an assistant's events. It is the id of each event, and returns as `Last-Event-ID`. */
export interface Place {
  turn: number;
  /** Calls count twice, when they begin and when they are over; questions follow them. */
  told: number;
  /** The reader's part of the text of a step: its length and digest. */
  step: number;
  length: number;
  digest: string;
}

export const beginningOf = (turn: number): Place => ({ turn, told: 0, step: 0, length: 0, digest: '' });

export const idOf = ({ turn, told, step, length, digest }: Place): string =>
  [turn, told, step, length, digest].join('.');

/** Undefined for an id that is not one of ours. */
export function placeOf(id: string | undefined): Place | undefined {
  const [, turn, told, step, length, digest = ''] =
    /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})\.(\d{1,9})\.([0-9a-f]{0,16})$/.exec(id ?? '') ?? [];
  if (turn === undefined) return undefined;
  return { turn: Number(turn), told: Number(told), step: Number(step), length: Number(length), digest };
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

/** The calls are numbered from 0. */
export function tellCall(
  place: Place,
  { number, call }: { number: number; call: CallView },
): Told | undefined {
  const reached = 2 * number + (call.state === 'running' ? 1 : 2);
  if (reached <= place.told) return undefined;
  const data = { turn: place.turn, number, ...call };
  return { event: { event: 'call', data }, place: { ...place, told: reached } };
}

/** The end of a turn: what the reader lacks of the answer, the questions that it leaves open, and the whole turn. */
export function tellEnd(from: Place, turn: TurnView, questions: readonly BulkStatus[]): Told[] {
  const rest =
    turn.answer === undefined ? undefined : tellText(from, { step: turn.steps - 1, text: turn.answer });
  const place = rest?.place ?? from;
  const calls = 2 * turn.calls.length;
  const asked = questions.map((status, at): Told => ({
    event: { event: 'question', data: { turn: turn.number, status } },
    place: { ...place, told: calls + at + 1 },
  }));
  return [
    ...(rest ? [rest] : []),
    ...asked.filter(({ place: { told } }) => told > place.told),
    { event: { event: 'turn', data: turn }, place: beginningOf(turn.number + 1) },
  ];
}

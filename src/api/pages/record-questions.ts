import type { BulkStatus, Confirmation } from '../../contract/operation';
import { answersIn, questionOf } from '../../core/bulk/answers';
import { isClosed } from '../../core/bulk/transitions';
import { spanText } from '../../core/shared/time-spans';
import { html, moment, nothing, type Html } from './html';

/** The times for which the question of a decision waited, and was shown to the person who decided. */
export function waitOf(decision: Confirmation): Html {
  const [answer] = answersIn([decision]);
  if (!answer) return nothing;
  const { asked_at, waited_seconds, read_seconds } = questionOf(answer);
  const readText =
    read_seconds === undefined
      ? 'How long it was read is not known'
      : `It was shown for ${spanText(read_seconds)} before that`;
  return html`<span class="hint"
    >Asked at ${moment(asked_at)}, it waited ${spanText(waited_seconds)}. ${readText}.</span
  >`;
}

/** The question that expired without an answer. */
export function expiredQuestion({ unanswered, state, updated_at }: BulkStatus): Html {
  if (!unanswered || !isClosed(state)) return nothing;
  const { batch, asked_at } = unanswered;
  const seconds = (Date.parse(updated_at) - Date.parse(asked_at)) / 1_000;
  return html`<p class="hint">
    The question for batch ${batch}, asked at ${moment(asked_at)}, expired after ${spanText(seconds)} without
    an answer.
  </p>`;
}

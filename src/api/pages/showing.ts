import { randomUUID } from 'node:crypto';
import { BatchgateError } from '../../contract/errors';
import { isSettled } from '../../core/approval/selection';
import { digestOf } from '../../core/shared/canonical';
import type { ApiContext } from '../context';
import { answerOnce } from '../idempotency';
import { text, type Fields } from './forms';
import { html, nothing, type Html } from './html';

/** One load of a page. It stays the same load while the page reads itself again. */
export interface Showing {
  id: string;
  /** The stamp of a question; the first one while the page goes on showing it. */
  stampOf(digest: string): string;
}

/** `asked`: the query of a page that reads itself again. */
export function showingOf(
  { deliveries }: ApiContext,
  reader: string,
  asked = new URLSearchParams(),
): Showing {
  const before = asked.get('page') ?? '';
  const stamps = asked.getAll('shown_at');
  return {
    id: /^[0-9a-f-]{36}$/.test(before) ? before : randomUUID(),
    stampOf: (digest) =>
      stamps.find((stamp) => deliveries.timeOf(reader, digest, stamp) !== undefined) ??
      deliveries.stamp(reader, digest),
  };
}

/** The fields that a page sends when it reads itself again, so that it stays the same load. */
export const showingField = ({ id }: Pick<Showing, 'id'>): Html =>
  html`<input type="hidden" class="part-page" name="page" value="${id}" />`;

/** The question that stands beside a form, with when it was delivered; `questionIn` reads it. */
export const besides = (showing: Showing, gate: { digest: string } | undefined): Html =>
  gate === undefined
    ? nothing
    : html`<input type="hidden" name="question" value="${gate.digest}.${showing.stampOf(gate.digest)}" />`;

/** The same form of one load, sent again, is the same decision. */
const decisionIdOf = ({ id }: Pick<Showing, 'id'>, verb: string, about = ''): string =>
  digestOf([id, verb, about]).slice(0, 32);

/**
 * The beginning of a form that decides. Enter in a field presses the first button of a form, so that one does nothing
 * (outside of a dialog): a decision needs a press of its own button.
 */
export const decides = (showing: Pick<Showing, 'id'>, verb: string, about?: string): Html =>
  html`<button hidden formmethod="dialog" formnovalidate></button
    ><input type="hidden" name="decision_id" value="${decisionIdOf(showing, verb, about)}" />`;

/** Whose form was sent, and what it decides. */
interface Decided {
  reader: string;
  verb: string;
  fields: Fields;
}

/** Decides once for each form. If the form comes again, the first outcome counts, whatever else it says then. */
export function decideOnce<T extends object | void>(
  context: ApiContext,
  { reader, verb, fields }: Decided,
  decide: (decisionId: string | undefined) => Promise<T>,
): Promise<T> {
  const id = text(fields, 'decision_id');
  if (id === undefined) return decide(undefined);
  const sent = { caller: reader, key: `form ${digestOf([verb, id])}`, digest: 'form' };
  return answerOnce(context, sent, randomUUID, async () => ((await decide(id)) ?? {}) as T);
}

/**
 * Refuses a press that was not meant for this question.
 * @throws BatchgateError `QUESTION_NOT_SEEN` if the question was not delivered to this reader's page, or just before.
 */
export function refuseUnsettled(
  { deliveries }: ApiContext,
  reader: string,
  { batch, digest, stamp }: { batch: number; digest: string; stamp: string | null },
): void {
  const at = deliveries.timeOf(reader, digest, stamp ?? '');
  if (at === undefined) throw unseen(batch);
  if (!isSettled(at, Date.now())) throw tooSoon(batch);
}

const tooSoon = (batch: number) =>
  new BatchgateError(
    'QUESTION_NOT_SEEN',
    `You pressed before the question for batch ${batch} had been on the page for two seconds, as after a double click.`,
    'Read it, then decide.',
  );
const unseen = (batch: number) =>
  new BatchgateError(
    'QUESTION_NOT_SEEN',
    `This form does not come from a page that showed you the question for batch ${batch}.`,
    'Below is the question. Read it, then decide.',
  );

import { randomUUID } from 'node:crypto';
import { BatchgateError } from '../../contract/errors';
import { isSettled } from '../../core/approval/selection';
import { digestOf } from '../../core/shared/canonical';
import type { ApiContext } from '../context';
import { answerOnce } from '../idempotency';
import { text, type Fields } from './forms';
import { html, nothing, type Html } from './html';

/** One load of a page. A page that refreshes itself stays the same load. */
export interface Showing {
  id: string;
  /** The stamp of a question. It stays the same for as long as the page shows the question. */
  stampOf(digest: string): string;
}

/** `query`: the query of a page that refreshes itself. */
export function showingOf(
  { deliveries }: ApiContext,
  reader: string,
  query = new URLSearchParams(),
): Showing {
  const page = query.get('page') ?? '';
  const stamps = query.getAll('shown_at');
  return {
    id: /^[0-9a-f-]{36}$/.test(page) ? page : randomUUID(),
    stampOf: (digest) =>
      stamps.find((stamp) => deliveries.timeOf(reader, digest, stamp) !== undefined) ??
      deliveries.stamp(reader, digest),
  };
}

/** The field that a page sends when it refreshes itself, so that it stays the same load. */
export const showingField = ({ id }: Pick<Showing, 'id'>): Html =>
  html`<input type="hidden" class="part-page" name="page" value="${id}" />`;

/** The question on the page beside a form, with the stamp of its delivery. `questionIn` parses it. */
export const besides = (showing: Showing, gate: { digest: string } | undefined): Html =>
  gate === undefined
    ? nothing
    : html`<input type="hidden" name="question" value="${gate.digest}.${showing.stampOf(gate.digest)}" />`;

/** A form that one load of a page sends twice is one decision. */
const decisionIdOf = ({ id }: Pick<Showing, 'id'>, verb: string, about = ''): string =>
  digestOf([id, verb, about]).slice(0, 32);

/**
 * The first elements of a form that decides. Enter in a field presses the first button of a form, so this one does
 * nothing (outside of a dialog): a decision needs a press of its own button.
 */
export const decides = (showing: Pick<Showing, 'id'>, verb: string, about?: string): Html =>
  html`<button hidden formmethod="dialog" formnovalidate></button
    ><input type="hidden" name="decision_id" value="${decisionIdOf(showing, verb, about)}" />`;

/** A form that decides, and its sender. */
interface Decided {
  reader: string;
  verb: string;
  fields: Fields;
}

/** Decides once per form. If the form is sent again, the first outcome counts, even if other fields differ. */
export function decideOnce<T extends object | void>(
  context: ApiContext,
  { reader, verb, fields }: Decided,
  decide: (decisionId: string | undefined) => Promise<T>,
): Promise<T> {
  const id = text(fields, 'decision_id');
  if (id === undefined) return decide(undefined);
  const request = { caller: reader, key: `form ${digestOf([verb, id])}`, digest: 'form' };
  return answerOnce(context, request, randomUUID, async () => ((await decide(id)) ?? {}) as T);
}

/**
 * Refuses a press that cannot have been meant for this question.
 * @throws BatchgateError `QUESTION_NOT_SEEN` if the question was not delivered to this reader, or only just before.
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

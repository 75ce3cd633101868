import { reviseBulkOperation } from '../../client';
import { MAX_GUIDANCE_CHARACTERS } from '../../contract/messages';
import type { BulkStatus } from '../../contract/operation';
import type { ApiContext } from '../context';
import { questionIn, required, whole, type Fields } from './forms';
import { html, nothing, type Html } from './html';
import type { Door } from './door';
import { besides, decides, refuseUnsettled } from './showing';
import { typedIn } from './typed';

type Gate = NonNullable<BulkStatus['next_batch']>;

const formId = ({ digest }: Gate) => `revise-${digest.slice(0, 12)}`;

/** The note and the button that send the question back. They belong to `reviseForm`. */
export function reviseDetails(gate: Gate, { typed }: Door): Html {
  const note = typedIn(typed, 'revise', 'note');
  return html`<details class="revise" id="revise" ${typed?.verb === 'revise' ? 'open' : ''}>
    <summary>Send back…</summary>
    <label for="revise-note">What should be done instead?</label>
    <textarea
      id="revise-note"
      name="note"
      form="${formId(gate)}"
      rows="3"
      maxlength="${MAX_GUIDANCE_CHARACTERS}"
      required
    >
${note}</textarea>
    <p class="hint">
      Whoever asked for this gets your words, and may come back with another question. What was done stays
      done. What is left will not be run.
    </p>
    <button class="secondary" form="${formId(gate)}" data-busy="Sending back…">Send it back</button>
  </details>`;
}

/** The form that sends the question back. It comes before its button, so that Enter in its field presses nothing. */
export function reviseForm(gate: Gate | undefined, { base, token, showing }: Door): Html {
  if (!gate) return nothing;
  const field = (name: string, value: number) =>
    html`<input type="hidden" name="${name}" value="${value}" />`;
  return html`<form id="${formId(gate)}" method="post" action="${base}/revise">
    ${decides(showing, 'revise', gate.digest)} ${token} ${field('batch', gate.number)}
    ${field('attempt', gate.attempt)} ${besides(showing, gate)}
  </form>`;
}

/** Sends back exactly the question of the form. */
export async function sendBack(
  context: ApiContext,
  { reader, operation_id, fields }: { reader: string; operation_id: string; fields: Fields },
  { by, decision_id, options }: { by: string | undefined; decision_id: string | undefined; options?: object },
): Promise<void> {
  const { digest = required(fields, 'digest', 'The digest'), stamp } = questionIn(fields);
  const batch = whole(fields, 'batch');
  const note = required(fields, 'note', 'What to do instead');
  refuseUnsettled(context, reader, { batch: batch ?? 1, digest, stamp });
  const decision = { batch, attempt: whole(fields, 'attempt'), digest, note, by, decision_id };
  await reviseBulkOperation(context.client, operation_id, decision, options);
}

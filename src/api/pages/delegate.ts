import type { Client } from '@temporalio/client';
import { delegateApproval, type DecisionOptions } from '../../client';
import { BatchgateError } from '../../contract/errors';
import type { BulkStatus } from '../../contract/operation';
import type { Door } from './door';
import { required, requiredWhole, type Fields } from './forms';
import { html, nothing, type Html } from './html';
import { decides } from './showing';
import { openIf, typedIn } from './typed';

const UNTIL = [
  ['28800', '8 hours'],
  ['86400', '1 day'],
  ['604800', '1 week'],
  ['2419200', '4 weeks'],
] as const;

/** The form with which an approver lets another person approve. */
export function delegateForm({ approvals }: BulkStatus, { base, token, showing, typed }: Door): Html {
  if (!approvals || approvals.from.length === 0) return nothing;
  const [to, duration] = [typedIn(typed, 'delegate', 'to'), typedIn(typed, 'delegate', 'seconds')];
  return html`<details id="delegate" ${openIf(to)}>
    <summary>Delegate…</summary>
    <form class="card" method="post" action="${base}/delegate" autocomplete="off">
      ${decides(showing, 'delegate')} ${token}
      <label for="delegate-to">Who approves in your place? The name under which they decide</label>
      <input id="delegate-to" name="to" maxlength="150" required value="${to}" />
      <label for="delegate-seconds">For how long</label>
      <select id="delegate-seconds" name="seconds">
        ${UNTIL.map(
          ([seconds, words]) =>
            html`<option value="${seconds}" ${seconds === duration ? 'selected' : ''}>${words}</option>`,
        )}
      </select>
      <p class="hint">You and they are one approval together. The record names both.</p>
      <button class="secondary" data-busy="Delegating…">Let them approve</button>
    </form>
  </details>`;
}

/** Delegates the approval to the person in the form, for the time in it. */
export const delegate = (
  client: Client,
  id: string,
  { fields, by, options }: { fields: Fields; by?: string | undefined; options: DecisionOptions },
  decision_id: string | undefined,
) => {
  const seconds = requiredWhole(fields, 'seconds', 'How long');
  if (!UNTIL.some(([offered]) => offered === String(seconds)))
    throw new BatchgateError('INVALID_INPUT', 'How long is none of the choices.', 'Choose how long.');
  return delegateApproval(
    client,
    id,
    {
      ...{ by, decision_id, to: required(fields, 'to', 'Who approves') },
      until: new Date(Date.now() + seconds * 1_000).toISOString(),
    },
    options,
  );
};

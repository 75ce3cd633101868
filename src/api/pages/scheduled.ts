import type { Client } from '@temporalio/client';
import { withdrawBulkOperation, type DecisionOptions } from '../../client';
import type { BulkStatus } from '../../contract/operation';
import { html, moment, named, nothing, plural, prose, type Html } from './html';
import { groupedItems } from './items';
import { decides } from './showing';
import type { Door } from './door';
import { required, text, type Fields } from './forms';
import { openIf, typedIn } from './typed';

/** A batch confirmed for later: its time, its items, and the form that takes the confirmation back. */
export function scheduledView(status: BulkStatus, door: Door): Html {
  const { scheduled_batch: batch, scheduled_for, batches_total, missed_at } = status;
  if (!batch || scheduled_for === undefined) return nothing;
  const { number, digest, items, change } = batch;
  const { noun, mayDecide, token, showing, base } = door;
  return html`<section class="scheduled card" aria-labelledby="scheduled-title">
    <h2 id="scheduled-title">Batch ${number} of ${batches_total} runs at ${moment(scheduled_for)}</h2>
    <p>
      ${prose(change.summary)}
      ${batch.by === undefined ? 'Confirmed' : html`${named(batch.by, 80)} confirmed it`} at
      ${moment(batch.confirmed_at)}. Exactly this runs then:
    </p>
    ${
      missed_at === undefined
        ? nothing
        : html`<p class="changed">
            It was to begin at ${moment(missed_at)}, and nothing was there to run it while its window was
            open. Nothing ran.
          </p>`
    }
    <details id="scheduled-items" ${items.length <= 20 ? 'open' : ''}>
      <summary>${plural(items.length, noun.one, noun.many)}</summary>
      ${groupedItems(items, {
        id: `scheduled-${digest.slice(0, 12)}`,
        row: (_, __, words) => html`<li>${words}</li>`,
      })}
    </details>
    ${
      mayDecide
        ? html`<form method="post" action="${base}/withdraw" autocomplete="off">
            ${decides(showing, 'withdraw', digest)} ${token}
            <input type="hidden" name="digest" value="${digest}" />
            <p class="hint">Until then it can be taken back. Its question is open again then.</p>
            <button class="secondary" data-busy="Taking it back…">Take back</button>
          </form>`
        : nothing
    }
  </section>`;
}

const LATER = [
  ['', 'as soon as it may'],
  ['3600', 'in 1 hour'],
  ['14400', 'in 4 hours'],
  ['28800', 'in 8 hours'],
  ['43200', 'in 12 hours'],
  ['86400', 'in 1 day'],
  ['259200', 'in 3 days'],
] as const;

/** The field for the time of the confirmed batch. Durations mean the same in every zone, even without a script. */
export function laterField({ typed }: Pick<Door, 'typed'>): Html {
  const delay = typedIn(typed, 'continue', 'later');
  return html`<details class="more" id="later-of-the-answer" ${openIf(delay)}>
    <summary>Later…</summary>
    <label for="later">Confirm it now, and run it</label>
    <select id="later" name="later">
      ${LATER.map(
        ([seconds, words]) =>
          html`<option value="${seconds}" ${seconds === delay ? 'selected' : ''}>${words}</option>`,
      )}
    </select>
  </details>`;
}

/** The time before which the batch must not run, if the form sets one. */
export function laterIn(fields: Fields): { not_before?: string } {
  const seconds = LATER.find(([value]) => value === text(fields, 'later'))?.[0];
  if (seconds === undefined) return {};
  return { not_before: new Date(Date.now() + Number(seconds) * 1_000).toISOString() };
}

/** Takes back exactly the confirmation that the page showed. */
export const takeBack = (
  client: Client,
  id: string,
  { fields, by, reason, options }: { fields: Fields; by?: string; reason?: string; options: DecisionOptions },
  decision_id: string | undefined,
) =>
  withdrawBulkOperation(
    client,
    id,
    { by, reason, digest: required(fields, 'digest', 'The digest'), decision_id },
    options,
  );

/** The time until which the tool refuses the batch; undefined if a batch confirmed now can run at once. */
export const throttledUntil = ({ throttled_until: until }: BulkStatus, now: number): string | undefined =>
  until !== undefined && Date.parse(until) > now ? until : undefined;

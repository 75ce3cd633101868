import type { BulkStatus, Confirmation, ItemOutcome, ItemRow } from '../../contract/operation';
import { withoutTrailing } from '../../contract/text';
import { approvalsText } from '../../core/bulk/approval-words';
import { isClosed } from '../../core/bulk/transitions';
import { oneLine } from '../../core/shared/plain-text';
import { expiredQuestion, waitOf } from './record-questions';
import { editsView } from './edit';
import { html, moment, named, nothing, plural, prose, type Html } from './html';
import { refusalWords } from './error-words';
import { DECIDED_WORDS, DECISION_WORDS, DOOR_WORDS, OUTCOME_WORDS, PLACE_WORDS } from './vocabulary';

const SURELY: Readonly<Record<Confirmation['assurance'], string>> = {
  asserted: 'named by the sender',
  platform: 'named by a chat platform',
  session: 'signed in',
  signed: 'signed with a passkey',
};
const surely = ({ assurance }: Confirmation) => SURELY[assurance];

/** The last decision and its author, in a sentence; nothing before the first decision. */
export function lastDecision({ confirmations }: BulkStatus): Html {
  const last = confirmations.findLast(({ outcome }) => outcome === 'accepted');
  return last ? html`<p class="decided">${decisionText(last)}</p>` : nothing;
}

export function decisionText(decision: Confirmation): Html {
  const { by, at, batch, note, scheduled_for } = decision;
  const what =
    decision.decision === 'continue' ? `confirmed batch ${batch}` : DECIDED_WORDS[decision.decision];
  return html`${by === undefined ? 'Somebody who gave no name' : named(by, 80)} ${what} at
  ${moment(at)}${scheduled_for === undefined ? nothing : html`, for ${moment(scheduled_for)}`}
  (${surely(decision)},
  ${decision.door ? PLACE_WORDS[decision.door] : DOOR_WORDS[decision.via]})${note === undefined ? '' : html`: ${decision.decision === 'delegate' ? prose(note) : named(withoutTrailing(note, '.'), 300)}`}.`;
}

/** The results of an operation so far: its counts, batches, items and decisions. */
export function recordView(status: BulkStatus, rows: readonly ItemRow[], total: number): Html {
  return html`<section class="record" aria-labelledby="record-title">
    <h2 id="record-title">Record</h2>
    ${batchTable(status, rows)} ${troubles(status)} ${decisions(status)} ${editsView(status)}
    ${expiredQuestion(status)} ${itemTable(rows, total)}
  </section>`;
}

export function bar(
  counts: Pick<BulkStatus, 'state' | 'total' | 'succeeded' | 'failed' | 'skipped' | 'in_doubt' | 'remaining'>,
): Html {
  const { total, succeeded, failed, skipped, in_doubt, remaining, state } = counts;
  const words = [
    `${succeeded} done`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
    ...(in_doubt > 0 ? [`${in_doubt} in doubt`] : []),
    `${remaining} ${isClosed(state) ? 'not run' : 'to go'}`,
  ].join(', ');
  return html`<p class="progress">
    <progress
      max="${Math.max(total, 1)}"
      value="${total - remaining}"
      aria-label="Progress: ${words} of ${total}"
    ></progress>
    <span>${words}</span>
  </p>`;
}

function batchTable(
  { confirmations, total, batches_total, batch_size, state, approvals, next_batch }: BulkStatus,
  rows: readonly ItemRow[],
): Html {
  // If the rows end within a batch, its counts would be wrong.
  const isWhole = (batch: number) =>
    rows.length === total ||
    rows.some((row) => row.batch > batch) ||
    rows.filter((row) => row.batch === batch).length === batch_size;
  const numbers = [...new Set(rows.map(({ batch }) => batch))].filter(isWhole);
  const approved = approvals && approvalsText(approvals);
  const isUntouched = rows.every(({ outcome }) => outcome === 'pending');
  if (numbers.length === 0 || (isUntouched && approved === undefined)) return nothing;
  const count = (batch: number, outcome: ItemOutcome) =>
    rows.filter((row) => row.batch === batch && row.outcome === outcome).length;
  const unconfirmed = isClosed(state) ? 'not confirmed' : 'not confirmed yet';
  // Omit a column without a value.
  const columns = (['succeeded', 'failed', 'skipped', 'in_doubt'] as const).filter(
    (outcome) => outcome === 'succeeded' || rows.some((row) => row.outcome === outcome),
  );
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Batches">
    <table>
      <caption>
        ${numbers.length < batches_total ? html`The first ${numbers.length} of ${batches_total} batches` : plural(batches_total, 'batch', 'batches')}
      </caption>
      <thead>
        <tr>
          <th scope="col">Batch</th>
          ${columns.map((outcome) => html`<th scope="col" class="n">${OUTCOME_WORDS[outcome]}</th>`)}
          <th scope="col">Confirmed by</th>
        </tr>
      </thead>
      <tbody>
        ${numbers.map((batch) => {
          const by = confirmations.findLast(
            (entry) =>
              entry.batch === batch &&
              entry.decision === 'continue' &&
              entry.outcome === 'accepted' &&
              !entry.withdrawn,
          );
          return html`<tr>
            <th scope="row">${batch}</th>
            ${columns.map((outcome) => html`<td class="n">${count(batch, outcome) || '–'}</td>`)}
            <td>
              ${by ? html`${named(by.by ?? 'no name', 80)}, ${surely(by)}` : batch === next_batch?.number && approved !== undefined ? prose(approved) : unconfirmed}
            </td>
          </tr>`;
        })}
      </tbody>
    </table>
  </div>`;
}

function troubles({ errors, errors_truncated }: BulkStatus): Html {
  if (errors.length === 0) return nothing;
  return html`<h3>Errors</h3>
    <ul class="errors">
      ${errors.map(
        ({ item_id, display_name, error, retryable }) =>
          html`<li>
            <span class="title">${named(display_name)}</span>
            ${item_id === display_name ? nothing : html`<span class="id">${named(item_id, 120)}</span>`}
            <span class="why"
              >${prose(oneLine(error))}${retryable ? html` <em>It may be tried again.</em>` : nothing}</span
            >
          </li>`,
      )}
    </ul>
    ${errors_truncated ? html`<p class="hint">Not all are listed here; the report has them all.</p>` : nothing}`;
}

function decisions({ confirmations, confirmations_truncated }: BulkStatus): Html {
  if (confirmations.length === 0) return nothing;
  return html`<h3>Decisions</h3>
    ${confirmations_truncated ? html`<p class="hint">Only the latest are listed.</p>` : nothing}
    <ol class="decisions">
      ${confirmations.map((entry) =>
        entry.outcome === 'accepted'
          ? html`<li>${decisionText(entry)} ${waitOf(entry)}</li>`
          : html`<li class="refused">
              ${DECISION_WORDS[entry.decision]} by ${named(entry.by ?? 'somebody', 80)} at ${moment(entry.at)}
              was refused and changed nothing${because(entry.outcome)}
            </li>`,
      )}
    </ol>`;
}

function because(outcome: string): string {
  const why = refusalWords(outcome);
  return why === undefined ? '.' : `: ${why}.`;
}

function itemTable(rows: readonly ItemRow[], total: number): Html {
  if (rows.length === 0) return nothing;
  return html`<details class="all-items">
    <summary>Items and outcomes · ${total}</summary>
    ${rows.length < total ? html`<p class="hint">The first ${rows.length}; the report has them all.</p>` : nothing}
    <div class="scroll" tabindex="0" role="group" aria-label="Items">
      <table>
        <thead>
          <tr>
            <th scope="col">Item</th>
            <th scope="col" class="n">Batch</th>
            <th scope="col">Outcome</th>
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            ({ id, display_name, batch, outcome, error }) =>
              html`<tr>
                <td>
                  ${named(display_name, 200)}
                  ${id === display_name ? nothing : html`<span class="id">${named(id, 120)}</span>`}
                </td>
                <td class="n">${batch}</td>
                <td>
                  <span class="outcome ${outcome}">${OUTCOME_WORDS[outcome]}</span
                  >${error === undefined ? nothing : html` <span class="why">${prose(oneLine(error))}</span>`}
                </td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </details>`;
}

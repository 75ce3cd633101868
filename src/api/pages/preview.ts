import type { BulkPreview } from '../../contract/preview';
import { fingerprint } from '../../core/approval/selection';
import { oneLine } from '../../core/shared/plain-text';
import type { ItemList } from '../../host/items/item-list';
import type { Principal } from '../principal';
import type { Fields } from './forms';
import { formToken, html, layout, nothing, plural, prose, type Html } from './html';
import { groupedItems } from './items';
import { fieldsView, factsOf } from './question';
import { listPreview } from './start-view';

export interface PreviewPage {
  preview: BulkPreview;
  /** The values of the form that the preview is for. */
  fields: Fields;
  /** The list of the form. */
  list?: ItemList | undefined;
  /** The path of the form. */
  form: string;
  principal: Principal;
}

/** The change of an operation for each item, with a button that starts exactly this operation. */
export function previewPage({ preview, fields, form, principal, list: itemList }: PreviewPage): Html {
  const { change, total, batches_total, batch_size, batches_text, digest, noun } = preview;
  const plain = `in ${plural(batches_total, 'batch', 'batches')} of up to ${batch_size}`;
  const title = oneLine(change.summary);
  return layout({
    title: `Preview: ${title}`,
    principal,
    at: 'start',
    body: html`<p class="overline">Preview · nothing was changed, and nothing was started</p>
      <section class="question" aria-labelledby="preview-title">
        <h1 id="preview-title">${prose(title)}</h1>
        <p class="facts">
          ${factsOf(change)}
          ${plural(total, noun.one, noun.many)}${batches_text === undefined ? ` ${plain}` : `, ${batches_text}`}.
        </p>
        ${fieldsView(change)} ${tally(preview)}
        <form class="actions" method="post" action="${form}" enctype="multipart/form-data">
          ${formToken(principal)}${again(fields)}<input
            type="hidden"
            name="expect_digest"
            value="${digest}"
          />
          ${total === 0 ? nothing : html`<button class="primary">Start exactly this</button>`}
          <button class="secondary" formaction="${form}/change">Change the form</button>
          <span class="code" title="SHA-256 of exactly this preview">Fingerprint ${fingerprint(digest)}</span>
        </form>
        <p class="hint">
          Each batch still asks before it runs. If an item changed meanwhile, nothing is started.
        </p>
        ${
          itemList
            ? html`<details>
                <summary>How the list was read</summary>
                ${listPreview(itemList, noun)}
              </details>`
            : nothing
        }
        ${list(preview)}
      </section>`,
  });
}

/** All fields of the form, unchanged. */
const again = (fields: Fields): Html[] =>
  [...fields]
    .filter(([name]) => name !== 'expect_digest')
    .map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`);

function tally({ total, already, expected_errors, noun }: BulkPreview): Html {
  const notes = [
    ...(total === 0 ? ['Nothing matches, so there is nothing to start.'] : []),
    ...(already > 0 ? [`${already} of them need no change.`] : []),
    ...(expected_errors > 0 ? [`${plural(expected_errors, noun.one, noun.many)} will probably fail.`] : []),
  ];
  return notes.length === 0 ? nothing : html`<p class="changed">${notes.join(' ')}</p>`;
}

const ON_A_SCREEN = 20;

function list({ items, items_truncated, total }: BulkPreview): Html {
  if (items.length === 0) return nothing;
  return html`<h2>Before and after</h2>
    ${items_truncated ? html`<p class="hint">The first ${items.length} of ${total} are listed.</p>` : nothing}
    ${groupedItems(items, { id: 'group', most: ON_A_SCREEN, row: (_item, _at, text) => html`<li class="in">${text}</li>` })}`;
}

import type { BulkStatus } from '../../contract/operation';
import { pressOf, type Press, type Selection } from '../../core/approval/selection';
import { hasGiven } from '../../core/bulk/approvers';
import type { Door } from './door';
import { html, moment, nothing, plural, prose, type Html } from './html';
import { throttledUntil } from './scheduled';

/** The button that answers the question, labelled with its effect, or the reason why there is none. */
export function decideButton(status: BulkStatus, selection: Selection, door: Door): Html {
  const press = pressOf(status, selection, door.approver, Date.now());
  if (press === 'for_others') return html`<p class="hint">${prose(othersWords(status, door))}</p>`;
  if (press === 'leaves_nothing')
    return html`<p class="hint">
      A batch that needs several approvals keeps at least one item. Leave one in, or cancel the operation.
    </p>`;
  const { signing } = door;
  if (!signing) return button(press, { status, selection, door });
  return html`<p class="signing">${signing.said}</p>
    ${signing.with ? button(press, { status, selection, door }) : nothing}`;
}

function othersWords({ approvals }: BulkStatus, { approver }: Door): string {
  const { given = [], still_needed = '' } = approvals ?? {};
  const own = hasGiven(given, approver) ? 'You have approved this.' : 'Others approve this.';
  return `${own} Nothing runs yet. Still needed: ${still_needed}.`;
}

interface Question {
  status: BulkStatus;
  selection: Selection;
  door: Door;
}

function button(press: Press, question: Question): Html {
  const { gate } = question.selection;
  const { label, busy } = wordsOf(press, question);
  return html`<div class="actions">
    <button
      id="go-${gate.digest.slice(0, 12)}"
      class="primary go"
      data-busy="${busy}"
      aria-describedby="why-off-${gate.digest.slice(0, 12)}"
    >
      ${label}
    </button>
    <noscript
      ><button formmethod="get" formaction="${question.door.base}" class="secondary">
        Show the question without them
      </button></noscript
    >
  </div>`;
}

function wordsOf(
  press: Press,
  { status, selection: { gate, kept, left_out }, door: { noun } }: Question,
): { label: Html; busy: string } {
  const counted = (items: readonly unknown[]) => plural(items.length, noun.one, noun.many);
  const items = plural(kept.length, 'item');
  const batch = `batch ${gate.number}`;
  switch (press) {
    case 'approves': {
      const { needed, given } = status.approvals ?? { needed: 1, given: [] };
      const which = `${given.length + 1} of ${needed}`;
      return { label: html`Approve ${items} of ${batch} (${which})`, busy: `Recording approval ${which}…` };
    }
    case 'leaves_out': {
      const leftOut = plural(left_out.length, 'item');
      return { label: html`Leave out ${leftOut} of ${batch}`, busy: `Leaving out ${counted(left_out)}…` };
    }
    case 'skips': {
      const all = plural(gate.items.length, 'item');
      return { label: html`Skip all ${all} of ${batch}`, busy: `Skipping ${counted(gate.items)}…` };
    }
    default: {
      const until = throttledUntil(status, Date.now());
      const verb = until === undefined && status.state === 'batch_failed' ? 'Try again' : 'Continue';
      const at = until === undefined ? nothing : html` at ${moment(until)}`;
      return { label: html`${verb} with ${items} of ${batch}${at}`, busy: `Running ${counted(kept)}…` };
    }
  }
}

/** The effect of leaving items out, in words. */
export function leftOutWords({ approvals }: BulkStatus, { kept, left_out }: Selection): string {
  const leftOut = `${plural(left_out.length, 'item is', 'items are')} left out`;
  const others = kept.length === 0 ? 'none of them' : plural(kept.length, 'item');
  return (approvals?.needed ?? 1) > 1
    ? `${leftOut}. The others are asked about anew, and approvals begin again.`
    : `${leftOut}, so Continue runs ${others}.`;
}

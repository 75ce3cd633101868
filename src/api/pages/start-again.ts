import { getRequest, unlessMissing } from '../../client';
import type { BulkItem } from '../../contract/items';
import type { LedgerRecord } from '../../contract/ledger-record';
import type { BulkStatus } from '../../contract/operation';
import type { FieldMistake } from '../../core/approval/schema-form';
import { guidanceLines } from '../../core/bulk/sent-back';
import type { ApiContext } from '../context';
import type { Principal } from '../principal';
import type { ShownField } from './fields';
import { filledWith } from './filled';
import { text, type Fields } from './forms';
import { html, may, nothing, path, prose, type Html } from './html';
import { isGiven } from './rows';

const REVISES = 'revises';

/** The parts of an action's form that this module uses. */
interface Form {
  adapter: { adapter: string };
  action: { action: string };
  parameters: readonly ShownField[];
  searching: ReadonlySet<string>;
}

/** The fields for the requester's reason, and for the operation that this one revises. */
export const ASKING_FIELDS: ShownField[] = [
  {
    ...({ name: 'reason', label: 'Why do you ask for this?', kind: 'text', required: false } as const),
    ...{ max_length: 500, hint: 'It stands beside each question, as your words.' },
  },
  {
    ...({ name: REVISES, label: 'In the place of', kind: 'text', required: false, max_length: 150 } as const),
    hint: 'An operation that was sent back. Without a search and a list, this asks about its items that were not run.',
  },
];

/** The link from an operation that was sent back to the form of the next one. */
export const againLink = (
  { operation_id, domain, action, sent_back, undoes }: BulkStatus,
  { role }: Principal,
): Html =>
  sent_back && undoes === undefined && may(role, 'GET /start')
    ? html`<a
        class="button primary"
        href="${path('start', domain, action)}?${REVISES}=${encodeURIComponent(operation_id)}"
        >Start again…</a
      >`
    : nothing;

/** The form filled in from the operation that was sent back, and the guidance on it; undefined if there is none. */
export async function sentBackForm(
  { client }: ApiContext,
  form: Form,
  query: Fields,
  { name }: Principal,
): Promise<{ fields: Fields; said: Html } | undefined> {
  const revises = text(query, REVISES);
  const before = revises === undefined ? undefined : await getRequest(client, revises).catch(unlessMissing);
  const status = before?.status;
  if (revises === undefined || !before || !status?.sent_back || !isOf(before, form)) return undefined;
  const { change_params = {}, terms = {}, batch_size, session_id, requested_by } = before;
  const fields = filledWith(
    form.parameters.filter((field) => !form.searching.has(field.name)),
    change_params,
  );
  fields.set(REVISES, revises);
  if (terms.batch_sizes) fields.set('batch_sizes', terms.batch_sizes.join(', '));
  else fields.set('batch_size', String(batch_size));
  if (terms.approvers) fields.set('approvers', terms.approvers.join('\n'));
  if (session_id !== undefined) fields.set('session_id', session_id);
  // Do not show one person's words under the name of another.
  if (terms.reason !== undefined && requested_by === name && !terms.by_agent)
    fields.set('reason', terms.reason);
  return {
    fields,
    said: html`${guidanceLines(status).map((line) => html`<p class="requester">${prose(line)}</p>`)}`,
  };
}

const isOf = ({ domain, action }: LedgerRecord, of: Form): boolean =>
  domain === of.adapter.adapter && action === of.action.action;

/** The items that were sent back and not run, for a form that names their operation and no other items. */
export async function itemsSentBack(
  { client }: ApiContext,
  form: Form,
  fields: Fields,
): Promise<{ items?: BulkItem[]; mistakes: FieldMistake[] }> {
  const revises = text(fields, REVISES);
  const searches = form.parameters.some((field) => form.searching.has(field.name) && isGiven(field, fields));
  if (revises === undefined || searches) return { mistakes: [] };
  const wrong = (message: string) => ({ mistakes: [{ name: REVISES, message }] });
  const before = await getRequest(client, revises).catch(unlessMissing);
  if (!before) return wrong('There is no such operation.');
  if (!before.status?.sent_back) return wrong('This operation was not sent back.');
  if (!isOf(before, form)) return wrong('This was another action, so search for the items, or list them.');
  const planned = before.items.filter(({ state }) => state === 'planned');
  if (planned.length === 0) return wrong('All of its items were run, so search for others, or list them.');
  return {
    items: planned.map(({ id, display_name, raw_data }) => ({
      id,
      display_name,
      ...(raw_data && { raw_data }),
    })),
    mistakes: [],
  };
}

import { getBulkStatus, getPlannedItems } from '../../client';
import { principalOf, type Api, type ApiContext } from '../context';
import { operationParams } from '../routes/operations';
import { html, layout, nothing, path, prose, type Html } from './html';
import { groupedItems } from './items';
import { sendPage } from './send';

/** The page of all items of a plan, grouped by what happens to them. */
export function addGroupsPage(pages: Api, { client }: ApiContext): void {
  const schema = { hide: true, params: operationParams };
  pages.get('/operations/:operation_id/groups', { schema }, async (request, reply) => {
    const { operation_id } = request.params;
    const [{ summary = '' }, items] = await Promise.all([
      getBulkStatus(client, operation_id),
      getPlannedItems(client, operation_id),
    ]);
    const body = html`<p class="overline">
        <a href="${path('operations', operation_id)}">Back to the operation</a>
      </p>
      <h1>All items, by what happens to them</h1>
      <p class="lead">${prose(summary)}</p>
      ${items.length === 0 ? html`<p>Nothing is planned yet.</p>` : nothing}
      ${groupedItems(items, { id: 'plan', row: (_, __, words) => html`<li>${words}</li>` })}`;
    return sendPage(reply, layout({ title: 'All items', principal: principalOf(request), body }));
  });
}

/** The link to that page. The holder of a link to one question sees no other one. */
export const groupsLink = (base: string): Html =>
  base.startsWith('/operations/') ? html`<a href="${base}/groups">See all of them</a>` : nothing;

import { z } from 'zod';
import { beginBatch, cancelBulkOperation, getBulkStatus, glanceAt, type DecisionOptions } from '../../client';
import { cutAt } from '../../contract/text';
import type { BulkStatus } from '../../contract/operation';
import { selectionOf } from '../../core/approval/selection';
import { assertedBy } from '../../core/bulk/approvers';
import { isClosed } from '../../core/bulk/transitions';
import type { Api, ApiContext } from '../context';
import type { GateLink, OpenLink } from '../gate-links';
import { deliveredIn } from '../read-since';
import { createTurns } from '../turns';
import { answered, refuse } from './answered';
import { confirmationOf, keptOf } from './confirmation';
import { doorOf } from './door';
import { notice } from './error-page';
import { fieldsOf, queryOf, text, type Fields } from './forms';
import { html, layout, live, type LivePart, named, nothing, path, type Html } from './html';
import type { Noun } from '../item-nouns';
import { homeless, titleOf, type OperationPage } from './operation-view';
import { cancelForm, nextText, questionView } from './question';
import { decisionText } from './record';
import { reviseForm, sendBack } from './revise';
import { scheduledView, takeBack } from './scheduled';
import { sendPage } from './send';
import { decideOnce, showingField, showingOf, type Showing } from './showing';
import { unsignedLink } from './signing';

const config = { open: true };
const schema = { hide: true, params: z.object({ token: z.string().max(3_000) }) };

const MAX_REASON = 500;
/** Runs the requests of one link in turn. It decides once, and a later request is refused as already answered. */
const inTurn = createTurns(1);

/** The page of a signed link: one question, which the holder of the link answers with a click. */
export function addGatePages(pages: Api, context: ApiContext): void {
  const { client, links } = context;
  pages.get('/gates/:token', { config, schema }, async (request, reply) => {
    const { token } = request.params;
    const query = queryOf(request);
    const link = await links.read(token);
    const form = await answered(context, request, reply, linkReader(link));
    const { revision } = await glanceAt(client, link.operation_id);
    const status = await getBulkStatus(client, link.operation_id);
    const showing = showingOf(context, linkReader(link), query);
    const noun = await context.nounOf(status.domain);
    return sendPage(
      reply,
      gatePage(
        status,
        link,
        { base: path('gates', token), on: { link: token }, since: { mark: revision }, showing, noun },
        { kept: keptOf(status, form?.fields.has('shown') ? form.fields : query), answered: form },
      ),
    );
  });
  for (const verb of ['continue', 'cancel', 'revise', 'withdraw'] as const) {
    pages.post(`/gates/:token/${verb}`, { config, schema }, async (request, reply) => {
      const { token } = request.params;
      const link = await links.read(token);
      const { digest } = link;
      const fields = fieldsOf(request);
      // A form from the page of another link must not answer this question.
      fields.set('digest', digest);
      try {
        if (verb === 'continue') await confirm(context, link, fields);
        else if (verb === 'revise') await revise(context, link, fields);
        else if (verb === 'withdraw') await withdraw(context, link, fields);
        else await cancel(context, link, fields);
      } catch (error) {
        const place = { own: path('gates', token), reader: linkReader(link) };
        return refuse(context, request, reply, place, error);
      }
      return reply.redirect(path('gates', token), 303);
    });
  }
}

/** The reader of a link's page: everyone who holds a link to this question. */
export const linkReader = ({ digest }: Pick<GateLink, 'digest'>) => `link ${digest}`;

async function confirm(context: ApiContext, link: OpenLink, fields: Fields): Promise<void> {
  const { operation_id, digest, name: by, maker } = link;
  const confirmation = await confirmationOf(context, linkReader(link), operation_id, fields);
  const decision = { ...confirmation, by, note: saidByLink(confirmation.note, maker.name) };
  await inTurn(digest, () =>
    context.inTurn(operation_id, () =>
      beginBatch(context.client, operation_id, decision, throughLink(context, link, fields)),
    ),
  );
}

async function cancel(context: ApiContext, link: OpenLink, fields: Fields): Promise<void> {
  const { operation_id, digest, name: by, maker } = link;
  const reason = saidByLink(text(fields, 'reason'), maker.name);
  await decideOnce(context, { reader: linkReader(link), verb: 'cancel', fields }, () =>
    inTurn(digest, () =>
      cancelOpen(context, { operation_id, digest, by, reason }, throughLink(context, link, fields)),
    ),
  );
}

async function revise(context: ApiContext, link: OpenLink, fields: Fields): Promise<void> {
  const { operation_id, digest, name: by } = link;
  const reader = linkReader(link);
  const options = throughLink(context, link, fields);
  await decideOnce(context, { reader, verb: 'revise', fields }, (decision_id) =>
    inTurn(digest, () => sendBack(context, { reader, operation_id, fields }, { by, decision_id, options })),
  );
}

/** Takes back the confirmation of this link's question. The question that is open then is another one. */
async function withdraw(context: ApiContext, link: OpenLink, fields: Fields): Promise<void> {
  const { operation_id, digest, name: by, maker } = link;
  const request = {
    fields,
    by,
    reason: saidByLink(undefined, maker.name),
    options: throughLink(context, link, fields),
  };
  await decideOnce(context, { reader: linkReader(link), verb: 'withdraw', fields }, (decision_id) =>
    inTurn(digest, () => takeBack(context.client, operation_id, request, decision_id)),
  );
}

const throughLink = (context: ApiContext, link: OpenLink, fields: Fields): DecisionOptions => ({
  ...{ door: 'link', vouch: context.vouch, approver: link.approver },
  shown: () => deliveredIn(context, linkReader(link), fields),
});

const saidByLink = (note: string | undefined, maker: string): string =>
  cutAt([...(note === undefined ? [] : [note]), `by a link that ${maker} made`].join('; '), MAX_REASON);

interface Cancelling {
  operation_id: string;
  digest: string;
  by: string;
  reason: string | undefined;
}

/** Cancels while the link's question is open. Once it is answered, the link cannot cancel either. */
async function cancelOpen(
  { client }: ApiContext,
  { operation_id, digest, by, reason }: Cancelling,
  options: DecisionOptions,
): Promise<void> {
  const { next_batch } = await getBulkStatus(client, operation_id);
  // Let the workflow refuse a confirmation of the closed question, with its own error.
  if (next_batch?.digest !== digest) await beginBatch(client, operation_id, { digest, by }, options);
  else await cancelBulkOperation(client, operation_id, { by, reason }, options);
}

function gatePage(
  status: BulkStatus,
  link: GateLink,
  {
    base,
    on,
    since,
    showing,
    noun,
  }: Pick<LivePart, 'on' | 'since'> & {
    base: string;
    showing: Showing;
    noun: Noun;
  },
  { kept, answered: typed }: Pick<OperationPage, 'kept' | 'answered'>,
): Html {
  const { name, digest } = link;
  const gate = status.next_batch?.digest === digest ? status.next_batch : undefined;
  const signing = unsignedLink(status);
  const door = doorOf('link', { base, approver: assertedBy(name), showing, noun, typed, signing });
  return layout({
    title: titleOf(status),
    body: html`${typed?.error ? notice(typed.error) : nothing}
    ${typed ? homeless({ ...status, next_batch: gate }, kept, typed) : nothing}
    ${live(
      { own: base, stream: '/gates/events', on: isClosed(status.state) ? undefined : on, since },
      showingField(showing),
      html`<p class="overline">This link lets ${named(name, 80)} answer one question.</p>
        <div id="said" role="status">${gate ? nextText(status) : answeredView(status, link)}</div>
        ${status.scheduled_batch?.digest === digest ? scheduledView(status, door) : nothing}
        ${gate ? html`${reviseForm(gate, door)} ${cancelForm(door, gate)} ${questionView(status, selectionOf(gate, kept), door)}` : nothing}`,
    )}`,
  });
}

/** The answer to the link's question, and nothing about later questions. */
function answeredView(status: BulkStatus, { batch, digest }: GateLink): Html {
  const { confirmations, state, last_batch } = status;
  const decision = confirmations.findLast((entry) => entry.outcome === 'accepted' && entry.digest === digest);
  const runs = state === 'running_batch' && decision && last_batch?.number !== batch;
  return html`<section class="standing">
    <h1>The question of this link is answered</h1>
    ${decision ? html`<p class="decided">${decisionText(decision)}</p>` : nothing}
    ${decision?.decision === 'withdraw' ? html`<p class="hint">Its batch did not run. Who asks it again can send you a new link, or you sign in.</p>` : nothing}
    ${runs ? html`<p class="hint">Its batch runs now.</p>` : nothing}
    ${isClosed(state) ? html`<p class="hint">The operation has ended.</p>` : nothing}
  </section>`;
}

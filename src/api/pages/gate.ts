import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { beginBatch, cancelBulkOperation, getBulkStatus } from '../../client';
import { cutAt } from '../../contract/text';
import type { ErrorBody } from '../../contract/errors';
import type { BulkStatus } from '../../contract/operation';
import { selectionOf } from '../../core/approval/selection';
import { isClosed } from '../../core/bulk/transitions';
import type { Api, ApiContext } from '../context';
import type { GateLink } from '../gate-links';
import { createTurns } from '../turns';
import { problemOf } from '../problems';
import type { SeenEvent } from '../event-channel';
import { streamEvents, type SentEvent } from '../routes/events';
import { notice } from './error-page';
import { fieldsOf, places, queryOf, text, type Fields } from './forms';
import { html, layout, live, named, nothing, path, plural, type Html } from './html';
import type { Noun } from '../item-nouns';
import { confirmationOf, keptOf } from './operation';
import { titleOf, type OperationPage } from './operation-view';
import { questionView, type Door } from './question';
import { decisionText } from './record';
import { sendPage } from './send';
import { decideOnce, decides, showingField, showingOf, type Showing } from './showing';

const config = { open: true };
const schema = { hide: true, params: z.object({ token: z.string().max(3_000) }) };

const MAX_REASON = 500;
/** A link decides once: of two requests that arrive together, the later one finds its question answered. */
const inTurn = createTurns(1);

/** The page of a signed link: one question, which the holder of the link answers with a click. */
export function addGatePages(pages: Api, context: ApiContext): void {
  const { client, links, events } = context;
  const show = async (
    reply: FastifyReply,
    token: string,
    more: (status: BulkStatus) => Partial<OperationPage>,
    asked?: URLSearchParams,
  ) => {
    const link = await links.read(token);
    const status = await getBulkStatus(client, link.operation_id);
    const showing = showingOf(context, linkReader(link), asked);
    const noun = await context.nounOf(status.domain);
    return sendPage(
      reply,
      gatePage(status, link, { base: path('gates', token), showing, noun }, more(status)),
    );
  };
  pages.get('/gates/:token', { config, schema }, (request, reply) => {
    const asked = queryOf(request);
    return show(reply, request.params.token, (status) => ({ kept: keptOf(status, asked) }), asked);
  });
  pages.get('/gates/:token/events', { config, schema }, async (request, reply) => {
    const readLink = () => links.read(request.params.token);
    const { operation_id } = await readLink();
    request.checkAgain = readLink;
    return streamEvents(reply, (signal) => changes(events.ofOperation(operation_id, undefined, signal)));
  });
  for (const verb of ['continue', 'cancel'] as const) {
    pages.post(`/gates/:token/${verb}`, { config, schema }, async (request, reply) => {
      const { token } = request.params;
      const link = await links.read(token);
      const { digest } = link;
      const fields = fieldsOf(request);
      // A form from the page of another link must not answer this question.
      fields.set('digest', digest);
      try {
        if (verb === 'continue') await confirm(context, link, fields);
        else await cancel(context, link, fields);
      } catch (error) {
        const { status, problem } = problemOf(error);
        if (status >= 500) throw error;
        const kept = places(fields, 'keep');
        const refused = { error: problem.body };
        return show(reply.code(status), token, (now) => ({
          refused,
          ...(now.next_batch?.digest === digest && { kept }),
        }));
      }
      return reply.redirect(path('gates', token), 303);
    });
  }
}

/** Whom a link's page is delivered to: whoever holds a link to this question. */
export const linkReader = ({ digest }: Pick<GateLink, 'digest'>) => `link ${digest}`;

async function confirm(context: ApiContext, link: GateLink, fields: Fields): Promise<void> {
  const { operation_id, digest, name: by, maker } = link;
  const asked = await confirmationOf(context, linkReader(link), operation_id, fields);
  const decision = { ...asked, by, note: `by a link that ${maker.name} made` };
  await inTurn(digest, () =>
    context.inTurn(operation_id, () => beginBatch(context.client, operation_id, decision)),
  );
}

async function cancel(context: ApiContext, link: GateLink, fields: Fields): Promise<void> {
  const { operation_id, digest, name: by, maker } = link;
  const said = [text(fields, 'reason'), `by a link that ${maker.name} made`];
  const reason = cutAt(said.filter((part) => part !== undefined).join('; '), MAX_REASON);
  await decideOnce(context, { reader: linkReader(link), verb: 'cancel', fields }, () =>
    inTurn(digest, () => cancelOpen(context, { operation_id, digest, by, reason })),
  );
}

/** That something changed, and not what: the link is for one question. */
async function* changes(source: AsyncIterable<SeenEvent>): AsyncGenerator<SentEvent> {
  for await (const { event } of source) yield { id: event.event_id, event: 'state', data: {} };
}

interface Cancelling {
  operation_id: string;
  digest: string;
  by: string;
  reason: string | undefined;
}

/** The link is for one question: once that is answered, the link cannot cancel either. */
async function cancelOpen(
  { client }: ApiContext,
  { operation_id, digest, by, reason }: Cancelling,
): Promise<void> {
  const { next_batch } = await getBulkStatus(client, operation_id);
  // The workflow refuses a confirmation of it, in its own words.
  if (next_batch?.digest !== digest) await beginBatch(client, operation_id, { digest, by });
  else await cancelBulkOperation(client, operation_id, { by, reason });
}

function gatePage(
  status: BulkStatus,
  link: GateLink,
  { base, showing, noun }: { base: string; showing: Showing; noun: Noun },
  { kept, refused }: Partial<OperationPage> & { refused?: { error: ErrorBody } },
): Html {
  const { name, digest } = link;
  const gate = status.next_batch?.digest === digest ? status.next_batch : undefined;
  const door = { base, token: nothing, mayDecide: true, showing, noun };
  return layout({
    title: titleOf(status),
    body: html`${refused ? notice(refused.error) : nothing}
    ${live(
      { own: base, events: `${base}/events` },
      showingField(showing),
      html`<p class="overline">This link lets ${named(name, 80)} answer one question.</p>
        ${gate ? html`${questionView(status, selectionOf(gate, kept), door)} ${cancelForm(door, status.remaining)}` : answered(status, link)}`,
    )}`,
  });
}

/** Who answered it, and nothing about later questions. */
function answered({ confirmations, state, last_batch }: BulkStatus, { batch, digest }: GateLink): Html {
  const decided = confirmations.findLast((one) => one.outcome === 'accepted' && one.digest === digest);
  const runs = state === 'running_batch' && decided && last_batch?.number !== batch;
  return html`<section class="standing">
    <h1>The question of this link is answered</h1>
    <div role="status">
      ${decided ? html`<p class="decided">${decisionText(decided)}</p>` : nothing}
      ${runs ? html`<p class="hint">Its batch runs now.</p>` : nothing}
      ${isClosed(state) ? html`<p class="hint">The operation has ended.</p>` : nothing}
    </div>
  </section>`;
}

const cancelForm = ({ base, showing }: Door, remaining: number): Html =>
  html`<div class="others">
    <details>
      <summary>Cancel…</summary>
      <form class="card" method="post" action="${base}/cancel">
        ${decides(showing, 'cancel')}
        <label for="cancel-reason">Why? (optional)</label>
        <input id="cancel-reason" name="reason" maxlength="500" />
        <p class="hint">What was done stays done. ${plural(remaining, 'item')} will not be run.</p>
        <button class="danger" data-busy="Cancelling…">Cancel the operation</button>
      </form>
    </details>
  </div>`;

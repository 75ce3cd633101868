import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { getBulkStatus } from '../../client';
import { parseInput } from '../../contract/errors';
import type { Passkey } from '../../contract/passkeys';
import { idSchema } from '../../contract/text';
import { relyingParty } from '../../core/access/relying-party';
import { principalOf, type Api, type ApiContext } from '../context';
import {
  invitationUrl,
  invite,
  mayRegister,
  noSuchPasskey,
  ownerOf,
  register,
  registrationOptions,
} from '../passkeys/registration';
import { signingOptions } from '../passkeys/signing';
import { hashOf, type Principal } from '../principal';
import { operationParams } from '../routes/operations';
import { fieldsOf, queryOf, required, text, type Fields } from './forms';
import { formToken, html, layout, may, moment, named, nothing, path, plainName, type Html } from './html';
import { answered, refuse, type Answered } from './answered';
import { confirmationOf } from './confirmation';
import { notice } from './error-page';
import { sendPage } from './send';
import { decideOnce, decides, showingOf, type Showing } from './showing';
import { NO_PASSKEYS_HERE } from './signing';
import { typedIn } from './typed';

const hide = { hide: true };
const params = z.object({ passkey_id: z.string().max(2_000).optional() });
const INVITE = 'POST /passkeys/invitations';
const OWN = '/passkeys';

/** The page of a person's passkeys, and the challenges that browsers request before a passkey signs. */
export function addPasskeyPages(pages: Api, context: ApiContext): void {
  const { access } = context;
  pages.get('/passkeys', { schema: hide }, (request, reply) => show(context, request, reply));
  pages.post('/passkeys/challenge', { schema: hide }, async (request, reply) =>
    reply.send(await registrationOptions(context, request, text(fieldsOf(request), 'invitation'))),
  );
  const takes = (
    url: string,
    take: (request: FastifyRequest, fields: Fields, passkeyId: string) => Promise<unknown>,
    next: (request: FastifyRequest) => string = () => OWN,
  ) =>
    pages.post(url, { schema: { ...hide, params } }, async (request, reply) => {
      const [fields, reader] = [fieldsOf(request), principalOf(request).id];
      try {
        await decideOnce(context, { reader, verb: url, fields }, async () => {
          await take(request, fields, request.params.passkey_id ?? '');
        });
      } catch (error) {
        return refuse(context, request, reply, { own: OWN, reader }, error);
      }
      return reply.redirect(next(request), 303);
    });
  takes(OWN, (request, fields) =>
    register(context, request, {
      passkey: required(fields, 'passkey', 'The answer of the passkey'),
      label: labelIn(fields),
      invitation: text(fields, 'invitation'),
    }),
  );
  const changes = (verb: string, change: (request: FastifyRequest, id: string) => Promise<boolean>) =>
    takes(`${OWN}/:passkey_id/${verb}`, async (request, _fields, id) => {
      if (!(await change(request, id))) throw noSuchPasskey();
    });
  changes('name', (request, id) =>
    access.passkeys.renamePasskey(id, ownerOf(context, request).subject, labelIn(fieldsOf(request))),
  );
  changes('revoke', (request, id) =>
    access.passkeys.revokePasskey(
      id,
      may(principalOf(request).role, INVITE) ? undefined : ownerOf(context, request).subject,
    ),
  );
  takes(
    `${OWN}/invitations`,
    (request, fields) => {
      const name = parseInput(idSchema(150), required(fields, 'name', 'The name'), 'The name');
      return invite(context, request, name, invitationOf(request));
    },
    (request) => `${OWN}?invited=${invitationOf(request)}`,
  );
  addSigning(pages, context);
}

function addSigning(pages: Api, context: ApiContext): void {
  const schema = { ...hide, params: operationParams };
  pages.post('/operations/:operation_id/challenge', { schema }, async (request, reply) => {
    const { operation_id } = request.params;
    const reader = principalOf(request).id;
    const decision = await confirmationOf(context, reader, operation_id, fieldsOf(request), false);
    const status = await getBulkStatus(context.client, operation_id);
    return reply.send(await signingOptions(context, request, status, decision));
  });
}

const labelIn = (fields: Fields): string =>
  parseInput(idSchema(60), required(fields, 'label', 'The name of the passkey'), 'The name of the passkey');

/** The secret of an invitation, derived from its form: a repeated form has the same one, so it need not be stored. */
const invitationOf = (request: FastifyRequest): string =>
  hashOf(`invitation ${principalOf(request).form_token} ${required(fieldsOf(request), 'decision_id')}`);

async function show(context: ApiContext, request: FastifyRequest, reply: FastifyReply): Promise<never> {
  const principal = principalOf(request);
  const query = queryOf(request);
  const refused = await answered(context, request, reply, principal.id);
  const owner = ownerOf(context, request);
  const isAdmin = may(principal.role, INVITE);
  const listed = await context.access.passkeys.listPasskeys(isAdmin ? undefined : owner.subject);
  const valid = listed.filter(({ revoked_at }) => revoked_at === undefined);
  const invitation = text(refused?.fields ?? query, 'invitation');
  const facts = {
    refused,
    showing: showingOf(context, principal.id),
    invited: isAdmin ? await invitedBy(context, text(query, 'invited')) : undefined,
    own: valid.filter(({ subject }) => subject === owner.subject),
    others: valid.filter(({ subject }) => subject !== owner.subject),
    ...{ principal, isAdmin, invitation },
    allowed: (await mayRegister(context, owner, invitation)) !== undefined,
    byProvider: principal.subject !== undefined,
    origin: relyingParty(context.origin())?.origin,
  };
  return sendPage(reply, passkeysPage(facts));
}

interface PasskeysPage {
  principal: Principal;
  showing: Showing;
  refused: Answered | undefined;
  /** The invitation that was just made. */
  invited: Awaited<ReturnType<typeof invitedBy>>;
  own: readonly Passkey[];
  others: readonly Passkey[];
  isAdmin: boolean;
  /** Whether the person may register one now. */
  allowed: boolean;
  invitation: string | undefined;
  byProvider: boolean;
  /** The address of the pages on which passkeys sign; undefined if there is none. */
  origin: string | undefined;
}

const passkeysPage = (page: PasskeysPage): Html =>
  layout({
    title: 'Passkeys',
    principal: page.principal,
    body: html`<p class="overline"><a href="/">Inbox</a></p>
      <h1>Passkeys</h1>
      <p class="lead">
        With a passkey you sign a decision: your device checks that it is you, and anyone can verify later
        what you decided.
      </p>
      ${page.refused?.error ? notice(page.refused.error, 'Nothing was changed') : nothing}
      ${page.invited ? invitedView(page.invited) : nothing}
      ${page.own.length === 0 ? html`<p>You have no passkey yet.</p>` : page.own.map((passkey) => passkeyCard(passkey, page))}
      ${registration(page)}
      ${
        page.isAdmin
          ? html`${page.others.length === 0 ? nothing : html`<h2>Passkeys of others</h2>`}
            ${page.others.map((passkey) => passkeyCard(passkey, page))} ${invitationForm(page)}`
          : nothing
      }`,
  });

function passkeyCard(passkey: Passkey, { principal, own, showing }: PasskeysPage): Html {
  const { passkey_id, label, by, created_at, last_used_at } = passkey;
  const base = path('passkeys', passkey_id);
  const isOwn = own.includes(passkey);
  return html`<section class="card passkey">
    <p>
      <strong>${named(label, 60)}</strong> ${isOwn ? nothing : html`of ${named(by, 100)}`}
      <span class="hint"
        >registered
        ${moment(created_at)}${last_used_at === undefined ? ', never used' : html`, last used ${moment(last_used_at)}`}</span
      >
    </p>
    ${
      isOwn
        ? html`<form method="post" action="${base}/name">
            ${decides(showing, 'name', passkey_id)} ${formToken(principal)}
            <label>Name <input name="label" required maxlength="60" value="${label}" /></label>
            <button class="secondary" aria-label="Rename ${plainName(label)}">Rename</button>
          </form>`
        : nothing
    }
    <form method="post" action="${base}/revoke">
      ${decides(showing, 'revoke', passkey_id)} ${formToken(principal)}
      <button class="danger" aria-label="Revoke ${plainName(label)}">Revoke</button>
      <span class="hint">What it signed stays valid. It signs nothing more.</span>
    </form>
  </section>`;
}

function registration({ principal, showing, allowed, invitation, byProvider, origin }: PasskeysPage): Html {
  if (origin === undefined) return html`<p class="notice">${NO_PASSKEYS_HERE}</p>`;
  if (!allowed) {
    const again = '/sign-in/oidc?fresh=yes&return_to=/passkeys';
    return html`<p class="notice">
      ${invitation === undefined ? nothing : 'This invitation was used, has expired, or is for somebody else. '}
      To register a passkey, sign in again and come back within 10 minutes, or ask an administrator for an
      invitation. ${byProvider ? html`<a class="button" href="${again}">Sign in again</a>` : nothing}
    </p>`;
  }
  return html`<form
    class="card"
    method="post"
    action="/passkeys"
    autocomplete="off"
    data-passkey="/passkeys/challenge"
    data-passkey-origin="${origin}"
  >
    <h2>Register a passkey</h2>
    ${decides(showing, 'register')} ${formToken(principal)}
    ${invitation === undefined ? nothing : html`<input type="hidden" name="invitation" value="${invitation}" />`}
    <label>Name of the device <input name="label" required maxlength="60" placeholder="Phone" /></label>
    <noscript><p class="hint">This needs JavaScript.</p></noscript>
    <button class="primary" data-busy="Waiting for your device…">Register a passkey</button>
  </form>`;
}

const invitationForm = ({ principal, showing, refused }: PasskeysPage): Html =>
  html`<form class="card" method="post" action="/passkeys/invitations" autocomplete="off">
    <h2>Invite somebody to register a passkey</h2>
    ${decides(showing, 'invite')} ${formToken(principal)}
    <label
      >Their name, as decisions record it
      <input name="name" required maxlength="150" value="${typedIn(refused, 'invitations', 'name')}"
    /></label>
    <p class="hint">The link registers one passkey, within a day, for that person when they are signed in.</p>
    <button class="secondary">Make a link</button>
  </form>`;

/** The invitation whose secret the address of the page contains; undefined if it was used or has expired. */
async function invitedBy({ access, origin }: ApiContext, token: string | undefined) {
  const invitation = token === undefined ? undefined : await access.passkeys.findInvitation(hashOf(token));
  return invitation && { ...invitation, url: invitationUrl(origin(), token ?? '') };
}

const invitedView = ({ name, url, expires_at }: { name: string; url: string; expires_at: string }): Html =>
  html`<section class="card" aria-labelledby="invited-title">
    <h2 id="invited-title">Invitation for ${named(name, 100)}</h2>
    <p>
      Send this link to ${named(name, 100)}. It is shown on this page only, and is valid until
      ${moment(expires_at)}.
    </p>
    <p><code>${url}</code></p>
  </section>`;

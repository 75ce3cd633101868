import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { getBulkStatus } from '../../client';
import { parseInput } from '../../contract/errors';
import type { Passkey } from '../../contract/passkeys';
import { idSchema } from '../../contract/text';
import { relyingParty } from '../../core/access/relying-party';
import { principalOf, type Api, type ApiContext } from '../context';
import {
  invite,
  mayRegister,
  noSuchPasskey,
  ownerOf,
  register,
  registrationOptions,
} from '../passkeys/registration';
import { signingOptions } from '../passkeys/signing';
import type { Principal } from '../principal';
import { operationParams } from '../routes/operations';
import { fieldsOf, queryOf, required, text, type Fields } from './forms';
import { formToken, html, layout, may, moment, named, nothing, path, plainName, type Html } from './html';
import { confirmationOf } from './confirmation';
import { sendPage } from './send';
import { NO_PASSKEYS_HERE } from './signing';

const hide = { hide: true };
const params = z.object({ passkey_id: z.string().max(2_000) });
const INVITE = 'POST /passkeys/invitations';

/** The page of a person's passkeys, and what a browser asks for before a passkey signs. */
export function addPasskeyPages(pages: Api, context: ApiContext): void {
  const { client, access } = context;
  pages.get('/passkeys', { schema: hide }, (request, reply) =>
    show(context, request, reply, queryOf(request)),
  );
  pages.post('/passkeys/challenge', { schema: hide }, async (request, reply) =>
    reply.send(await registrationOptions(context, request, text(fieldsOf(request), 'invitation'))),
  );
  pages.post('/passkeys', { schema: hide }, async (request, reply) => {
    const fields = fieldsOf(request);
    await register(context, request, {
      passkey: required(fields, 'passkey', 'The answer of the passkey'),
      label: labelIn(fields),
      invitation: text(fields, 'invitation'),
    });
    return reply.redirect('/passkeys', 303);
  });
  const changes = (verb: string, change: (request: FastifyRequest, id: string) => Promise<boolean>) =>
    pages.post(`/passkeys/:passkey_id/${verb}`, { schema: { ...hide, params } }, async (request, reply) => {
      if (!(await change(request, request.params.passkey_id))) throw noSuchPasskey();
      return reply.redirect('/passkeys', 303);
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
  pages.post('/passkeys/invitations', { schema: hide }, async (request, reply) => {
    const name = parseInput(idSchema(150), required(fieldsOf(request), 'name', 'The name'), 'The name');
    const { url, expires_at } = await invite(context, request, name);
    return sendPage(reply, invitationPage(principalOf(request), { name, url, expires_at }));
  });
  pages.post(
    '/operations/:operation_id/challenge',
    { schema: { ...hide, params: operationParams } },
    async (request, reply) => {
      const { operation_id } = request.params;
      const reader = principalOf(request).id;
      const asked = await confirmationOf(context, reader, operation_id, fieldsOf(request), false);
      const status = await getBulkStatus(client, operation_id);
      return reply.send(await signingOptions(context, request, status, asked));
    },
  );
}

const labelIn = (fields: Fields): string =>
  parseInput(idSchema(60), required(fields, 'label', 'The name of the passkey'), 'The name of the passkey');

async function show(
  context: ApiContext,
  request: FastifyRequest,
  reply: FastifyReply,
  asked: Fields,
): Promise<never> {
  const principal = principalOf(request);
  const owner = ownerOf(context, request);
  const isAdmin = may(principal.role, INVITE);
  const listed = await context.access.passkeys.listPasskeys(isAdmin ? undefined : owner.subject);
  const valid = listed.filter(({ revoked_at }) => revoked_at === undefined);
  const invitation = text(asked, 'invitation');
  const facts = {
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
      ${page.own.length === 0 ? html`<p>You have no passkey yet.</p>` : page.own.map((one) => passkeyCard(one, page))}
      ${registration(page)}
      ${
        page.isAdmin
          ? html`${page.others.length === 0 ? nothing : html`<h2>Passkeys of others</h2>`}
            ${page.others.map((one) => passkeyCard(one, page))} ${invitationForm(page.principal)}`
          : nothing
      }`,
  });

function passkeyCard(passkey: Passkey, { principal, own }: PasskeysPage): Html {
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
            ${formToken(principal)}
            <label>Name <input name="label" required maxlength="60" value="${label}" /></label>
            <button class="secondary" aria-label="Rename ${plainName(label)}">Rename</button>
          </form>`
        : nothing
    }
    <form method="post" action="${base}/revoke">
      ${formToken(principal)}
      <button class="danger" aria-label="Revoke ${plainName(label)}">Revoke</button>
      <span class="hint">What it signed stays valid. It signs nothing more.</span>
    </form>
  </section>`;
}

function registration({ principal, allowed, invitation, byProvider, origin }: PasskeysPage): Html {
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
    ${formToken(principal)}
    ${invitation === undefined ? nothing : html`<input type="hidden" name="invitation" value="${invitation}" />`}
    <label>Name of the device <input name="label" required maxlength="60" placeholder="Phone" /></label>
    <noscript><p class="hint">This needs JavaScript.</p></noscript>
    <button class="primary" data-busy="Waiting for your device…">Register a passkey</button>
  </form>`;
}

const invitationForm = (principal: Principal): Html =>
  html`<form class="card" method="post" action="/passkeys/invitations" autocomplete="off">
    <h2>Invite somebody to register a passkey</h2>
    ${formToken(principal)}
    <label>Their name, as decisions record it <input name="name" required maxlength="150" /></label>
    <p class="hint">The link registers one passkey, within a day, for that person when they are signed in.</p>
    <button class="secondary">Make a link</button>
  </form>`;

const invitationPage = (
  principal: Principal,
  { name, url, expires_at }: { name: string; url: string; expires_at: string },
): Html =>
  layout({
    title: 'Invitation',
    principal,
    body: html`<p class="overline"><a href="/passkeys">Passkeys</a></p>
      <h1>Invitation for ${named(name, 100)}</h1>
      <p>
        Send this link to ${named(name, 100)}. It is shown once, and is valid until ${moment(expires_at)}.
      </p>
      <p><code>${url}</code></p>`,
  });

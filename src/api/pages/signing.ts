import type { FastifyRequest } from 'fastify';
import type { BulkStatus } from '../../contract/operation';
import { relyingParty } from '../../core/access/relying-party';
import { principalOf, type ApiContext } from '../context';
import { ownerOf, passkeysOf } from '../passkeys/registration';
import { needsPasskey } from '../passkeys/signing';
import { html, path, type Html } from './html';

export const NO_PASSKEYS_HERE =
  'Browsers use no passkeys at the address of this server. Ask the person who runs batchgate for an address with https and a name.';

/** The text and the challenge beside the button of a question that must be signed. */
export interface SigningView {
  /** The path of the challenge, and the origin whose pages can sign; absent if the person cannot sign here. */
  with?: { challenge: string; origin: string };
  said: Html;
}

/** The signature that a question needs; undefined if it needs none. */
export async function signingView(
  context: ApiContext,
  request: FastifyRequest,
  status: BulkStatus,
): Promise<SigningView | undefined> {
  if (!status.next_batch || !needsPasskey(status)) return undefined;
  const origin = relyingParty(context.origin())?.origin;
  if (origin === undefined) return { said: html`${MUST_SIGN} ${NO_PASSKEYS_HERE}` };
  if (
    principalOf(request).session === undefined ||
    (await passkeysOf(context, ownerOf(context, request))).length === 0
  )
    return {
      said: html`${MUST_SIGN} You have none yet. <a href="/passkeys">Register one</a>, then come back.`,
    };
  return {
    with: { challenge: `${path('operations', status.operation_id)}/challenge`, origin },
    said: html`${MUST_SIGN} Your device asks for it when you press the button.
      <noscript>This needs JavaScript, and nothing can be confirmed here without it.</noscript>`,
  };
}

const MUST_SIGN = 'The policy asks for a signature with a passkey.';

/** The same on the page of a link, whose holder is not signed in. */
export const unsignedLink = (status: BulkStatus): SigningView | undefined =>
  needsPasskey(status)
    ? {
        said: html`${MUST_SIGN} A link has none:
          <a href="${path('operations', status.operation_id)}">sign in, and answer there</a>.`,
      }
    : undefined;

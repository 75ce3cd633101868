import { z } from 'zod';
import type { WebAnswer } from '../shared/send';
import { gatewayHasNone, inDoubt, ProviderFailure, providerText, refusedUntil } from '../shared/failure';
import { jsonIn } from '../shared/parsed';

/** A limit of the key, the token or their share of the database (guide "Rate limits" of Trello's REST API). */
const LIMIT = /_LIMIT_EXCEEDED$/;
/** Trello answers this, with 401, for a card or board that this account may not see or change. */
const NO_PERMISSION = /^unauthorized .*permission requested/i;
const BAD_CREDENTIALS = /^(invalid|expired) (key|token|app)/i;

/** Trello sends the reason as plain text, or for newer refusals as an object. */
const refusalSchema = z.object({ error: z.string().optional(), message: z.string().optional() });

/** Returns the failure for an answer other than success. */
export function trelloFailure(
  { status, text, headers }: WebAnswer,
  secrets: readonly string[],
): ProviderFailure {
  if (gatewayHasNone(status)) return inDoubt('Trello', status);
  const until = refusedUntil(headers);
  const { error: reason, message } = refusalOf(text);
  const words = providerText(message, secrets);
  const summary = words === '' ? `Trello answered ${status}` : `Trello answered ${status}: ${words}`;
  if (reason !== undefined && LIMIT.test(reason)) {
    return new ProviderFailure('refused', `${summary} (${reason})`, {
      status,
      reason,
      retryable: true,
      until,
    });
  }
  if (status === 401 && NO_PERMISSION.test(words)) {
    // The credentials are valid, so this is 403, as in other APIs.
    return new ProviderFailure('refused', summary, { status: 403, reason });
  }
  if (status === 401 || (status === 400 && BAD_CREDENTIALS.test(words))) {
    return new ProviderFailure('credentials', summary, { status, reason });
  }
  const unknownId = status === 400 && /^invalid id\b/i.test(words);
  return new ProviderFailure('refused', summary, { status: unknownId ? 404 : status, reason });
}

function refusalOf(body: string): z.infer<typeof refusalSchema> {
  const parsed = refusalSchema.safeParse(jsonIn(body));
  if (parsed.success) return parsed.data;
  // Plain text is the reason. An HTML page of a gateway contains none.
  return body.trimStart().startsWith('<') ? {} : { message: body };
}

export const TRELLO_HINTS = {
  signIn:
    'Log in again with `npx batchgate login trello`, or renew BATCHGATE_TRELLO_KEY and BATCHGATE_TRELLO_TOKEN.',
  grant: 'Log in as a member who may change this board, with a token for reading and writing.',
  tryLater: 'Check the connection and BATCHGATE_TRELLO_BASE_URL, and try again in a minute.',
};

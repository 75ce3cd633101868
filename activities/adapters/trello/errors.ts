import { z } from 'zod';
import * as provider from '../../../src/provider/failure';
import { gatewayHasNone, inDoubt, ProviderFailure, providerText } from '../../../src/provider/failure';
import type { BulkResult } from '../../../src/contract/items';
import type { BatchgateError } from '../../../src/contract/errors';

/** A limit of the key, the token or their share of the database (guide "Rate limits" of Trello's REST API). */
const LIMIT = /_LIMIT_EXCEEDED$/;
/** What Trello answers with 401 about a card or board that this account may not see or change. */
const NO_PERMISSION = /^unauthorized .*permission requested/i;
const BAD_CREDENTIALS = /^(invalid|expired) (key|token|app)/i;

/** Trello says why in plain text, or in an object for its newer refusals. */
const refusalSchema = z.object({ error: z.string().optional(), message: z.string().optional() });

/** Reads an answer that is not one of success. */
export function trelloFailure(status: number, body: string, secrets: readonly string[]): ProviderFailure {
  if (gatewayHasNone(status)) return inDoubt('Trello', status);
  const { error: reason, message } = refusalOf(body);
  const told = providerText(message, secrets);
  const answered = told === '' ? `Trello answered ${status}` : `Trello answered ${status}: ${told}`;
  if (reason !== undefined && LIMIT.test(reason)) {
    return new ProviderFailure('refused', `${answered} (${reason})`, { status, reason, retryable: true });
  }
  if (status === 401 && NO_PERMISSION.test(told)) {
    // What others say with 403: the credentials are good.
    return new ProviderFailure('refused', answered, { status: 403, reason });
  }
  if (status === 401 || (status === 400 && BAD_CREDENTIALS.test(told))) {
    return new ProviderFailure('credentials', answered, { status, reason });
  }
  const unknownId = status === 400 && /^invalid id\b/i.test(told);
  return new ProviderFailure('refused', answered, { status: unknownId ? 404 : status, reason });
}

function refusalOf(body: string): z.infer<typeof refusalSchema> {
  try {
    const parsed = refusalSchema.safeParse(JSON.parse(body));
    if (parsed.success) return parsed.data;
  } catch {
    // Plain text, or a page of a gateway in between, which is for no person.
  }
  return body.trimStart().startsWith('<') ? {} : { message: body };
}

export function failedResult(item_id: string, failure: ProviderFailure): BulkResult {
  return provider.failedResult(item_id, failure, 'Card not found');
}

export function callError(error: unknown, what: string): BatchgateError {
  return provider.callError(error, what, {
    signIn:
      'Log in again with `npx batchgate login trello`, or renew BATCHGATE_TRELLO_KEY and BATCHGATE_TRELLO_TOKEN.',
    grant: 'Log in as a member who may change this board, with a token for reading and writing.',
    tryLater: 'Check the connection and BATCHGATE_TRELLO_BASE_URL, and try again in a minute.',
  });
}

import { BatchgateError } from '../contract/errors';
import { operationPage } from '../core/approval/address';
import { relyingParty } from '../core/access/relying-party';

/** The details of a refusal that asks for another assurance (src/core/bulk/approvals.ts). */
interface Needs {
  reason?: unknown;
  assurance?: unknown;
}

/** A refusal of a decision that only a signed-in person can make leads to the page of the operation. */
export function leadingToPage(error: unknown, operationId: string, origin: string): unknown {
  if (!(error instanceof BatchgateError)) return error;
  const details = (error.details ?? {}) as Needs;
  if (details.reason !== 'assurance') return error;
  const signs = details.assurance === 'signed' ? relyingParty(origin)?.origin : undefined;
  const approval_url = operationPage(signs ?? origin, operationId);
  return new BatchgateError(error.code, error.message, `${error.hint} The page: ${approval_url}`, {
    ...details,
    approval_url,
  });
}

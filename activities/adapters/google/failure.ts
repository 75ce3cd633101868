import {
  gatewayHasNone,
  inDoubt,
  networkFailure,
  ProviderFailure,
  providerText,
} from '../../../src/provider/failure';

/** The scope is missing, the API is off in the client's project, or the domain's administrator forbids it. */
const NO_ACCESS = new Set(['insufficientPermissions', 'accessNotConfigured', 'domainPolicy']);
/** Limits that Google says with 403 (see "Resolve errors" in the guides of the Gmail and Calendar APIs). */
const LIMIT = /^(userRate|rate|daily|quota)(LimitExceeded|Exceeded)$/;

interface Refusal {
  response?: { status?: unknown; data?: unknown };
}

/** Reads what Google's client library threw after it had handed a request to the network. */
export function googleFailure(service: string, error: unknown, token: string): ProviderFailure {
  const { response } = error as Refusal;
  return typeof response?.status === 'number'
    ? refusal(service, response.status, response.data, token)
    : networkFailure(service, error);
}

interface ErrorBody {
  error?: { message?: unknown; errors?: { reason?: unknown }[] };
}

function refusal(service: string, status: number, data: unknown, token: string): ProviderFailure {
  if (gatewayHasNone(status)) return inDoubt(service, status);
  const error = (data as ErrorBody | null)?.error;
  const first: unknown = Array.isArray(error?.errors) ? error.errors[0]?.reason : undefined;
  const reason = typeof first === 'string' ? first : undefined;
  const told = providerText(error?.message, [token]);
  const answered = `${service} answered ${status}`;
  const forbidden = status === 403 ? (reason ?? '') : '';
  return new ProviderFailure(
    status === 401 ? 'credentials' : 'refused',
    told === '' ? answered : `${answered}: ${told}`,
    {
      status,
      reason,
      ...(LIMIT.test(forbidden) && { retryable: true }),
      // Without a mailbox, as for a service account that stands in for nobody, any precondition fails.
      ...((NO_ACCESS.has(forbidden) || reason === 'failedPrecondition') && { refusesUs: true }),
    },
  );
}

import type { ResponseEvent } from 'imapflow';
import { malformed, networkFailure, ProviderFailure, providerText, unreachable } from '../shared/failure';

export const PROVIDER = 'The mail server';

/** Response codes of a refusal: RFC 9051, section 7.1. */
const STATUS = new Map([
  ...['AUTHENTICATIONFAILED', 'EXPIRED', 'PRIVACYREQUIRED'].map((code) => [code, 401] as const),
  ...['AUTHORIZATIONFAILED', 'NOPERM', 'CONTACTADMIN', 'CANNOT'].map((code) => [code, 403] as const),
  ...['NONEXISTENT', 'TRYCREATE', 'EXPUNGEISSUED'].map((code) => [code, 404] as const),
  ...['LIMIT', 'THROTTLED', 'INUSE'].map((code) => [code, 429] as const),
  ...['UNAVAILABLE', 'SERVERBUG', 'CORRUPTION'].map((code) => [code, 503] as const),
]);
/** Matches the words with which a server refuses logins for a time. */
const FOR_A_TIME = /too many|throttl|rate limit|bandwidth|temporar|try again|\bbusy\b/i;
/** The pause after a server refuses logins for a time. Servers do not state how long they refuse them. */
const PAUSE_MS = 60_000;

/** The members that ImapFlow adds to its errors. */
interface FlowError {
  code?: string;
  responseStatus?: string;
  responseText?: string;
  serverResponseCode?: string;
  authenticationFailed?: boolean;
  mailboxMissing?: boolean;
  throttleReset?: number;
}

const UNREADABLE =
  /^(ParserError|InvalidResponse|UnexpectedTag|MissingTag|Response|TooMany|\w+TooLarge|MAX_IMAP)/;

/** `isSent`: a command that can change something was sent. `answer`: the server's last answer to a command. */
export function imapFailure(
  error: unknown,
  { isSent, answer, secrets }: { isSent: boolean; answer?: ResponseEvent; secrets: readonly string[] },
): ProviderFailure {
  const { code, responseStatus, throttleReset, ...flow } = error as FlowError;
  const isRefusal = responseStatus === 'NO' || responseStatus === 'BAD' || flow.authenticationFailed === true;
  if (!isRefusal) {
    if (code !== undefined && UNREADABLE.test(code)) return malformed(PROVIDER);
    return isSent ? networkFailure(PROVIDER, error) : unreachable(PROVIDER);
  }
  const reason = (flow.serverResponseCode ?? answer?.code)?.toUpperCase();
  const detail = providerText(flow.responseText, secrets);
  const message = `${PROVIDER} refused it${detail === '' ? '' : `: ${detail}`}${reason ? ` (${reason})` : ''}`;
  const status = flow.mailboxMissing ? 404 : STATUS.get(reason ?? '');
  const isLogin = flow.authenticationFailed === true;
  const isForATime = throttleReset !== undefined || status === 429 || status === 503;
  if (isLogin ? isForATime || FOR_A_TIME.test(detail) : throttleReset !== undefined)
    return new ProviderFailure('refused', message, {
      ...{ status: 429, retryable: true, until: Date.now() + (throttleReset ?? PAUSE_MS) },
      ...(reason !== undefined && { reason }),
    });
  if (isLogin || status === 401) return new ProviderFailure('credentials', message, { status: 401 });
  return new ProviderFailure('refused', message, { status: status ?? 400, ...(reason && { reason }) });
}

import { shortened } from '../../contract/text';
import { z } from 'zod';
import { BatchgateError } from '../../contract/errors';

const answerSchema = z.object({
  status: z.number(),
  data: z.object({ error: z.string(), error_description: z.string().optional() }).optional().catch(undefined),
});

/**
 * The error of a request to Google's OAuth endpoints, in words. The client library's own error holds the whole request
 * with its secrets, so nothing of it is kept but what Google said, and that without `secrets`.
 */
export function oauthFailure(
  error: unknown,
  { what, hint, secrets }: { what: string; hint: string; secrets: (string | undefined)[] },
): BatchgateError {
  if (error instanceof BatchgateError) return error;
  const answer = answerSchema.safeParse((error as { response?: unknown } | null)?.response);
  if (!answer.success) return unreachable(`${what}: Google could not be reached.`);
  const { status, data } = answer.data;
  if (status >= 500 || status === 429) return unreachable(`${what}: Google answered ${status}.`);
  const told = [data?.error ?? `Google answered ${status}`, data?.error_description];
  return new BatchgateError(
    'CREDENTIALS_INVALID',
    `${what}: ${withoutSecrets(told.filter(Boolean).join(', '), secrets)}`,
    hint,
  );
}

function withoutSecrets(text: string, secrets: (string | undefined)[]): string {
  const left = secrets
    .filter((secret) => secret !== undefined && secret !== '')
    .reduce<string>((rest, secret) => rest.replaceAll(secret!, '…'), text);
  return shortened(left.replace(/[\s\p{Cc}]+/gu, ' '), 300);
}

const unreachable = (message: string) =>
  new BatchgateError(
    'ADAPTER_UNAVAILABLE',
    message,
    'Check the connection and BATCHGATE_GOOGLE_AUTH_BASE_URL, and try again in a minute.',
  );

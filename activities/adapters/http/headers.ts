import { BatchgateError } from '../../../src/contract/errors';
import type { Secrets } from '../../../src/host/secrets';
import type { RequestChange } from './parameters';

/** The secrets, and the server that receives them. */
interface SecretUse {
  readonly secrets: Secrets;
  readonly origin: string;
  readonly allowed_hosts: readonly string[];
}

/** Returns the secrets of the headers, by name. @throws BatchgateError `NOT_CONFIGURED` */
export async function readSecrets(
  headers: RequestChange['headers'] = {},
  use: SecretUse,
): Promise<Map<string, string>> {
  const values = new Map<string, string>();
  for (const value of Object.values(headers)) {
    if (typeof value !== 'string') values.set(value.secret, await readHeaderSecret(value.secret, use));
  }
  return values;
}

async function readHeaderSecret(
  name: string,
  { secrets, origin, allowed_hosts }: SecretUse,
): Promise<string> {
  const secret = await secrets.readFor(name, origin, allowed_hosts);
  if (/^[\t\x20-\x7e]*$/.test(secret)) return secret;
  throw new BatchgateError(
    'NOT_CONFIGURED',
    `The secret '${name}' cannot be sent in a header: it is not one line of printable ASCII.`,
    'Correct it where it is stored.',
  );
}

/** Returns the headers of a request, including the secrets and the type of the body. */
export function headersOf(
  { headers = {}, body }: Pick<RequestChange, 'headers' | 'body'>,
  secrets: ReadonlyMap<string, string>,
): Headers {
  const requestHeaders = new Headers();
  if (body !== undefined) {
    requestHeaders.set(
      'content-type',
      typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json',
    );
  }
  for (const [name, value] of Object.entries(headers)) {
    const secret = typeof value === 'string' ? undefined : secrets.get(value.secret);
    requestHeaders.set(name, typeof value === 'string' ? value : `${value.prefix ?? ''}${secret ?? ''}`);
  }
  return requestHeaders;
}

import type { Change } from '../../../src/contract/change';
import type { PreparedBulkContext } from '../../../src/contract/items';
import { valueText } from '../../../src/core/bulk/change';
import { quoted } from '../../../src/core/shared/plain-text';
import { looksSecret } from '../../../src/core/shared/plain-secrets';
import { requestOf, type RequestChange } from './parameters';

const NOT_SHOWN = '(not shown)';

/** The request. For a secret in a header it shows the name; values whose names look like secrets are not shown. */
export function describeRequest(context: PreparedBulkContext): Change {
  const { method, url, headers = {}, body, undo } = requestOf(context);
  const address = withoutSecrets(url);
  return {
    summary: `Send ${method} to ${quoted(address)} for each item.`,
    fields: [
      { name: 'method', to: method },
      { name: 'url', to: address },
      ...Object.entries(headers).map(([name, value]) => ({
        name: `header ${name}`,
        to: shownHeader(name, value),
      })),
      ...(body === undefined ? [] : [{ name: 'body', to: valueText(shownBody(body)) }]),
      ...(undo ? [{ name: 'undo', to: `${undo.method} ${withoutSecrets(undo.url)}` }] : []),
    ],
    reversible: undo ? 'yes' : 'no',
  };
}

function shownHeader(name: string, value: NonNullable<RequestChange['headers']>[string]): string {
  if (typeof value !== 'string') return `the secret ${value.secret}`;
  return looksSecret(name) ? NOT_SHOWN : value;
}

function withoutSecrets(url: string): string {
  const query = url.indexOf('?') + 1;
  if (query === 0) return url;
  const parts = url
    .slice(query)
    .split('&')
    .map((part) => {
      const name = part.split('=')[0] ?? '';
      return part.includes('=') && looksSecret(plain(name)) ? `${name}=${NOT_SHOWN}` : part;
    });
  return `${url.slice(0, query)}${parts.join('&')}`;
}

function plain(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function shownBody(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(shownBody);
  if (typeof body !== 'object' || body === null) return body;
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, looksSecret(name) ? NOT_SHOWN : shownBody(value)]),
  );
}

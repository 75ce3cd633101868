import type { Change } from '../../../src/contract/change';
import type { PreparedBulkContext } from '../../../src/contract/items';
import { valueText } from '../../../src/core/bulk/change';
import { quoted } from '../../../src/core/shared/plain-text';
import { hidingSecrets, looksSecret, NOT_SHOWN } from '../../../src/core/shared/plain-secrets';
import { changeOf, neededOf, type RequestChange } from './parameters';
import { mayTakeItselfBack } from './state';
import { decoded } from '../shared/parsed';

/** Describes the request. Shows a secret in a header by name only, and hides values whose names suggest a secret. */
export function describeRequest(context: PreparedBulkContext): Change {
  const change = changeOf(context);
  const { method, url, headers = {}, body, success_when, read, undo } = change;
  const address = addressWithoutSecrets(url);
  const memberNames = neededOf(change);
  const condition =
    memberNames.length === 0 ? '' : ` Its undo needs ${memberNames.map(quoted).join(', ')} of each answer.`;
  return {
    summary: `Send ${method} to ${quoted(address)} for each item.${condition}`,
    fields: [
      { name: 'method', to: method },
      { name: 'url', to: address },
      ...Object.entries(headers).map(([name, value]) => ({
        name: `header ${name}`,
        to: shownHeader(name, value),
      })),
      ...(body === undefined
        ? []
        : [
            {
              name: 'body',
              to: typeof body === 'string' ? textWithoutSecrets(body) : valueText(hidingSecrets(body)),
            },
          ]),
      ...(success_when === undefined ? [] : [{ name: 'success when', to: success_when }]),
      ...(read
        ? [{ name: 'read', to: `GET ${addressWithoutSecrets(read.url)}: ${valueText(read.select)}` }]
        : []),
      ...(undo ? [{ name: 'undo', to: `${undo.method} ${addressWithoutSecrets(undo.url)}` }] : []),
    ],
    reversible: undo || mayTakeItselfBack(change) ? 'yes' : 'no',
  };
}

function shownHeader(name: string, value: NonNullable<RequestChange['headers']>[string]): string {
  if (typeof value !== 'string') return `the secret ${value.secret}`;
  return looksSecret(name) ? NOT_SHOWN : value;
}

/** Returns an address without the values of query fields whose names suggest a secret. */
export function addressWithoutSecrets(url: string): string {
  const query = url.indexOf('?') + 1;
  return query === 0 ? url : `${url.slice(0, query)}${formWithoutSecrets(url.slice(query))}`;
}

/** Returns a body without the values of members, or fields of a form, whose names suggest a secret. */
export function textWithoutSecrets(text: string): string {
  try {
    const json = JSON.stringify(hidingSecrets(JSON.parse(text)));
    return json.includes(NOT_SHOWN) ? json : text;
  } catch {
    return formWithoutSecrets(text);
  }
}

function formWithoutSecrets(form: string): string {
  const parts = form.split('&').map((part) => {
    const name = part.split('=')[0] ?? '';
    return part.includes('=') && looksSecret(decoded(name) ?? name) ? `${name}=${NOT_SHOWN}` : part;
  });
  return parts.join('&');
}

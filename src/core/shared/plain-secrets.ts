import { BatchgateError } from '../../contract/errors';
import { pathText } from '../macro/parse';

type Path = readonly (string | number)[];

/** A URL as a whole text, with or without placeholders: the part before its host, and its query. */
const URL_PARTS = /^https?:\/\/(?:([^/?#\s]*)@)?[^?#\s]*(?:\?([^#\s]*))?/i;

/**
 * Refuses a start with a plain secret in a header or an address, because the input of a start is stored in its history.
 * @throws BatchgateError `INVALID_INPUT`, which names the place and never the secret.
 */
export function refusePlainSecrets(input: unknown): void {
  const secret = plainSecretIn(input, []);
  if (secret === undefined) return;
  throw new BatchgateError(
    'INVALID_INPUT',
    `${pathText(secret.path)} ${secret.what}, and the input of a workflow is kept in its history.`,
    'Send it in a header as { "secret": NAME }, with "prefix" where one belongs before it, and name it under "secrets" ' +
      'in batchgate.config.json. Nothing was started or kept.',
  );
}

function plainSecretIn(value: unknown, path: Path): { path: Path; what: string } | undefined {
  if (typeof value === 'string') {
    const what = secretOfUrl(value);
    return what === undefined ? undefined : { path, what };
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const inHeaders = path.at(-1) === 'headers';
  for (const [name, member] of Object.entries(value)) {
    const place = [...path, Array.isArray(value) ? Number(name) : name];
    if (inHeaders && typeof member === 'string' && carriesSecret(name)) {
      return { path: place, what: 'holds a secret in the open' };
    }
    const nested = plainSecretIn(member, place);
    if (nested) return nested;
  }
  return undefined;
}

function secretOfUrl(text: string): string | undefined {
  const [, user, query = ''] = URL_PARTS.exec(text) ?? [];
  if (user !== undefined) return 'holds the user or password of an address';
  const names = query.split('&').flatMap((field) => {
    const [name = '', value = ''] = field.split('=');
    return value === '' ? [] : [name];
  });
  const secret = names.find(carriesSecret);
  return secret === undefined
    ? undefined
    : `holds a secret in the query of an address, as ${secret.slice(0, 50)}`;
}

/** The words of a name such as `X-Api-Key`, `api_key` or `apiKey`, in lower case. */
export const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);

const SECRET_WORD =
  /(?:token|secret|password|cookie|signature|credential|(?:api|access|private|auth)key)s?$|^(?:keys?|auth|authorization|authentication|passwd|pwd|passphrase)$/;

/** Keys and tokens that grant no access: they group things, or mark where a list continues. */
const NO_SECRET =
  /(?:^|-)(?:idempoten(?:cy|t)|dedup(?:lication)?|request|correlation|cache|surrogate|partition|routing|page|next|continuation|sync|sort|order|group|primary|foreign|public)-?(?:key|token)$/;

/** Whether a header or a query field holds a credential. */
export const carriesSecret = (name: string): boolean =>
  looksSecret(name) && !NO_SECRET.test(wordsOf(name).join('-'));

export const NOT_SHOWN = '(not shown)';

/**
 * A JSON value without the values of members whose names suggest a secret.
 * @param hides tells by its name whether a member is hidden, and the value of a condition on a column: `{column, value}`.
 */
export function hidingSecrets(value: unknown, hides: (name: string) => boolean = looksSecret): unknown {
  if (Array.isArray(value)) return value.map((member: unknown) => hidingSecrets(member, hides));
  if (typeof value !== 'object' || value === null) return value;
  const { column } = value as { column?: unknown };
  const isCondition = typeof column === 'string' && hides(column);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      hides(name) || (isCondition && name === 'value') ? NOT_SHOWN : hidingSecrets(member, hides),
    ]),
  );
}

/** Whether a name suggests that its value is secret. */
export const looksSecret = (name: string): boolean => wordsOf(name).some((word) => SECRET_WORD.test(word));

/** Names of personal and account data in tables, in addition to the names of secrets. */
const PERSONAL = /^(?:hash|hashed|salt|digest|ssn|iban|cvv|cvc|pin|otp|encrypted|cipher)$/;

/** Returns true if the values of a column are private: they are neither shown nor stored. */
export const isPrivate = (column: string): boolean =>
  looksSecret(column) || wordsOf(column).some((word) => PERSONAL.test(word));

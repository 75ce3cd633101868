import { BatchgateError } from '../../../src/contract/errors';
import { hostAllowed, isLoopback } from '../../../src/core/shared/allowed-hosts';
import {
  readTemplate,
  renderText,
  TemplateError,
  type Template,
  type Values,
} from '../../../src/core/shared/template';

/** The address of a request, split into parts with different encodings. */
export interface AddressTemplate {
  /** Scheme, host and port, without placeholders. */
  readonly origin: string;
  readonly path: Template;
  readonly query: Template | undefined;
}

const PARTS = /^(https?:\/\/[^/?#]+)(\/[^?#]*)?(?:\?([^#]*))?$/i;

/** @throws BatchgateError `INVALID_INPUT` */
export function readAddress(url: string): AddressTemplate {
  const template = readTemplate(url);
  if ('mistake' in template) throw wrongUrl(template.mistake);
  const [, origin = '', path = '', query] = PARTS.exec(url) ?? [];
  if (origin === '' || /[\s\p{Cc}\\]/u.test(url.replace(/\{\{[^{}]*\}\}/g, ''))) {
    throw wrongUrl('it is not of the form https://HOST/PATH?QUERY');
  }
  if (/[{}]/.test(origin)) throw wrongUrl('the host must not contain a placeholder');
  if (!URL.canParse(origin)) throw wrongUrl('its host cannot be read');
  if (origin.includes('@')) throw wrongUrl('it contains a user; use a secret in an Authorization header');
  const parts = partOf(path);
  if (hasDots(renderParts(parts))) throw wrongUrl('its path contains "." or ".."');
  return {
    origin: new URL(origin).origin,
    path: parts,
    query: query === undefined ? undefined : partOf(query),
  };
}

function partOf(text: string): Template {
  const parsed = readTemplate(text);
  // A placeholder can span path and query, as in {{.a?b}}.
  if ('mistake' in parsed) throw wrongUrl(parsed.mistake);
  return parsed.template;
}

/**
 * Fills in the address of one item's request. Each value is encoded, so it stays one part of the path or the query.
 * @throws TemplateError for a value that cannot be encoded.
 */
export function fillAddress({ origin, path, query }: AddressTemplate, values: Values): URL {
  const filledPath = renderText(path, values, (text, name) => {
    // An empty segment would change the path, and so would dots, even if encoded.
    if (text === '') throw new TemplateError(`The item's ${name} is empty, but it is part of the path`);
    return encoded(text, name);
  });
  if (hasDots(filledPath)) throw new TemplateError('A value turns a part of the path into "." or ".."');
  const search = query === undefined ? '' : `?${renderText(query, values, encoded)}`;
  const url = new URL(`${origin}${filledPath}${search}`);
  if (url.origin !== origin) throw new TemplateError('A value changes the host of the address');
  return url;
}

const PLACEHOLDER = /\{\{[^{}]*\}\}/g;

/**
 * Returns an address in the form in which it is sent, with its placeholders: the host in lower case, without the usual
 * port, and no character encoded that need not be (RFC 3986, section 6.2.2).
 */
export function sentAddress(url: string): string {
  const places = url.match(PLACEHOLDER) ?? [];
  const mark = unusedIn(unescaped(url));
  const plain = url.replaceAll(PLACEHOLDER, mark);
  const sent = unescaped(URL.canParse(plain) ? withoutEmptyQuery(new URL(plain)) : plain);
  return sent.split(mark).reduce((text, part, at) => text + (places[at - 1] ?? '') + part);
}

/** Node sends no "?" without a query behind it. */
const withoutEmptyQuery = ({ origin, pathname, search }: URL): string => origin + pathname + search;

/** Decodes the characters that mean the same when they are encoded. */
const unescaped = (text: string): string =>
  text.replaceAll(/%([0-9a-f]{2})/gi, (escape, hex: string) => {
    const character = String.fromCharCode(parseInt(hex, 16));
    return /[\w.~-]/.test(character) ? character : escape.toUpperCase();
  });

/** Returns letters and digits, which no part of an address encodes, that a text does not contain. */
function unusedIn(text: string): string {
  for (let count = 0; ; count++) if (!text.includes(`x${count}x`)) return `x${count}x`;
}

/** Returns true if the path has dot segments, encoded or not. */
const hasDots = (path: string) => path.split('/').some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment));

const renderParts = (parts: Template) =>
  parts.map((part) => (typeof part === 'string' ? part : 'x')).join('');

/** Encodes a value as one part of an address. @throws TemplateError */
export function encoded(text: string, name: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    throw new TemplateError(`The item's ${name} contains an incomplete character`);
  }
}

/** @throws BatchgateError `INVALID_INPUT` when the host is not allowed. */
export function checkHost(origin: string, allowedHosts: readonly string[]): void {
  const url = new URL(origin);
  if (hostAllowed(url, allowedHosts) !== undefined) return;
  const { protocol, host, hostname } = url;
  const entry = protocol === 'http:' && !isLoopback(hostname) ? `http://${host}` : host;
  const allowedText = allowedHosts.length > 0 ? ` Allowed are: ${allowedHosts.join(', ')}.` : '';
  throw new BatchgateError(
    'INVALID_INPUT',
    `Requests to ${origin} are not allowed.`,
    `Use https unless an entry allows http, or let the operator add "${entry}" to http.allowed_hosts in ` +
      `batchgate.config.json.${allowedText}`,
  );
}

const wrongUrl = (why: string) =>
  new BatchgateError(
    'INVALID_INPUT',
    `The url is not valid: ${why}`,
    'Write it as https://HOST/PATH?QUERY, with {{id}} or {{.column}} in its path and query only.',
  );

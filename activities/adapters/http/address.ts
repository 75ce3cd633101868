import { BatchgateError } from '../../../src/contract/errors';
import { hostAllowed, isLoopback } from '../../../src/core/allowed-hosts';
import {
  readTemplate,
  renderText,
  TemplateError,
  type Template,
  type Values,
} from '../../../src/core/template';

/** The address of a request, in the parts that are filled in differently. */
export interface AddressTemplate {
  /** Scheme, host and port: never a placeholder. */
  readonly origin: string;
  readonly path: Template;
  readonly query: Template | undefined;
}

const PARTS = /^(https?:\/\/[^/?#]+)([^?#]*)(?:\?([^#]*))?$/i;

/** @throws BatchgateError `INVALID_INPUT` */
export function readAddress(url: string): AddressTemplate {
  const whole = readTemplate(url);
  if ('mistake' in whole) throw wrongUrl(whole.mistake);
  const [, origin = '', path = '', query] = PARTS.exec(url) ?? [];
  if (origin === '' || /[\s\p{Cc}\\]/u.test(url.replace(/\{\{[^{}]*\}\}/g, ''))) {
    throw wrongUrl('it is no address as https://HOST/PATH?QUERY');
  }
  if (/[{}]/.test(origin)) throw wrongUrl('a placeholder may not choose the host');
  if (!URL.canParse(origin)) throw wrongUrl('its host cannot be read');
  if (origin.includes('@')) throw wrongUrl('it names a user; send an Authorization header by a secret');
  const parts = partOf(path);
  if (hasDots(renderParts(parts))) throw wrongUrl('its path has "." or ".." in it');
  return {
    origin: new URL(origin).origin,
    path: parts,
    query: query === undefined ? undefined : partOf(query),
  };
}

function partOf(text: string): Template {
  const read = readTemplate(text);
  // A placeholder over the border of path and query, as in {{.a?b}}.
  if ('mistake' in read) throw wrongUrl(read.mistake);
  return read.template;
}

/**
 * The address of one item's request: values are encoded, so that each stays one piece of the path or the query.
 * @throws TemplateError for a value that cannot be one.
 */
export function fillAddress({ origin, path, query }: AddressTemplate, values: Values): URL {
  const filled = renderText(path, values, (text, name) => {
    // An empty segment, and dots even when they are encoded, would name another place.
    if (text === '') throw new TemplateError(`The item's ${name} is empty, and part of the path`);
    return encoded(text, name);
  });
  if (hasDots(filled)) throw new TemplateError('A value makes "." or ".." of a part of the path');
  const search = query === undefined ? '' : `?${renderText(query, values, encoded)}`;
  const url = new URL(`${origin}${filled}${search}`);
  if (url.origin !== origin) throw new TemplateError('A value changes the host of the address');
  return url;
}

/** Segments that URLs take for this place and the one above it, encoded or not. */
const hasDots = (path: string) => path.split('/').some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment));

const renderParts = (parts: Template) =>
  parts.map((part) => (typeof part === 'string' ? part : 'x')).join('');

/** A value as one piece, whatever it is put between. @throws TemplateError */
export function encoded(text: string, name: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    throw new TemplateError(`The item's ${name} holds half a character`);
  }
}

/** @throws BatchgateError `INVALID_INPUT` when requests may not go to this host. */
export function checkHost(origin: string, allowedHosts: readonly string[]): void {
  const url = new URL(origin);
  if (hostAllowed(url, allowedHosts) !== undefined) return;
  const { protocol, host, hostname } = url;
  const entry = protocol === 'http:' && !isLoopback(hostname) ? `http://${host}` : host;
  const there = allowedHosts.length > 0 ? ` There are: ${allowedHosts.join(', ')}.` : '';
  throw new BatchgateError(
    'INVALID_INPUT',
    `Requests may not go to ${origin}.`,
    `Use https where an entry says nothing else, or let the operator add "${entry}" to http.allowed_hosts in ` +
      `batchgate.config.json.${there}`,
  );
}

const wrongUrl = (why: string) =>
  new BatchgateError(
    'INVALID_INPUT',
    `The url is not valid: ${why}`,
    'Write it as https://HOST/PATH?QUERY, with {{id}} or {{.column}} in its path and query only.',
  );

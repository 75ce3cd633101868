import { z } from 'zod';

/** One parsed entry of `http.allowed_hosts`. */
interface AllowedHost {
  /** `https:` unless the entry begins with `http://`. */
  readonly scheme: 'http:' | 'https:' | undefined;
  /** In the notation of URLs: lower case, IPv6 in brackets. */
  readonly name: string;
  /** `*.` before the name: any subdomain, but not the name itself. */
  readonly below: boolean;
  /** Empty for the scheme's default port. */
  readonly port: string;
}

const ENTRY = /^(?:(https?):\/\/)?(\*\.)?(\[[0-9a-f:.]+\]|[^\s/?#@:*[\]{}]+)(?::(\d{1,5}))?$/i;

export const allowedHostSchema = z
  .string()
  .refine(
    (entry) => readEntry(entry) !== undefined,
    'must be a host, host:port or *.host, preceded by http:// if the connection is not encrypted',
  );

function readEntry(entry: string): AllowedHost | undefined {
  const [, scheme, wildcard, host = '', port] = ENTRY.exec(entry.trim()) ?? [];
  // The URL parser decides how a host and a port are written.
  const url = URL.canParse(`https://${host}:${port ?? '443'}`) && new URL(`https://${host}:${port ?? '443'}`);
  if (!url || (wildcard !== undefined && isAddress(url.hostname))) return undefined;
  return {
    scheme: scheme === undefined ? undefined : (`${scheme.toLowerCase()}:` as 'http:' | 'https:'),
    name: url.hostname,
    below: wildcard !== undefined,
    port: port === undefined ? '' : String(Number(port)),
  };
}

/** The kind of entry that allows requests to a URL: one that names its host, or a wildcard; undefined if none does. */
export function hostAllowed(url: URL, entries: readonly string[]): 'named' | 'by_wildcard' | undefined {
  const matching = entries.flatMap((text) => {
    const entry = readEntry(text);
    return entry !== undefined && matches(url, entry) ? [entry] : [];
  });
  if (matching.some(({ below }) => !below)) return 'named';
  return matching.length > 0 ? 'by_wildcard' : undefined;
}

/** The hosts that a secret may be sent to: those that it names, or else the only allowed host if an entry names it. */
export function hostsOfSecret(
  own: readonly string[] | undefined,
  allowed: readonly string[],
): readonly string[] {
  if (own !== undefined) return own;
  return allowed.length === 1 && allowed.every((entry) => readEntry(entry)?.below === false) ? allowed : [];
}

function matches(url: URL, { scheme, name, below, port }: AllowedHost): boolean {
  const { protocol, hostname } = url;
  // An entry without a scheme means https, except for this machine, where the traffic cannot be intercepted.
  const schemeFits =
    scheme === undefined ? protocol === 'https:' || isLoopback(hostname) : scheme === protocol;
  const ownPort = { 'http:': '80', 'https:': '443' }[protocol] ?? '';
  const portFits = (url.port || ownPort) === (port || ownPort);
  const hostFits = below ? hostname.endsWith(`.${name}`) && !isAddress(hostname) : hostname === name;
  return schemeFits && portFits && hostFits;
}

const isAddress = (hostname: string) => hostname.startsWith('[') || /^\d+(?:\.\d+){3}$/.test(hostname);

export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname);
}

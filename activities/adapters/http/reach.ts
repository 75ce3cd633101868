import { lookup, type LookupAddress } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { hostAllowed } from '../../../src/core/shared/allowed-hosts';
import { ProviderFailure } from '../shared/failure';

const PRIVATE = new BlockList();
for (const [net, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24], // For protocols: RFC 6890.
  ['192.168.0.0', 16],
  ['198.18.0.0', 15], // Test networks: RFC 2544.
  ['224.0.0.0', 4], // Multicast: RFC 5771.
  ['240.0.0.0', 4], // Reserved, and the broadcast address: RFC 1112.
] as const) {
  PRIVATE.addSubnet(net, prefix, 'ipv4');
  const [a = 0, b = 0, c = 0, d = 0] = net.split('.').map(Number);
  const groups = [a * 256 + b, c * 256 + d].map((group) => group.toString(16)).join(':');
  // IPv4 within IPv6: RFC 4291, section 2.5.5; SIIT, RFC 2765; NAT64, RFC 6052; 6to4, RFC 3056.
  for (const before of ['::', '::ffff:', '::ffff:0:', '64:ff9b::']) {
    PRIVATE.addSubnet(`${before}${groups}`, 96 + prefix, 'ipv6');
  }
  PRIVATE.addSubnet(`2002:${groups}::`, 16 + prefix, 'ipv6');
}
for (const [net, prefix] of [
  ['64:ff9b:1::', 48], // NAT64 for local use: RFC 8215.
  ['2001::', 32], // Teredo, which hides the target address: RFC 4380.
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8], // Multicast: RFC 4291.
] as const)
  PRIVATE.addSubnet(net, prefix, 'ipv6');

/** Returns true if an address, or the IPv4 address within it, is in a private or reserved network. */
export function isPrivate(address: string): boolean {
  const [bare = ''] = address.split('%');
  return PRIVATE.check(bare, isIP(bare) === 6 ? 'ipv6' : 'ipv4');
}

/**
 * Returns the DNS look-up for a URL. A host that only a wildcard allows must not resolve to a private network, because
 * the owner of the domain could choose any host there. The connection itself uses this look-up, so it connects to the
 * checked addresses. A host that is listed by its own name can be anywhere.
 */
export function lookupFor(url: URL, allowedHosts: readonly string[]): LookupFunction | undefined {
  if (hostAllowed(url, allowedHosts) !== 'by_wildcard') return undefined;
  return publicLookup(
    () =>
      new ProviderFailure('refused', `${url.host} leads to a private address, and only a wildcard allows it`),
  );
}

/**
 * Creates a look-up for connections that fails if a name resolves to a private address. Addresses are not looked up.
 */
export function publicLookup(refusal: () => ProviderFailure): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      const [first] = addresses ?? [];
      if (error !== null || first === undefined) return callback(error ?? new Error('no address'), '');
      if (addresses.some(({ address }) => isPrivate(address))) return callback(refusal(), '');
      if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

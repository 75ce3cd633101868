import { refuseMistakes } from '../core/policy/mistakes';
import type { ConfigFile } from './config-file';
import { placeIn } from './config-place';
import { isLoopback } from '../core/shared/allowed-hosts';

/**
 * Refuses policies that do not compile, or that nobody could satisfy. Where workers run, the configuration says what
 * can be known of people.
 * @throws BatchgateError `NOT_CONFIGURED` with the line of each mistake.
 */
export function refusePolicies({ policies, oidc, http, source }: ConfigFile): void {
  const identities = { groups: oidc !== undefined, passkeys: hasPasskeys(http.base_url) };
  refuseMistakes(policies, identities, source && ((path) => placeIn(source, path)));
}

/** Browsers use passkeys on this machine, and by https under a host name. */
function hasPasskeys(baseUrl = 'http://localhost'): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  return isLoopback(hostname) || (protocol === 'https:' && !/^\[|^[\d.]+$/.test(hostname));
}

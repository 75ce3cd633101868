import { relyingParty } from '../core/access/relying-party';
import { refuseMistakes } from '../core/policy/mistakes';
import type { ConfigFile } from './config-file';
import { placeIn } from './config-place';

/**
 * Refuses policies that do not compile, or that nobody could satisfy. Where workers run, the configuration says what
 * can be known of people.
 * @throws BatchgateError `NOT_CONFIGURED` with the line of each mistake.
 */
export function refusePolicies({ policies, oidc, http, source }: ConfigFile): void {
  const identities = {
    groups: oidc !== undefined,
    passkeys: relyingParty(http.base_url ?? 'http://localhost') !== undefined,
  };
  refuseMistakes(policies, identities, source && ((path) => placeIn(source, path)));
}

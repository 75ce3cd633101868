import { relyingParty } from '../core/access/relying-party';
import { refuseMistakes } from '../core/policy/mistakes';
import type { Config } from './config';
import { placeIn } from './config-place';
import { isInstalled } from './optional';

const PASSKEYS = '@simplewebauthn/server';

/**
 * Refuses policies that do not compile, or that no person could satisfy. The configuration of a worker determines what
 * is known of people. `serves`: people sign in to an HTTP API of this installation. Otherwise an HTTP API may share the
 * database of the worker.
 * @throws BatchgateError `NOT_CONFIGURED` with the line of each mistake.
 */
export function refusePolicies(
  { file: { policies, oidc, http, source }, databaseUrl }: Pick<Config, 'file' | 'databaseUrl'>,
  serves = true,
): void {
  const identities = {
    signIn: serves || databaseUrl !== undefined,
    groups: oidc !== undefined,
    noPasskeys: !relyingParty(http.base_url ?? 'http://localhost')
      ? 'browsers use no passkeys at the address in http.base_url'
      : serves && !isInstalled(PASSKEYS)
        ? `the package ${PASSKEYS} is not installed`
        : undefined,
  };
  refuseMistakes(policies, identities, source && ((path) => placeIn(source, path)));
}

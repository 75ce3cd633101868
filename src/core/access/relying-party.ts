import { isLoopback } from '../shared/allowed-hosts';

/** An installation as a WebAuthn relying party: its passkeys are for this host name, and sign only on this origin. */
export interface RelyingParty {
  id: string;
  origin: string;
}

/** Undefined if browsers use no passkeys at this address: they need a host name, and https or this machine. */
export function relyingParty(address: string): RelyingParty | undefined {
  const url = new URL(address);
  if (isLoopback(url.hostname)) url.hostname = 'localhost';
  else if (url.protocol !== 'https:' || /^\[|^[\d.]+$/.test(url.hostname)) return undefined;
  return { id: url.hostname, origin: url.origin };
}

import { isLoopback } from '../shared/allowed-hosts';

/** An installation, as browsers know it: its passkeys are of this host name, and sign on pages of this origin alone. */
export interface RelyingParty {
  id: string;
  origin: string;
}

/** Undefined if browsers use no passkeys at this address: they ask for a host name, and for https or this machine. */
export function relyingParty(address: string): RelyingParty | undefined {
  const url = new URL(address);
  if (isLoopback(url.hostname)) url.hostname = 'localhost';
  else if (url.protocol !== 'https:' || /^\[|^[\d.]+$/.test(url.hostname)) return undefined;
  return { id: url.hostname, origin: url.origin };
}

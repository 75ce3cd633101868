import { createPublicKey, sign, verify } from 'node:crypto';
import type { AccessStore } from '../contract/access';
import { signingKey } from './principal';

/**
 * Records when a question was delivered to a page. The page's form contains the signed time, so any server can compute
 * how long the page has shown the question, and no client can forge it.
 */
export interface Deliveries {
  /** Signs that a question was delivered to this reader, now or at the time `at`. */
  stamp(to: string, digest: string, at?: number): string;
  /** The time at which this question was delivered to this reader; undefined if the stamp is for something else. */
  timeOf(to: string, digest: string, stamp: string): number | undefined;
}

/** The prefix separates these signatures from all others by the same key. */
const signedText = (to: string, digest: string, at: string) =>
  Buffer.from(`delivery\n${JSON.stringify([to, digest, at])}`);

export async function createDeliveries(access: AccessStore): Promise<Deliveries> {
  const key = await signingKey(access);
  const publicKey = createPublicKey(key);
  return {
    stamp(to, digest, at = Date.now()) {
      const signature = sign(null, signedText(to, digest, String(at)), key).toString('base64url');
      return `${at}.${signature}`;
    },
    timeOf(to, digest, stamp) {
      const [at = '', signature = ''] = stamp.split('.');
      const text = signedText(to, digest, at);
      return verify(null, text, publicKey, Buffer.from(signature, 'base64url')) ? Number(at) : undefined;
    },
  };
}

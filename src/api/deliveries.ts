import { createPublicKey, sign, verify } from 'node:crypto';
import type { AccessStore } from '../contract/access';
import { signingKey } from './principal';

/**
 * When a question was delivered to a page. The page's form carries the time, signed, so any server can tell how long the
 * question has been there, and nobody else can.
 */
export interface Deliveries {
  /** The stamp of a question that is delivered to this reader now, or was at another time. */
  stamp(to: string, digest: string, at?: number): string;
  /** When the question with this digest was delivered to this reader; undefined for a stamp of anything else. */
  timeOf(to: string, digest: string, stamp: string): number | undefined;
}

/** Nothing else that the key signs begins with this. */
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

/**
 * What a message holds that its receiver cannot decode, where the worker's codec (src/worker/readable.ts) put bytes in
 * its place. Our messages are JSON, which never decodes to bytes, so nobody can send one that looks like another value.
 */
export function isUnreadable(value: unknown): boolean {
  return value instanceof Uint8Array;
}

/** The reason of every refusal of such a message. */
export const UNREADABLE =
  'cannot be decoded: it is not JSON, or it was encoded by a codec that the worker lacks';

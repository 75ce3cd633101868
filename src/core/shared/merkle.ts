import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';

/**
 * The tree of RFC 9162, section 2.1, over texts: one hash that commits to all of them in order, and for each of them a
 * short proof of its place that shows none of the others. Hashes are lower-case hex.
 */
export const merkleRoot = (leaves: readonly string[]): string => bytesToHex(rootOf(leaves.map(leafHash)));

/** The inclusion proof of a leaf: the sibling hashes on the path to the root, the lowest first. */
export const merklePath = (leaves: readonly string[], at: number): string[] =>
  pathOf(leaves.map(leafHash), at).map(bytesToHex);

// The first byte distinguishes the hash of a leaf from the hash of a node.
const leafHash = (text: string): Uint8Array => sha256(concatBytes(Uint8Array.of(0), utf8ToBytes(text)));
const nodeHash = (left: Uint8Array, right: Uint8Array): Uint8Array =>
  sha256(concatBytes(Uint8Array.of(1), left, right));

function rootOf(hashes: readonly Uint8Array[]): Uint8Array {
  const [only = sha256(new Uint8Array())] = hashes;
  if (hashes.length < 2) return only;
  const at = splitOf(hashes.length);
  return nodeHash(rootOf(hashes.slice(0, at)), rootOf(hashes.slice(at)));
}

function pathOf(hashes: readonly Uint8Array[], at: number): Uint8Array[] {
  if (hashes.length < 2) return [];
  const split = splitOf(hashes.length);
  const [left, right] = [hashes.slice(0, split), hashes.slice(split)];
  return at < split ? [...pathOf(left, at), rootOf(right)] : [...pathOf(right, at - split), rootOf(left)];
}

/** The largest power of two below a number. */
function splitOf(size: number): number {
  let split = 1;
  while (split * 2 < size) split *= 2;
  return split;
}

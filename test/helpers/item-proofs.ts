import { createHash } from 'node:crypto';
import type { ItemProof } from '../../src/contract/item-proof';

/** Checks proofs by docs/proofs.md, without the code that makes them. */
export const sha256 = (...parts: (Buffer | string)[]): Buffer =>
  createHash('sha256')
    .update(Buffer.concat(parts.map((part) => Buffer.from(part))))
    .digest();
export const leafHash = (text: string): Buffer => sha256('\0', text);
export const nodeHash = (left: Buffer, right: Buffer): Buffer => sha256('\u0001', left, right);

/** True if a text is the leaf at this place of a tree with this size and root. */
export function isInTree(
  leaf: string,
  { at, size, path, root }: { at: number; size: number; path: readonly string[]; root: string },
): boolean {
  if (!Number.isInteger(at) || at < 0 || at >= size || !path.every((hash) => /^[0-9a-f]{64}$/.test(hash)))
    return false;
  let hash = leafHash(leaf);
  let [node, last] = [at, size - 1];
  for (const beside of path) {
    if (last === 0) return false;
    if (node % 2 === 1 || node === last) {
      hash = nodeHash(Buffer.from(beside, 'hex'), hash);
      while (node % 2 === 0 && node !== 0) [node, last] = [node >> 1, last >> 1];
    } else hash = nodeHash(hash, Buffer.from(beside, 'hex'));
    [node, last] = [node >> 1, last >> 1];
  }
  return last === 0 && hash.toString('hex') === root;
}

interface Frozen {
  id: string;
  salt?: string;
}

/** The faults of one proof of a document; none if it proves its claims. */
export function faultsOf(
  { operation_id, item_id }: Pick<ItemProof, 'operation_id' | 'item_id'>,
  { root, size, head, item, decisions }: ItemProof['proofs'][number],
): string[] {
  const question = JSON.parse(head.leaf) as Record<string, unknown>;
  const frozen = JSON.parse(item.frozen) as Frozen;
  const [, seal] = JSON.parse(item.leaf) as [number, string];
  const claims: [string, boolean][] = [
    ['head', isInTree(head.leaf, { at: 0, size, root, path: head.path })],
    ['item', isInTree(item.leaf, { at: item.at, size, root, path: item.path })],
    ['seal', sha256(item.frozen).subarray(0, 24).toString('base64url') === seal],
    ['size', question['items'] === size - 1],
    ['names', question['operation_id'] === operation_id && frozen.id === item_id],
    ...decisions.map(({ digest, batch, attempt }): [string, boolean] => [
      'decision',
      digest === root && batch === question['batch'] && attempt === question['attempt'],
    ]),
  ];
  return claims.flatMap(([claim, holds]) => (holds ? [] : [claim]));
}

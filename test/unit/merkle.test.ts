import { merklePath, merkleRoot } from '../../src/core/shared/merkle';
import { isInTree, leafHash, nodeHash, sha256 } from '../helpers/item-proofs';
import fc from '../helpers/properties';

it('is the tree of RFC 9162', () => {
  const [a, b, c, d, e] = ['a', 'b', 'c', 'd', 'e'].map(leafHash) as [Buffer, Buffer, Buffer, Buffer, Buffer];
  expect(merkleRoot([])).toBe(sha256('').toString('hex'));
  expect(merkleRoot(['a'])).toBe(a.toString('hex'));
  expect(merkleRoot(['a', 'b', 'c'])).toBe(nodeHash(nodeHash(a, b), c).toString('hex'));
  expect(merkleRoot(['a', 'b', 'c', 'd', 'e'])).toBe(
    nodeHash(nodeHash(nodeHash(a, b), nodeHash(c, d)), e).toString('hex'),
  );
});

const texts = fc.array(fc.string(), { minLength: 1, maxLength: 40 });
const withPlace = texts.chain((leaves) => fc.tuple(fc.constant(leaves), fc.nat(leaves.length - 1)));

it('proves each leaf at its place, and nothing else', () => {
  fc.assert(
    fc.property(withPlace, fc.string(), fc.nat(60), ([leaves, at], other, elsewhere) => {
      const proof = { at, size: leaves.length, path: merklePath(leaves, at), root: merkleRoot(leaves) };
      const text = leaves[at] ?? '';
      expect(isInTree(text, proof)).toBe(true);
      expect(isInTree(other, proof)).toBe(other === text);
      if (elsewhere !== at)
        expect(isInTree(text, { ...proof, at: elsewhere }) && leaves[elsewhere] !== text).toBe(false);
      expect(isInTree(text, { ...proof, path: [...proof.path, proof.root] })).toBe(false);
      if (proof.path.length > 0) expect(isInTree(text, { ...proof, path: proof.path.slice(1) })).toBe(false);
    }),
  );
});

it('changes its root with any leaf, their order and their number', () => {
  fc.assert(
    fc.property(withPlace, fc.string(), ([leaves, at], other) => {
      const root = merkleRoot(leaves);
      fc.pre(other !== leaves[at]);
      expect(merkleRoot(leaves.with(at, other))).not.toBe(root);
      expect(merkleRoot([...leaves, other])).not.toBe(root);
      expect(merkleRoot(leaves.slice(1))).not.toBe(root);
    }),
  );
});

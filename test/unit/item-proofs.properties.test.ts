import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { ItemEvidence, ItemProof } from '../../src/contract/item-proof';
import type { PlannedItem } from '../../src/contract/items';
import { itemProof } from '../../src/core/bulk/item-proof';
import { leafTexts, questionTree, treeDigest } from '../../src/core/bulk/seal';
import { digestOf } from '../../src/core/shared/canonical';
import { failure } from '../helpers/failure';
import { faultsOf, leafHash } from '../helpers/item-proofs';
import fc from '../helpers/properties';

const AT = '2026-11-27T08:00:00.000Z';
const text = fc.string({ unit: 'grapheme', maxLength: 12 });
const data = fc.dictionary(
  fc.string({ minLength: 1, maxLength: 6 }),
  fc.oneof(text, fc.integer(), fc.boolean()),
  {
    maxKeys: 4,
  },
);

/** Items as a plan has them: each has an id of its own and a salt. */
const plans = fc
  .array(fc.record({ name: text, raw_data: fc.option(data, { nil: undefined }), salt: fc.uuid() }), {
    ...{ minLength: 1, maxLength: 20 },
  })
  .map((rows) =>
    rows.map(({ name, raw_data, salt }, at): PlannedItem => {
      const index = at * 2 + 3;
      return { index, id: `i${index}`, display_name: name, salt, ...(raw_data && { raw_data }) };
    }),
  );
const withItem = plans.chain((items) =>
  fc.record({ items: fc.constant(items), at: fc.nat(items.length - 1) }),
);

function askedOf(items: readonly PlannedItem[], attempt = 1, left_out?: number[]) {
  const context = { tool_name: 'fake', action: 'mark', query_params: {}, action_params: { mark: 'Später' } };
  const change = { summary: 'Mark each with “Später”.', fields: [], reversible: 'yes' as const };
  const question = { operation_id: 'bulk-1', run_id: 'run-1', batch: 2, attempt, context, change, items };
  const tree = { ...questionTree(question), ...(left_out && { left_out }) };
  const { batch } = question;
  const decision = { decision: 'continue', by: 'anna', via: 'update', assurance: 'session', at: AT };
  return { tree, answer: { ...decision, batch, attempt, asked_at: AT, digest: treeDigest(tree) } };
}

function evidenceOf({ index, ...item }: PlannedItem, questions: ItemEvidence['questions']): ItemEvidence {
  return { index, id: item.id, state: 'succeeded', frozen: [item], questions };
}

const proofOf = (items: readonly PlannedItem[], at: number) =>
  itemProof('bulk-1', evidenceOf(items[at]!, [askedOf(items)]));
const first = ({ proofs }: ItemProof) => proofs[0]!;
const refusal = (evidence: ItemEvidence) =>
  failure(new Promise((resolve) => resolve(itemProof('bulk-1', evidence))));

it('proves each item of a question, and names it in words', () => {
  fc.assert(
    fc.property(withItem, ({ items, at }) => {
      const document = proofOf(items, at);
      expect(faultsOf(document, first(document))).toEqual([]);
      expect(JSON.parse(first(document).head.leaf)).toMatchObject({ items: items.length, batch: 2 });
      expect(document).toMatchObject({ item_id: items[at]?.id, outcome: 'succeeded' });
      expect(first(document).words).toContain(
        'Confirmed by anna at 2026-11-27T08:00:00.000Z (update, session)',
      );
    }),
  );
});

type Proof = ItemProof['proofs'][number];
const otherHash = (hash: string) => `${hash.startsWith('0') ? '1' : '0'}${hash.slice(1)}`;
const changedAt = (path: readonly string[], at: number) => path.with(at, otherHash(path[at] ?? ''));
const otherText = (json: string, name: string, value: unknown) =>
  JSON.stringify({ ...(JSON.parse(json) as object), [name]: value });

/** A proof with one thing changed. `by` says where, if there are several places. */
const CHANGES: Record<string, (proof: Proof, by: number) => Proof> = {
  root: (proof) => ({ ...proof, root: otherHash(proof.root) }),
  'one more leaf': (proof) => ({ ...proof, size: proof.size + 1 }),
  'one leaf fewer': (proof) => ({ ...proof, size: proof.size - 1 }),
  change: ({ head, ...proof }) => ({
    ...proof,
    head: { ...head, leaf: otherText(head.leaf, 'change', { summary: 'Delete each.' }) },
  }),
  batch: ({ head, ...proof }) => ({ ...proof, head: { ...head, leaf: otherText(head.leaf, 'batch', 3) } }),
  'number of items': ({ head, ...proof }) => ({
    ...proof,
    size: proof.size + 1,
    head: { ...head, leaf: otherText(head.leaf, 'items', proof.size) },
  }),
  'path of the head': ({ head, ...proof }, by) => ({
    ...proof,
    head: { ...head, path: changedAt(head.path, by % head.path.length) },
  }),
  'path of the item': ({ item, ...proof }, by) => ({
    ...proof,
    item: { ...item, path: changedAt(item.path, by % item.path.length) },
  }),
  'longer path': ({ item, ...proof }) => ({ ...proof, item: { ...item, path: [...item.path, proof.root] } }),
  'shorter path': ({ item, ...proof }) => ({ ...proof, item: { ...item, path: item.path.slice(1) } }),
  place: ({ item, ...proof }) => ({ ...proof, item: { ...item, at: item.at === 1 ? 0 : item.at - 1 } }),
  'place in the plan': ({ item, ...proof }) => ({
    ...proof,
    item: { ...item, leaf: item.leaf.replace('[', '[1') },
  }),
  'name of the item': ({ item, ...proof }) => ({
    ...proof,
    item: { ...item, frozen: otherText(item.frozen, 'display_name', 'another name') },
  }),
  'another item under its own seal': ({ item, ...proof }) => {
    const frozen = otherText(item.frozen, 'raw_data', { amount: 1 });
    const [index] = JSON.parse(item.leaf) as [number];
    return {
      ...proof,
      item: { ...item, frozen, leaf: JSON.stringify([index, digestOf(frozen).slice(0, 32)]) },
    };
  },
  'decision on another question': (proof) => ({
    ...proof,
    decisions: proof.decisions.map((one) => ({ ...one, digest: otherHash(proof.root) })),
  }),
};

it.each(Object.entries(CHANGES))('proves nothing any more with a changed %s', (_, change) => {
  fc.assert(
    fc.property(withItem, fc.nat(9), ({ items, at }, by) => {
      const document = proofOf(items, at);
      expect(faultsOf(document, change(first(document), by))).not.toEqual([]);
    }),
    { numRuns: 30 },
  );
});

it('proves nothing for another operation or another item', () => {
  const document = proofOf(fc.sample(plans, 1)[0]!, 0);
  for (const other of [{ operation_id: 'bulk-2' }, { item_id: 'i0' }])
    expect(faultsOf({ ...document, ...other }, first(document))).toEqual(['names']);
});

it('is checked by a script in another language, with nothing of ours', () => {
  const documents = fc.sample(withItem, 60).map(({ items, at }) => proofOf(items, at));
  const tampered = documents
    .slice(0, 20)
    .flatMap((document, by) =>
      Object.values(CHANGES).map((change) => ({ ...document, proofs: [change(first(document), by)] })),
    );
  const script = [
    'import json, sys',
    'import verify',
    'def holds(document):',
    '    try:',
    '        return all(verify.check(document, proof) for proof in document["proofs"])',
    '    except (ValueError, KeyError, IndexError, TypeError):',
    '        return False',
    'print(json.dumps([holds(document) for document in json.load(sys.stdin)]))',
  ].join('\n');
  const answer = execFileSync('python3', ['-B', '-c', script], {
    cwd: join(__dirname, '../../examples/proofs'),
    input: JSON.stringify([...documents, ...tampered]),
    encoding: 'utf8',
  });
  const held = JSON.parse(answer) as boolean[];
  expect(held).toEqual([...documents.map(() => true), ...tampered.map(() => false)]);
});

it('lets nobody guess another item from its hash beside the path', () => {
  const answers = (salt?: (index: number) => string) =>
    ['yes', 'no', 'yes'].map((display_name, index): PlannedItem => ({
      ...{ index, id: `i${index}`, display_name },
      ...(salt && { salt: salt(index) }),
    }));
  const guessed = (items: PlannedItem[]) =>
    ['yes', 'no'].filter((display_name) => {
      const guess = askedOf([{ index: 2, id: 'i2', display_name }]).tree;
      return first(proofOf(items, 1)).item.path.includes(leafHash(leafTexts(guess)[1]!).toString('hex'));
    });
  expect(guessed(answers())).toEqual(['yes']);
  expect(guessed(answers((index) => `salt-${index}`))).toEqual([]);
  expect(
    JSON.stringify(
      proofOf(
        answers((index) => `salt-${index}`),
        1,
      ),
    ),
  ).not.toMatch(/salt-[02]/);
});

describe('the evidence of a ledger', () => {
  const items = fc.sample(plans, { numRuns: 1, seed: 7 })[0]!;
  const [item] = items as [PlannedItem, ...PlannedItem[]];

  it('has a proof for each attempt that was confirmed', () => {
    const { proofs } = itemProof('bulk-1', evidenceOf(item, [askedOf(items), askedOf([item], 2)]));
    expect(proofs.map(({ decisions }) => decisions[0]?.attempt)).toEqual([1, 2]);
    expect(new Set(proofs.map(({ root }) => root)).size).toBe(2);
  });

  it('has no proof of what was left out, or never asked', async () => {
    const left = await refusal(evidenceOf(item, [askedOf(items, 1, [item.index])]));
    expect(left).toMatchObject({ code: 'NOT_FOUND', message: expect.stringContaining('was left out by') });
    const unasked = await refusal(evidenceOf(item, []));
    expect(unasked).toMatchObject({ code: 'NOT_FOUND', details: { outcome: 'succeeded' } });
    const later = evidenceOf(item, [askedOf(items), askedOf(items, 2, [item.index])]);
    expect(itemProof('bulk-1', later).proofs).toHaveLength(1);
  });

  it('proves nothing if a row was changed since', async () => {
    const { tree, answer } = askedOf(items);
    const altered = [
      evidenceOf({ ...item, display_name: 'altered' }, [{ tree, answer }]),
      evidenceOf({ ...item, salt: 'altered' }, [{ tree, answer }]),
      evidenceOf(item, [{ tree: { ...tree, head: tree.head.replace('bulk-1', 'bulk-2') }, answer }]),
      evidenceOf(item, [{ tree, answer: { ...answer, digest: otherHash(answer.digest) } }]),
    ];
    for (const evidence of altered) expect(await refusal(evidence)).toMatchObject({ code: 'INTERNAL' });
  });

  it('finds an item in the edition of the plan that was confirmed', () => {
    const question = askedOf(items);
    const { index: _, ...frozen } = item;
    const edited = { ...frozen, display_name: 'edited since', salt: 'another' };
    const evidence = { ...evidenceOf(item, [question]), frozen: [edited, frozen] };
    const document = itemProof('bulk-1', evidence);
    expect(faultsOf(document, first(document))).toEqual([]);
  });
});

import type { PlannedItem } from '../../src/contract/items';
import type { FrozenItem } from '../../src/contract/items';
import type { Requirement } from '../../src/contract/policy';
import { leafTexts, markOf, named, questionDigest, questionTree, sealOf } from '../../src/core/bulk/seal';
import { merkleRoot } from '../../src/core/shared/merkle';

const item: FrozenItem = {
  ...{ id: 'm1', display_name: 'Invoice' },
  raw_data: { amount: 12 },
  preview: { after: { label: 'Later' } },
};
const question = {
  ...{ operation_id: 'bulk-1', run_id: 'run-1', batch: 2, attempt: 1 },
  context: { tool_name: 'fake', action: 'mark', query_params: {}, action_params: { mark: 'Later' } },
  change: { summary: 'Mark each.', fields: [], reversible: 'yes' as const },
  items: [{ ...item, index: 4 }] as PlannedItem[],
};

it('seals everything of an item that an adapter gets or a person sees', () => {
  const changes: Partial<FrozenItem>[] = [
    { id: 'm2' },
    { display_name: 'Another invoice' },
    { raw_data: { amount: 13 } },
    { raw_data: { amount: 12, undo: { to: {} } } },
    { preview: { after: { label: 'Never' } } },
    { preview: { already: true } },
    { salt: 'another' },
  ];
  const seals = changes.map((change) => sealOf({ ...item, ...change }));
  expect(new Set([...seals, sealOf(item)]).size).toBe(changes.length + 1);
  const together = changes.map((change) => markOf([item, { ...item, ...change }]));
  expect(new Set([...together, markOf([item, item])]).size).toBe(changes.length + 1);
});

it('gives a workflow the seal of an item, and none of its data', () => {
  const salted = { ...item, salt: 'a salt' };
  const known = named({ ...salted, index: 4 });
  expect(known).toEqual({
    ...{ index: 4, id: 'm1', display_name: 'Invoice', preview: item.preview },
    seal: sealOf(salted),
  });
  const items = [{ ...salted, index: 4 }];
  expect(questionDigest({ ...question, items: [known] })).toBe(questionDigest({ ...question, items }));
  expect(known.seal).toMatch(/^[\w-]{32}$/);
});

it('is the root of a tree over its head and its items', () => {
  const tree = questionTree(question);
  expect(JSON.parse(tree.head)).toEqual({ ...question, items: 1 });
  expect(tree.leaves).toEqual([[4, sealOf(item)]]);
  expect(questionDigest(question)).toBe(merkleRoot(leafTexts(tree)));
});

const requirement: Requirement = {
  ...{ policy: 'all', approvals: 1, from: ['person:anna'], not_requester: false, distinct: true },
  ...{ assurance: 'asserted', on_refusal: 'cancel' },
};

it('binds a digest to its run, batch, attempt, context, change and items with their places', () => {
  const { context, change, items } = question;
  const changes: Partial<Parameters<typeof questionDigest>[0]>[] = [
    { operation_id: 'bulk-2' },
    { run_id: 'run-2' },
    { batch: 3 },
    { attempt: 2 },
    { context: { ...context, action: 'unmark' } },
    { context: { ...context, action_params: { mark: 'Never' } } },
    { change: { ...change, summary: 'Delete each.' } },
    { items: items.map((one) => ({ ...one, index: 5 })) },
    { items: items.map((one) => ({ ...one, raw_data: { amount: 99 } })) },
    { items: [] },
    { items: [...items, ...items] },
    { items: [...items, { ...item, index: 5 }] },
    { requester: { reason: 'They are old.' } },
    { revises: 'bulk-0' },
    { requirement },
    { requirement: { ...requirement, approvals: 2 } },
    { requirement: { ...requirement, from: ['person:ben'] } },
    { requirement: { ...requirement, assurance: 'signed' } },
  ];
  const digests = changes.map((other) => questionDigest({ ...question, ...other }));
  expect(new Set([...digests, questionDigest(question)]).size).toBe(changes.length + 1);
});

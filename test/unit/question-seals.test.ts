import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PlannedItem } from '../../src/contract/items';
import type { FrozenItem } from '../../src/contract/items';
import type { Requirement } from '../../src/contract/policy';
import { askedItems, namedAgain } from '../../src/core/bulk/asked-items';
import { receivedBatch, sentBatch } from '../../src/core/bulk/sent-batch';
import {
  leafTexts,
  markOf,
  named,
  questionDigest,
  questionTree,
  sealedText,
  sealOf,
} from '../../src/core/bulk/seal';
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
it('has the members that docs/adr/0001-recorded-histories.md freezes, and no others', () => {
  const whole: Required<Parameters<typeof questionTree>[0]> = {
    ...question,
    ...{ requester: { reason: 'They are old.' }, revises: 'bulk-0', schedule: {}, requirement },
  };
  const frozen: Required<Pick<FrozenItem, 'id' | 'display_name' | 'raw_data' | 'preview' | 'salt'>> = {
    ...{ ...item, raw_data: {}, preview: {}, salt: 'a salt' },
  };
  const membersOf = (text: string) => Object.keys(JSON.parse(text) as object).sort();
  const page = readFileSync(join(__dirname, '../../docs/adr/0001-recorded-histories.md'), 'utf8');
  const section = /^## The digest of a gate$(.*?)^## /ms.exec(page)?.[1] ?? '';
  const [head = '', seal = ''] = section.split('Each other leaf');
  const namesIn = (text: string) => [...text.matchAll(/`(\w+)`/g)].map(([, name]) => name).sort();
  expect(namesIn(head)).toEqual(membersOf(questionTree(whole).head));
  expect(namesIn(seal)).toEqual(membersOf(sealedText(frozen)));
});

it('sends a workflow only what it does not know of the items of a question', () => {
  const rows = [
    named({ ...item, index: 4 }),
    named({ id: 'm2', display_name: 'Letter', index: 5 }, { error: 'gone', retryable: true }),
    named({ id: 'm3', display_name: 'Card', index: 6 }),
  ];
  const batch = { from: 4, to: 7, groups: { from: 4, to: 7, size: 3, marks: '' } };
  const items = Object.fromEntries(rows.map(({ index, id, display_name }) => [index, { id, display_name }]));
  const sent = askedItems(rows, { ...batch, named: true });
  expect(sent).toEqual([
    { preview: item.preview, seal: rows[0]?.seal },
    { detail: { error: 'gone', retryable: true }, seal: rows[1]?.seal },
    { seal: rows[2]?.seal },
  ]);
  expect(namedAgain({ items }, batch, sent)).toEqual(rows);
  expect(namedAgain({ items: {} }, batch, askedItems(rows, batch))).toEqual(rows);
  const plain = rows.map(({ preview: _, detail: __, ...row }) => row);
  const seals = askedItems(plain, { ...batch, named: true });
  expect(seals).toBe(plain.map(({ seal }) => seal).join(''));
  expect(namedAgain({ items }, batch, seals)).toEqual(plain);
});

it('sends a confirmed batch in few words, and gets the same batch', () => {
  const batch = {
    ...{ operation_id: 'bulk-1', run_id: 'run-1', batch: 2, attempt: 1, store_id: 's', digest: 'd' },
    ...{ call_timeout_ms: 1, skipped: [], edition: 1 },
    ...{ asked: [20, 21, 22, 23], indexes: [20, 21, 22, 23] },
    confirmed: {
      ...{ via: 'update' as const, assurance: 'asserted' as const, at: '2027-01-01T00:00:00.000Z' },
      question: { attempt: 1, digest: 'd', asked_at: '2027-01-01T00:00:00.000Z' },
    },
  };
  const { asked, skipped, edition, indexes } = sentBatch(batch);
  expect({ asked, skipped, edition, indexes }).toEqual({ indexes: [[20, 24]] });
  for (const more of [
    {},
    { indexes: [21, 23], skipped: [{ index: 20, reason: 'no' }], edition: 2 },
    { indexes: [], skipped: [{ index: 20, reason: 'no' }] },
    { confirmed: { via: 'signal' as const, assurance: 'asserted' as const, at: 'then', by: 'ana' } },
  ])
    expect(receivedBatch(sentBatch({ ...batch, ...more }))).toEqual({ ...batch, ...more });
});

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

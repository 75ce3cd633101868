import type { PlannedItem } from '../../src/contract/items';
import type { FrozenItem } from '../../src/contract/items';
import { markOf, named, questionDigest, sealOf } from '../../src/core/bulk/seal';

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
  ];
  const seals = changes.map((change) => sealOf({ ...item, ...change }));
  expect(new Set([...seals, sealOf(item)]).size).toBe(changes.length + 1);
  const together = changes.map((change) => markOf([item, { ...item, ...change }]));
  expect(new Set([...together, markOf([item, item])]).size).toBe(changes.length + 1);
});

it('gives a workflow the seal of an item, and none of its data', () => {
  const known = named({ ...item, index: 4 });
  expect(known).toEqual({
    ...{ index: 4, id: 'm1', display_name: 'Invoice', preview: item.preview },
    seal: sealOf(item),
  });
  expect(questionDigest({ ...question, items: [known] })).toBe(questionDigest(question));
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
    { requester: { reason: 'They are old.' } },
    { revises: 'bulk-0' },
  ];
  const digests = changes.map((other) => questionDigest({ ...question, ...other }));
  expect(new Set([...digests, questionDigest(question)]).size).toBe(changes.length + 1);
});

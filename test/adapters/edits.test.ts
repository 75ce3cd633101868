import { randomUUID } from 'node:crypto';
import {
  cancelBulkOperation,
  editBulkOperation,
  retryFailedItems,
  startRemainingItems,
  undoBulkOperation,
} from '../../src/client';
import type { BulkOperationInput, BulkStatus } from '../../src/contract/operation';
import { confirmOpen } from '../helpers/confirm';
import { startHarness, type Harness } from '../helpers/harness';
import { ask, failure, fresh, gmail, labelsOf, useMailbox } from './gmail-setup';
import { startServer, type SqlWorld } from './sql-setup';

/** Edits in the middle of a ramp, on the local mailbox and a PostgreSQL server, and their undo. */
useMailbox();

let world: SqlWorld;
let harness: Harness;
beforeAll(async () => {
  ({ world } = await startServer());
  harness = await startHarness({ adapters: [gmail(), world.adapter] });
});
afterAll(async () => {
  await harness?.close();
  await world?.close();
});

const RAMP = { batch_size: undefined, batch_sizes: [1, 3, 8] };
const begin = (input: Partial<BulkOperationInput>) => harness.start({ params: undefined, ...RAMP, ...input });
const edit = async (id: string, change: Record<string, unknown>) => {
  const { next_batch: gate } = await harness.status(id);
  return editBulkOperation(harness.client, id, { change, digest: gate?.digest, by: 'ana' });
};
/** Confirms batch after batch. */
async function runAll(id: string): Promise<BulkStatus> {
  for (;;) {
    const status = await harness.status(id);
    if (!status.needs_confirmation) return status;
    await confirmOpen(harness.client, id);
  }
}
/** Undoes the operation, and returns its undo when that is over. */
const undone = async (id: string) => runAll((await undoBulkOperation(harness.client, id)).operation_id);

describe('labels of emails', () => {
  const made = async (name: string): Promise<string> => (await ask('labels', 'POST', { name })).id!;
  const idOf = async (name: string) => (await ask('labels')).labels?.find((label) => label.name === name)?.id;

  it('are those that each batch asked about, and an undo takes back what ran for each email', async () => {
    const [later, kept] = [await made(`Later ${randomUUID()}`), await made(`Kept ${randomUUID()}`)];
    const named = new Map((await ask('labels')).labels?.map(({ id, name }) => [id, name]));
    const created = `Made ${randomUUID()}`;
    const items = fresh(12);
    // Two have labels of later editions before the operation does anything.
    await ask(`messages/${items[1]!.id}/modify`, 'POST', { addLabelIds: [kept] });
    const all = () => Promise.all(items.map(async ({ id }) => (await labelsOf(id)).sort()));
    const before = await all();
    const { operation_id: id } = await begin({
      ...{ domain: 'gmail', action: 'label', items },
      params: { label_name: named.get(later) },
    });
    await confirmOpen(harness.client, id);
    const missing = await failure(edit(id, { label_name: 'No such label' }));
    expect(missing).toMatchObject({ code: 'INVALID_INPUT', message: "Label 'No such label' not found" });
    const edited = await edit(id, { label_name: named.get(kept) });
    expect(edited).toMatchObject({
      ...{ processed: 1, already: 1 },
      next_batch: { number: 2, attempt: 2, change: { fields: [{ name: 'label', to: named.get(kept) }] } },
    });
    await confirmOpen(harness.client, id);
    const last = await edit(id, { label_name: created, create_label: true });
    expect(last.next_batch?.change.summary).toContain('(it will be created)');
    expect(await idOf(created)).toBeUndefined();
    expect(await runAll(id)).toMatchObject({ state: 'completed', succeeded: 12, batches_total: 3 });
    const third = await idOf(created);
    const added = (await all()).map((labels, at) => labels.filter((label) => !before[at]?.includes(label)));
    expect(added).toEqual([[later], [], [kept], [kept], ...Array<string[]>(8).fill([third!])]);
    // The email that had its label already has nothing to take back.
    expect(await undone(id)).toMatchObject({ state: 'completed', succeeded: 11, failed: 0 });
    expect(await all()).toEqual(before);
  });
});

describe('rows of a table', () => {
  const rows = () => world.run('select cast(things as text) as row from things order by id');
  beforeEach(async () => {
    await world.run('drop table if exists things, others');
    await world.run(
      `create table things (id integer primary key, name text, price numeric(8,2), state text)`,
    );
    await world.run('create table others (id integer primary key, state text)');
    await world.run(`insert into things select n, 'Thing ' || n, n, 'new' from generate_series(1, 12) n`);
    await world.run(`insert into others select n, 'new' from generate_series(1, 12) n`);
  });
  const start = () => {
    const where = [{ column: 'id', op: '>', value: 0 }];
    const params = { database: 'shop', table: 'things', where, set: { state: 'done' } };
    return begin({ domain: 'sql', action: 'update', params });
  };

  it('get the values that each batch asked about, and an undo takes back what ran for each row', async () => {
    const before = await rows();
    const { operation_id: id } = await start();
    await confirmOpen(harness.client, id);
    // The new plan reads what is left anew.
    await world.run(`update things set price = 90 where id = 3`);
    const edited = await edit(id, { set: { state: 'closed', price: 7 } });
    expect(edited.next_batch).toMatchObject({ number: 2, attempt: 2 });
    expect((await harness.status(id)).next_batch?.items[1]).toMatchObject({
      before: { price: '90.00', state: 'new' },
    });
    await confirmOpen(harness.client, id);
    await edit(id, { set: { name: 'x' } });
    expect(await runAll(id)).toMatchObject({ state: 'completed', succeeded: 12, batches_total: 3 });
    expect((await rows()).map(({ row }) => row).slice(0, 5)).toEqual([
      '(1,"Thing 1",1.00,done)',
      ...[2, 3, 4].map((n) => `(${n},"Thing ${n}",7.00,closed)`),
      '(5,x,5.00,new)',
    ]);
    expect(await undone(id)).toMatchObject({ state: 'completed', succeeded: 12, failed: 0 });
    await world.run(`update things set price = 3 where id = 3`);
    expect(await rows()).toEqual(before);
  });

  it.each([{ table: 'others' }, { database: 'other' }])(
    'stay the same rows: %j is refused',
    async (change) => {
      const { operation_id: id, next_batch } = await start();
      const [name] = Object.keys(change);
      expect(await failure(edit(id, change))).toMatchObject({
        ...{ code: 'INVALID_INPUT', message: `${name} selects the items, which an edit does not change.` },
      });
      expect((await harness.status(id)).next_batch).toEqual(next_batch);
    },
  );

  it('of a file keep their columns when the change is edited, the rest is started, or a row is tried again', async () => {
    const items = Array.from({ length: 12 }, (_, at) => ({
      id: String(at + 20),
      display_name: `New ${at}`,
      raw_data: { name: `New ${at}`, price: `${at}.50` },
    }));
    const params = { database: 'shop', table: 'things', set: { state: 'first' } };
    const { operation_id: id } = await begin({ domain: 'sql', action: 'insert', items, params });
    await confirmOpen(harness.client, id);
    await edit(id, { set: { state: 'second' } });
    await world.run(`insert into things values (22, 'Theirs', 0, 'theirs')`);
    await confirmOpen(harness.client, id);
    await cancelBulkOperation(harness.client, id);
    await world.run('delete from things where id = 22');
    const rest = await startRemainingItems(harness.client, id);
    expect(await runAll(rest.operation_id)).toMatchObject({ state: 'completed', succeeded: 8 });
    const again = await retryFailedItems(harness.client, id);
    expect(await runAll(again.operation_id)).toMatchObject({ state: 'completed', succeeded: 1 });
    const states = ['first', ...Array<string>(11).fill('second')];
    const expected = states.map((state, at) => `(${at + 20},"New ${at}",${at}.50,${state})`);
    expect((await rows()).map(({ row }) => row).slice(12)).toEqual(expected);
    expect(await undone(id)).toMatchObject({ state: 'completed', succeeded: 3, failed: 0 });
    expect((await rows()).map(({ row }) => row).slice(12)).toEqual([expected[2], ...expected.slice(4)]);
  });
});

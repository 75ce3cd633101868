import { createSqlAdapter } from '../../activities/adapters/sql';
import type { BulkItem } from '../../src/contract/items';
import type { Databases } from '../../src/postgres/databases';
import { adapterAt, states, update, url, useServer, where, world } from './sql-server';
import { call, execute, failure, named, planned, prepare } from './sql-setup';

useServer();

describe('a role', () => {
  const PASSWORD = 'wEird:pass/word';
  const asRole = () =>
    adapterAt((address) => {
      address.username = 'clerk';
      address.password = encodeURIComponent(PASSWORD);
    });
  beforeAll(() => world.run(`create role clerk login password '${PASSWORD}'`));
  beforeEach(async () => {
    await world.run('revoke create on schema public from public');
    await world.run('grant select, update, delete on things to clerk');
  });

  test('that may create no table changes rows without markers, and the rows are read back', async () => {
    const adapter = asRole();
    const plan = await update(adapter, 3);
    expect(plan.context.action_params['marks']).toBeNull();
    const results = await execute(adapter, { ...plan, items: plan.items.slice(0, 1) });
    expect(results).toEqual([{ item_id: '1', success: true }]);
    await world.run(`update things set state = 'else' where id = 3`);
    const look = (item: BulkItem) => adapter.reconcile!(item, plan.context, call());
    expect(await Promise.all(plan.items.map(look))).toEqual(['applied', 'not_applied', 'unknown']);
    expect(await world.run(`select to_regclass('batchgate_changes') as it`)).toEqual([{ it: null }]);

    const removal = await planned(adapter, 'delete', { table: 'things', where: where(2) });
    await execute(adapter, { ...removal, items: removal.items.slice(0, 1) });
    const lookAfter = (item: BulkItem) => adapter.reconcile!(item, removal.context, call());
    expect(await Promise.all(removal.items.map(lookAfter))).toEqual(['applied', 'not_applied']);
  });

  test('that finds no markers at the start creates none later', async () => {
    const adapter = asRole();
    const plan = await update(adapter, 1);
    await world.run('grant create on schema public to clerk');
    await execute(adapter, plan);
    expect(await adapter.reconcile?.(plan.items[0]!, plan.context, call())).toBe('applied');
    expect(await world.run(`select to_regclass('batchgate_changes') as it`)).toEqual([{ it: null }]);
  });

  test('uses a table of markers that somebody else created for it', async () => {
    await execute(world.adapter, await update(world.adapter, 1));
    await world.run('grant select, insert, update on batchgate_changes to clerk');
    const adapter = asRole();
    const plan = await update(adapter, 2, { state: 'again' });
    expect(plan.context.action_params['marks']).toEqual({ schema: 'public', name: 'batchgate_changes' });
    const results = await execute(adapter, plan, call('bulk-clerk'));
    expect(results.map(({ success }) => success)).toEqual([true, true]);
  });

  test('that lost its rights after the plan fails as a whole or row by row, and changes nothing', async () => {
    const adapter = asRole();
    const plan = await update(adapter, 2);
    await world.run('revoke update on things from clerk');
    expect(await execute(adapter, plan)).toMatchObject(
      plan.items.map(({ id }) => ({
        item_id: id,
        success: false,
        retryable: false,
        error: expect.stringContaining('permission denied'),
      })),
    );
    await world.run('revoke select on things from clerk');
    const refused = await failure(prepare(adapter, 'delete', { table: 'things', where: where(1) }));
    expect(refused).toMatchObject({ code: 'CREDENTIALS_INVALID', hint: expect.stringContaining('Grant') });
  });

  test('with the wrong password is refused, and no error shows a password', async () => {
    const wrong = adapterAt((address) => (address.password = 'not-the-one'));
    const plan = await update(world.adapter);
    for (const work of [
      prepare(wrong, 'delete', { table: 'things', where: where(1) }),
      wrong.getTotalCount(plan.context, call()),
      execute(wrong, plan),
    ]) {
      const error = await failure(work);
      expect(error.code).toBe('CREDENTIALS_INVALID');
      expect(JSON.stringify(error)).not.toMatch(/not-the-one|postgres:\/\//);
    }
    expect((await states())[0]).toBe('new');
  });
});

describe('a database', () => {
  test('that does not run cannot be reached, and its rows may be retried', async () => {
    const plan = await update(world.adapter);
    const nowhere = adapterAt((address) => (address.port = '1'));
    const error = await failure(nowhere.getTotalCount(plan.context, call()));
    expect(error.code).toBe('ADAPTER_UNAVAILABLE');
    expect(error.message).toContain("'shop' cannot be reached");
    expect(JSON.stringify(error)).not.toContain(new URL(url).password);
    expect(await execute(nowhere, plan)).toMatchObject([{ success: false, retryable: true }]);
    const looking = nowhere.reconcile?.(plan.items[0]!, plan.context, call()) ?? Promise.resolve();
    expect((await failure(looking)).code).toBe('ADAPTER_UNAVAILABLE');
  });

  test('that the server does not have is named in the error', async () => {
    const elsewhere = adapterAt((address) => (address.pathname = '/none'));
    const error = await failure(prepare(elsewhere, 'delete', { table: 'things', where: where(1) }));
    expect(error).toMatchObject({ code: 'NOT_CONFIGURED', message: expect.stringContaining('"none"') });
  });

  test('never has more of its connections in use than concurrent rows', async () => {
    const ids = ['1', '2', '3', '4', '5', '6'];
    const plan = await named(world.adapter, 'update', { table: 'things', set: { state: 'x' } }, ids);
    let most = 0;
    let open = 0;
    const counted: Databases = {
      ...world.databases,
      ofAnyKind: async (name) => {
        const database = await world.databases.ofAnyKind(name);
        return {
          ...database,
          lend: async (signal, work) => {
            most = Math.max(most, (open += 1));
            return database.lend(signal, work).finally(() => (open -= 1));
          },
        };
      },
    };
    const adapter = createSqlAdapter({ databases: counted, concurrency: 2 });
    expect(adapter.sliceSize).toBe(2);
    await execute(adapter, plan);
    expect(most).toBe(2);
  });
});

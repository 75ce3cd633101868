import { Client } from 'pg';
import { gateway } from '../helpers/harness';
import { adapterAt, proxy, states, update, url, useServer, world } from './sql-server';
import { call, execute } from './sql-setup';

useServer();

const viaProxy = () => adapterAt((address) => (address.port = String(proxy.port)));
const isCommit = (bytes: Buffer) => bytes.includes('commit\0');

describe('a lost connection', () => {
  test('in COMMIT leaves the outcome unknown, and the marker shows that it was made', async () => {
    const adapter = viaProxy();
    const plan = await update(adapter);
    let commits = 0;
    // The first three COMMITs end the lookup of the table, and the lookup and creation of the marker table.
    proxy.rule = (bytes) => (isCommit(bytes) && (commits += 1) === 4 ? 'lose' : 'forward');
    const [result] = await execute(adapter, plan, call('bulk-lost'));
    expect(result).toEqual({
      item_id: '1',
      success: false,
      error: 'The connection was lost while the change was being committed',
      outcome_unknown: true,
    });
    expect((await states())[0]).toBe('done');
    proxy.rule = undefined;
    expect(await adapter.reconcile?.(plan.items[0]!, plan.context, call('bulk-lost'))).toBe('applied');
  });

  test('before COMMIT arrives leaves the outcome unknown, and the missing marker shows that it was not made', async () => {
    const adapter = viaProxy();
    const plan = await update(adapter);
    let commits = 0;
    proxy.rule = (bytes) => (isCommit(bytes) && (commits += 1) === 4 ? 'cut' : 'forward');
    const [result] = await execute(adapter, plan, call('bulk-cut'));
    expect(result).toMatchObject({ success: false, outcome_unknown: true });
    expect((await states())[0]).toBe('new');
    proxy.rule = undefined;
    expect(await adapter.reconcile?.(plan.items[0]!, plan.context, call('bulk-cut'))).toBe('not_applied');
  });

  test('in COMMIT is given up at the deadline', async () => {
    const adapter = viaProxy();
    const plan = await update(adapter);
    let commits = 0;
    proxy.rule = (bytes) => (isCommit(bytes) && (commits += 1) === 4 ? 'silence' : 'forward');
    const [result] = await execute(adapter, plan, call('bulk-silent', 2_000));
    expect(result).toMatchObject({ success: false, outcome_unknown: true });
  });

  test('before COMMIT is sent changes nothing, and the item may be retried', async () => {
    const adapter = viaProxy();
    const plan = await update(adapter, 2);
    proxy.rule = (bytes) => (bytes.includes('update "public"."things"') ? 'lose' : 'forward');
    for (const result of await execute(adapter, plan)) {
      expect(result).toMatchObject({ success: false, retryable: true });
      expect(result.outcome_unknown).toBeUndefined();
    }
    expect(new Set(await states())).toEqual(new Set(['new']));
    proxy.rule = undefined;
    const results = await execute(adapter, plan, call('bulk-test', 40_000));
    expect(results.map(({ success }) => success)).toEqual([true, true]);
  });

  test('by an administrator changes nothing, and the item may be retried', async () => {
    const blocker = new Client(url);
    await blocker.connect();
    await blocker.query('begin; update things set name = name where id = 1');
    const plan = await update(world.adapter);
    const running = execute(world.adapter, plan);
    await waitingFor(blocker, 1);
    await blocker.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${WAITING}`);
    expect(await running).toMatchObject([
      { success: false, retryable: true, error: 'The connection was lost before anything was committed' },
    ]);
    await blocker.end();
    expect((await states())[0]).toBe('new');
  });
});

const WAITING = `wait_event_type = 'Lock' and datname = current_database()`;

/** Waits until this many connections wait for a lock. */
async function waitingFor(client: Client, sessions: number): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ count: string }>(
      `select count(*) from pg_stat_activity where ${WAITING}`,
    );
    if (Number(rows[0]?.count) === sessions) return;
  }
}

describe('a COMMIT that is still running', () => {
  test.each([
    ['arrives', 'forward', 'applied', 'done'],
    ['is lost with its connection', 'cut', 'not_applied', 'new'],
  ] as const)('keeps whoever asks for it waiting until it %s', async (_what, fate, found, state) => {
    const slow = viaProxy();
    const plan = await update(slow);
    const sent = gateway();
    const released = gateway();
    let commits = 0;
    proxy.rule = async (bytes) => {
      if (!isCommit(bytes) || (commits += 1) !== 4) return 'forward';
      sent.open();
      await released.opened;
      return fate;
    };
    const running = execute(slow, plan, call('bulk-slow'));
    await sent.opened;
    const asking = world.adapter.reconcile?.(plan.items[0]!, plan.context, call('bulk-slow', 40_000));
    const observer = new Client(url);
    await observer.connect();
    await waitingFor(observer, 1);
    await observer.end();
    released.open();
    expect(await asking).toBe(found);
    await running;
    expect((await states())[0]).toBe(state);
  });

  test('that arrives after a read-back reported no change is fenced off', async () => {
    const slow = viaProxy();
    const plan = await update(slow);
    const sent = gateway();
    const released = gateway();
    proxy.rule = async (bytes): Promise<'forward'> => {
      if (!bytes.includes('insert into "public"."batchgate_changes"')) return 'forward';
      sent.open();
      await released.opened;
      return 'forward';
    };
    const running = execute(slow, plan, call('bulk-late', 30_000));
    await sent.opened;
    const asked = await world.adapter.reconcile?.(plan.items[0]!, plan.context, call('bulk-late', 40_000));
    expect(asked).toBe('not_applied');
    released.open();
    expect(await running).toMatchObject([{ success: false, retryable: true }]);
    expect((await states())[0]).toBe('new');
  });
});

test('a row that somebody else locks is that item’s error at the end of the call, and the others continue', async () => {
  const blocker = new Client(url);
  await blocker.connect();
  await blocker.query('begin; update things set name = name where id = 2');
  const plan = await update(world.adapter, 3);
  const results = await execute(world.adapter, plan, call('bulk-lock', 3_000));
  expect(results).toEqual([
    { item_id: '1', success: true },
    { item_id: '2', success: false, error: 'canceling statement due to lock timeout', retryable: true },
    { item_id: '3', success: true },
  ]);
  await blocker.end();
});

test('workers that create the table of markers at once all continue', async () => {
  const WORKERS = 6;
  const others = Array.from({ length: WORKERS - 1 }, () => adapterAt(() => undefined));
  // PostgreSQL answers the losers of this race in three ways, one of them once in a hundred.
  for (let round = 0; round < 20; round += 1) {
    await world.run('drop table if exists batchgate_changes');
    await world.run(`update things set state = 'new'`);
    const plan = await update(world.adapter, WORKERS);
    const results = await Promise.all(
      [world.adapter, ...others].map((adapter, at) =>
        execute(adapter, { context: plan.context, items: [plan.items[at]!] }, call(`bulk-all-${round}`)),
      ),
    );
    expect(results.flat()).toEqual(plan.items.map(({ id }) => ({ item_id: id, success: true })));
  }
});

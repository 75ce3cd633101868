import { CompiledQuery } from 'kysely';
import { awaitMacro, cancelMacro, getMacroTrace } from '../../src/client';
import type { Macro } from '../../src/contract/macro';
import { gateway } from '../helpers/harness';
import { leaseEnded } from '../helpers/lease';
import {
  call,
  command,
  insert,
  log,
  SHORT_TIMEOUTS,
  useTransactions,
  type TransactionStage,
} from '../helpers/transaction-stage';
import { embeddedDatabases, serverDatabases } from '../helpers/two-databases';

/** The tool `hold` waits until its call is stopped; resolves once it waits. */
function untilStopped(stage: TransactionStage): Promise<void> {
  const reached = gateway();
  stage.held = (signal) => {
    reached.open();
    return new Promise((_resolve, reject) =>
      signal.addEventListener('abort', () => reject(new Error('stopped'))),
    );
  };
  return reached.opened;
}

describe.each([
  ['PGlite', embeddedDatabases],
  ['a PostgreSQL server', serverDatabases],
])('over %s', (_, open) => {
  const stage = useTransactions(open, SHORT_TIMEOUTS);

  it('runs sequential steps within it, and parallel macros outside it', async () => {
    const beside: Macro = { name: 'beside', database: 'audit_db', steps: [log('beside')] };
    const bare: Macro = { name: 'bare', steps: [insert(9)] };
    const notes = ['a', 'b', 'c'].map((what) => command('note', { what }, { is_async: true }));
    const ended = await stage.onUsers(
      [
        insert(1),
        ...notes,
        call('beside', { is_async: true }),
        call('bare', { is_async: true, continue_on_error: true }),
        insert(2),
      ],
      [beside, bare],
    );
    expect(ended.state).toBe('completed');
    expect(stage.calls).toEqual(['a', 'b', 'c']);
    expect([await stage.ids(), await stage.logged()]).toEqual([[1, 2], ['beside']]);
  });

  it('joins a parallel macro on its own database after its commit', async () => {
    const beside: Macro = {
      name: 'beside',
      database: 'users_db',
      steps: [
        command('sql_update', {
          table: 'users',
          set: { name: 'seen' },
          where: [{ column: 'id', op: '=', value: 1 }],
        }),
      ],
    };
    await stage.world.run('users_db', `insert into users values (1, 'old')`);
    const lock = command('sql_update', {
      table: 'users',
      set: { name: 'mine' },
      where: [{ column: 'id', op: '=', value: 1 }],
    });
    const ended = await stage.onUsers([lock, call('beside', { is_async: true }), insert(2)], [beside]);
    expect(ended).toMatchObject({ state: 'completed' });
    expect(await stage.world.run('users_db', 'select name from users where id = 1')).toEqual([
      { name: 'seen' },
    ]);
  });

  it('fails with the database’s message if the database refuses the commit', async () => {
    const orphan = command('sql_insert', { table: 'likes', rows: [{ user_id: 77 }] });
    const { error } = await stage.onUsers([insert(1), orphan]);
    expect(error?.message).toContain('The commit on users_db was refused');
    expect(error?.message).toContain('foreign key');
    expect(await stage.ids()).toEqual([]);
  });

  it('checks the commit marker if the answer to a commit does not tell the outcome', async () => {
    await stage.world.run(
      'users_db',
      `create function cut() returns trigger language plpgsql as
       $$ begin raise exception 'the line went dead' using errcode = '08006'; end $$`,
    );
    await stage.world.run(
      'users_db',
      `create constraint trigger dead after insert on likes
       deferrable initially deferred for each row execute function cut()`,
    );
    const like = command('sql_insert', { table: 'likes', rows: [{ user_id: 1 }] });
    const { error } = await stage.onUsers([insert(1), like]);
    await stage.world.run('users_db', 'drop function cut cascade');
    expect(error?.message).toContain('was lost and rolled back');
    expect(await stage.ids()).toEqual([]);
    // The check of the marker left a row, so that the commit could not succeed any more.
    const marks = await stage.world.run(
      'users_db',
      `select outcome, count(*)::int from batchgate_transactions where outcome <> 'committed' group by 1`,
    );
    expect(marks).toEqual([{ outcome: 'rolled_back', count: 1 }]);
  });

  it('rolls back when it is cancelled in the middle of a step, and releases the connection', async () => {
    const reached = untilStopped(stage);
    const { run_id } = await stage.begin({
      database: 'users_db',
      steps: [insert(1), command('hold', { id: 2 })],
    });
    await reached;
    await cancelMacro(stage.harness.client, run_id);
    expect(await awaitMacro(stage.harness.client, run_id)).toMatchObject({ state: 'cancelled' });
    expect(await stage.ids()).toEqual([]);
  });

  it('rolls back when it is terminated, and holds no more locks', async () => {
    const reached = untilStopped(stage);
    const { run_id } = await stage.begin({ database: 'users_db', steps: [command('hold', { id: 1 })] });
    await reached;
    await stage.harness.client.workflow.getHandle(run_id).terminate();
    // The insert waits for the lock of the row, or for the only connection.
    await stage.world.run('users_db', 'insert into users (id) values (1)');
    expect(await stage.ids()).toEqual([1]);
  });

  it.each([
    ['a commit of its own', 'commit', 'The transaction belongs to the macro'],
    ['one that hides', '/* mine */ commit', 'A step ended the transaction on users_db by itself'],
  ])('does not let a tool end it: %s', async (_what, text, message) => {
    const ended = await stage.onUsers([insert(1), command('say', { text }), insert(2)]);
    expect(ended.state).toBe('failed');
    expect(ended.error?.message).toContain(message);
    expect(await stage.ids()).not.toContain(2);
  });

  it('refuses a macro that names a missing database, or two, before anything runs', async () => {
    const unknown = await stage
      .begin({ database: 'nowhere', steps: [insert(1)] })
      .catch((error: unknown) => error);
    expect(unknown).toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining("there is no database 'nowhere'"),
    });
    const two = await stage
      .begin({ database: 'users_db', steps: [] }, [], { database: 'audit_db' })
      .catch((error: unknown) => error);
    expect(two).toMatchObject({ code: 'INVALID_INPUT', message: expect.stringContaining('already') });
  });

  it('shows its steps in the trace, with the database’s messages', async () => {
    const { run_id } = await stage.begin({ database: 'users_db', steps: [insert(1), insert(1)] });
    await awaitMacro(stage.harness.client, run_id);
    const { steps } = await getMacroTrace(stage.harness.client, run_id);
    expect(steps.map(({ state }) => state)).toEqual(['completed', 'failed']);
    expect(steps[1]?.error?.message).toContain('duplicate key');
  });
});

describe('while a transaction holds a lock that another one needs', () => {
  const waiting = (stage: TransactionStage) => {
    const reached = gateway();
    const done = gateway();
    stage.held = () => {
      reached.open();
      return done.opened;
    };
    return { reached: reached.opened, done: done.open };
  };
  const holding = { database: 'users_db', steps: [command('hold', { id: 1 })] };
  /** Inserts a row from outside of all macros, so that no timeout ends the wait of others. Returns the commit. */
  const inserted = async ({ world }: TransactionStage, id: number) => {
    const database = await world.databases.get('users_db');
    const [begun, done] = [gateway(), gateway()];
    const ended = database.lend(new AbortController().signal, async (db) => {
      await db.executeQuery(CompiledQuery.raw('begin'));
      await db.executeQuery(CompiledQuery.raw('insert into users (id) values ($1)', [id]));
      begun.open();
      await done.opened;
      await db.executeQuery(CompiledQuery.raw('commit'));
    });
    await begun.opened;
    return () => (done.open(), ended);
  };
  const timeouts = { ...SHORT_TIMEOUTS, tool_timeout_ms: 8_000 };

  describe('on a server', () => {
    const stage = useTransactions(serverDatabases, timeouts);

    it('shows none of its changes to others before its commit, and all of them afterwards', async () => {
      const { reached, done } = waiting(stage);
      const { run_id } = await stage.begin(holding);
      await reached;
      expect(await stage.ids()).toEqual([]);
      done();
      expect(await awaitMacro(stage.harness.client, run_id)).toMatchObject({ state: 'completed' });
      expect(await stage.ids()).toEqual([1]);
    });

    it('runs no further step within it once its connection is lost, whatever would catch that', async () => {
      const text = 'select pg_terminate_backend(pg_backend_pid())';
      const dies = command('say', { text }, { continue_on_error: true });
      const { state, error } = await stage.onUsers([insert(1), dies, command('note', { what: 'after' })]);
      expect([state, error?.message]).toEqual([
        'failed',
        expect.stringContaining('was lost and rolled back'),
      ]);
      expect(stage.calls).toEqual([]);
      expect(await stage.ids()).toEqual([]);
    });

    it('runs no further step if its connection is lost during a step outside of it', async () => {
      const { reached, done } = waiting(stage);
      const steps = [insert(1), command('linger'), command('note', { what: 'after' })];
      const { run_id } = await stage.begin({ database: 'users_db', steps });
      await reached;
      await stage.world.run(
        'users_db',
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and state = 'idle in transaction'`,
      );
      await leaseEnded(stage.harness.client, run_id);
      done();
      const { state, error } = await awaitMacro(stage.harness.client, run_id);
      expect([state, error?.message]).toEqual([
        'failed',
        expect.stringContaining('was lost and rolled back'),
      ]);
      expect(stage.calls).toEqual([]);
    });

    it('ends a wait for a lock with the database’s message', async () => {
      const commit = await inserted(stage, 1);
      const { error } = await stage.onUsers([insert(1)]);
      expect(error?.message).toContain('canceling statement due to lock timeout');
      await commit();
    });
  });

  describe('on an embedded database', () => {
    const stage = useTransactions(embeddedDatabases, timeouts);

    it('takes turns, and ends a wait for the only connection that takes too long', async () => {
      const commit = await inserted(stage, 1);
      const { error } = await stage.onUsers([insert(2)]);
      expect(error?.message).toContain('No transaction could be begun on users_db within 6 s');
      const next = stage.onUsers([insert(3)]);
      await commit();
      expect(await next).toMatchObject({ state: 'completed' });
      expect(await stage.ids()).toEqual([1, 3]);
    });
  });
});

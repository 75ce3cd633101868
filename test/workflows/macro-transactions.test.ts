import type { Macro, Step } from '../../src/contract/macro';
import { call, command, fail, insert, log, manage, useTransactions } from '../helpers/transaction-stage';
import { EACH_KIND } from '../helpers/two-databases';
import { describeInLongRun } from '../helpers/long-run';

describe.each(EACH_KIND)('over %s', (_, open) => {
  const stage = useTransactions(open);

  it('commits the work of a macro with a database, and its commit marker', async () => {
    expect(await stage.onUsers([insert(1), insert(2)])).toMatchObject({ state: 'completed' });
    expect(await stage.ids()).toEqual([1, 2]);
  });

  it('rolls back everything if a step fails', async () => {
    const { state, error } = await stage.onUsers([insert(1), insert(2), fail]);
    expect(state).toBe('failed');
    expect(error?.message).toContain('[TOOL ERROR] half: it broke in the middle');
    expect(await stage.ids()).toEqual([]);
  });

  describeInLongRun('with nested macros, renewals and catches', () => {
    it('includes a nested macro without a database, and fails with it as a whole', async () => {
      const sub: Macro = { name: 'sub', steps: [insert(2)] };
      expect(await stage.onUsers([insert(1), call('sub')], [sub])).toMatchObject({ state: 'completed' });
      expect(await stage.ids()).toEqual([1, 2]);
      const breaks: Macro = { name: 'sub', database: 'users_db', steps: [insert(4), fail] };
      expect(await stage.onUsers([insert(3), call('sub')], [breaks])).toMatchObject({ state: 'failed' });
      expect(await stage.ids()).toEqual([1, 2]);
    });

    it('commits a nested macro on another database separately: a saga, which a later step cannot undo', async () => {
      const users: Macro = { name: 'users', database: 'users_db', steps: [insert(1)] };
      const audit: Macro = {
        name: 'audit',
        database: 'audit_db',
        steps: [log('done'), command('say', { text: 'select 1/0' })],
      };
      const ended = await stage.run({ steps: [call('users'), call('audit')] }, [users, audit]);
      expect(ended.error?.message).toContain('division by zero');
      expect([await stage.ids(), await stage.logged()]).toEqual([[1], []]);
      const first = await stage.run({ steps: [call('audit'), call('users')] }, [users, audit]);
      expect(first.state).toBe('failed');
      expect(await stage.ids()).toEqual([1]);
    });

    it('holds two transactions at once if a macro on another database is called within one', async () => {
      const audit: Macro = { name: 'audit', database: 'audit_db', steps: [log('inner')] };
      expect(await stage.onUsers([insert(1), call('audit'), fail], [audit])).toMatchObject({
        state: 'failed',
      });
      expect([await stage.ids(), await stage.logged()]).toEqual([[], ['inner']]);
    });

    it('commits and renews by manage_transaction, so that an earlier batch outlives a later failure', async () => {
      const steps = [insert(1), manage('commit'), insert(2), fail];
      const ended = await stage.run({ steps }, [], { database: 'users_db' });
      expect(ended.state).toBe('failed');
      expect(await stage.ids()).toEqual([1]);
    });

    it.each([
      ['given at run time', {}, { database: 'users_db' }],
      ['of its own', { database: 'users_db' }, {}],
    ])(
      'commits what is between begin and commit on a database %s, and holds nothing outside',
      async (_what, own, given) => {
        const writes = (id: number) => [manage('begin'), insert(id), manage('commit')];
        const sub: Macro = { name: 'sub', steps: [command('look'), ...writes(3)] };
        const steps = [
          command('look'),
          ...writes(1),
          command('look'),
          ...writes(2),
          call('sub'),
          insert(4),
          fail,
        ];
        const { error } = await stage.run({ steps, ...own }, [sub], given);
        expect(error?.message).toContain('it broke in the middle');
        expect(await stage.ids()).toEqual([1, 2, 3]);
        expect(stage.calls).toEqual(['[]', '[1]', '[1,2]']);
      },
    );

    it('ends with a rollback, after which only begin starts another one', async () => {
      const refused = await stage.onUsers([insert(1), manage('rollback'), insert(2)]);
      expect(refused.error).toMatchObject({
        message: expect.stringContaining(
          '[GATEWAY ERROR] sql_insert runs inside a transaction, and there is none',
        ),
        hint: expect.stringContaining('[HINT]: '),
      });
      expect(await stage.ids()).toEqual([]);
      await stage.onUsers([insert(1), manage('rollback'), manage('begin'), insert(3)]);
      expect(await stage.ids()).toEqual([3]);
    });

    it.each([
      ['begun twice', [manage('begin'), manage('begin')], 'A transaction on users_db is open here already'],
      ['committed without one', [manage('rollback'), manage('commit')], 'No transaction is open here'],
    ])('refuses a transaction %s', async (_what, steps, message) => {
      const { error } = await stage.onUsers(steps);
      expect(error?.message).toContain(`[GATEWAY ERROR] ${message}`);
    });

    it("lets a subroutine manage its caller's transaction", async () => {
      const commits: Macro = { name: 'sub', steps: [insert(2), manage('commit'), insert(3)] };
      await stage.onUsers([insert(1), call('sub'), fail], [commits]);
      expect(await stage.ids()).toEqual([1, 2]);
      const undoes: Macro = { name: 'sub', steps: [insert(4), manage('rollback'), manage('begin')] };
      await stage.onUsers([insert(5), call('sub'), insert(6)], [undoes]);
      expect(await stage.ids()).toEqual([1, 2, 6]);
      const none = await stage.run({ steps: [manage('begin')] });
      expect(none.error?.message).toContain('There is no database here');
    });

    it('refuses to manage a transaction if a caught failure could not be rolled back', async () => {
      const steps = [insert(2), manage('commit')];
      const caught = { continue_on_error: true };
      const inherits = stage.onUsers([insert(1), call('sub', caught)], [{ name: 'sub', steps }]);
      await expect(inherits).rejects.toMatchObject({ code: 'INVALID_INPUT' });
      // A subroutine that names the database of the open transaction also inherits it. Only the run can know that.
      const named: Macro = { name: 'sub', database: 'users_db', steps };
      const kept = await stage.onUsers([insert(1), call('sub', { error_variable: 'why' })], [named]);
      expect(JSON.stringify(kept.variables)).toContain('The failure of the macro sub is caught within');
      expect(await stage.ids()).toEqual([1]);
    });

    it('rolls back only a subroutine whose failure is caught, and a single step', async () => {
      const sub: Macro = { name: 'sub', steps: [insert(2), fail] };
      const steps = [insert(1), call('sub', { continue_on_error: true }), insert(3)];
      expect(await stage.onUsers(steps, [sub])).toMatchObject({ state: 'completed' });
      expect(await stage.ids()).toEqual([1, 3]);
      const caught = { ...fail, continue_on_error: true } as Step;
      expect(
        await stage.onUsers([caught, insert(4), insert(4, { continue_on_error: true }), insert(5)]),
      ).toMatchObject({
        state: 'completed',
      });
      expect(await stage.ids()).toEqual([1, 3, 4, 5]);
    });

    it('separates subroutines whose failure would be caught in a loop', async () => {
      const even = { type: 'if', condition: 'id % 2 == 0', then: [fail] } as Step;
      const sub: Macro = { name: 'sub', parameters: ['id'], steps: [insert(0), even] };
      const insertId = command('sql_insert', { table: 'users', rows: [{ id: '{{.id}}' }] });
      sub.steps[0] = insertId;
      const loop: Step = {
        type: 'loop',
        list: [1, 2, 3, 4],
        iterator: 'n',
        steps: [call('sub', { macro_args: { id: '{{.n}}' }, continue_on_error: true })],
      };
      expect(await stage.onUsers([loop], [sub])).toMatchObject({ state: 'completed' });
      expect(await stage.ids()).toEqual([1, 3]);
    });

    it('reads its own changes within the transaction, by fetch and by sql_select', async () => {
      const ended = await stage.onUsers([
        insert(1),
        { type: 'fetch', source: 'users_db', resource: 'users', variable: 'fetched' },
        command('sql_update', {
          table: 'users',
          set: { name: 'Ana' },
          where: [{ column: 'id', op: '=', value: 1 }],
        }),
        command('sql_select', { table: 'users', columns: ['name'] }, { output_variable: 'selected' }),
        command(
          'sql_delete',
          { table: 'users', where: [{ column: 'id', op: 'in', value: [1, 2] }] },
          { output_variable: 'gone' },
        ),
        { type: 'fetch', source: 'audit_db', resource: 'audit_log', variable: 'elsewhere' },
      ]);
      expect(ended.error).toBeUndefined();
      expect(ended.variables).toMatchObject({
        fetched: [{ id: 1, name: null }],
        selected: { rows: [{ name: 'Ana' }], truncated: false },
        gone: { deleted: 1 },
        elsewhere: [],
      });
    });
  });
});

import { awaitMacro, getMacroTrace } from '../../src/client';
import type { Macro, Step } from '../../src/contract/macro';
import { gateway } from '../helpers/harness';
import { call, command, fail, insert, log, manage, useTransactions } from '../helpers/transaction-stage';
import { EACH_KIND, serverDatabases } from '../helpers/two-databases';

/** More macros than may run at the same time. */
const MANY = 12;
const rename = (name: string): Step =>
  command('sql_update', { table: 'users', set: { name }, where: [{ column: 'id', op: '=', value: 1 }] });
const beside: Macro = { name: 'beside', database: 'users_db', steps: [rename('beside')] };
/** The pool's limit for the wait for a connection, in milliseconds. */
const CONNECTION_MS = 10_000;
/** A machine that was so busy that a parallel macro got no connection in time says nothing about the locks. */
async function untilQuick<T extends { state: string }>(run: () => Promise<T>): Promise<T> {
  for (;;) {
    const since = Date.now();
    const ended = await run();
    if (ended.state === 'completed' || Date.now() - since < CONNECTION_MS) return ended;
  }
}
const aside = call('beside', { is_async: true });

describe.each(EACH_KIND)('over %s', (_, open) => {
  const stage = useTransactions(open);
  beforeEach(() => stage.world.run('users_db', 'insert into users (id) values (1)'));
  const names = () => stage.world.run('users_db', 'select name from users order by id');

  it('is not delayed by any number of parallel macros that wait for its locks', async () => {
    const all: Step = {
      type: 'loop',
      list: Array.from({ length: MANY }, (_one, at) => at),
      iterator: 'n',
      steps: [aside],
    };
    const ended = await untilQuick(() => stage.onUsers([rename('main'), all, insert(2)], [beside]));
    expect({ state: ended.state, error: ended.error }).toEqual({ state: 'completed' });
    expect(await names()).toEqual([{ name: 'beside' }, { name: null }]);
  });

  it('joins after its commit the parallel steps that a subroutine began', async () => {
    const sub: Macro = { name: 'sub', steps: [rename('sub'), aside] };
    const steps = [call('sub', { continue_on_error: true }), insert(2)];
    expect(await stage.onUsers(steps, [sub, beside])).toMatchObject({ state: 'completed' });
    expect(await names()).toEqual([{ name: 'beside' }, { name: null }]);
  });

  it('takes the variables of the parallel steps that a subroutine began, and rolls back only its part if one fails', async () => {
    const value: Macro = { name: 'value', steps: [{ type: 'set', variable: 'x', value: 1 }] };
    const each = call('value', { is_async: true, output_variable: 'values', append: true });
    const swarm: Macro = { name: 'swarm', steps: [insert(2), each, each] };
    const note: Macro = { name: 'note', database: 'audit_db', steps: [log('beside'), fail] };
    const part: Macro = { name: 'part', steps: [insert(3), call('note', { is_async: true })] };
    const { state, variables } = await stage.onUsers(
      [call('swarm', { output_variable: 'swarm' }), call('part', { continue_on_error: true }), insert(4)],
      [value, swarm, note, part],
    );
    expect([state, variables]).toEqual(['completed', { swarm: { values: [{ x: 1 }, { x: 1 }] } }]);
    expect([await stage.ids(), await stage.logged()]).toEqual([[1, 2, 4], []]);
  });

  it('completes the call of a subroutine whose parallel step fails, rather than lose the transaction', async () => {
    const [begun, goesOn] = [gateway(), gateway()];
    stage.held = (_signal, tool) => {
      if (tool === 'linger') return begun.opened;
      begun.open();
      return goesOn.opened;
    };
    const broken: Macro = { name: 'broken', steps: [command('linger'), { type: 'fail', message: 'no' }] };
    const part: Macro = {
      name: 'part',
      steps: [call('broken', { is_async: true }), command('hold', { id: 2 })],
    };
    const steps = [call('part', { continue_on_error: true }), insert(3)];
    const { run_id } = await stage.begin({ database: 'users_db', steps }, [part, broken]);
    const { client } = stage.harness;
    for (let failed = false; !failed;) {
      const trace = await getMacroTrace(client, run_id);
      failed = trace.steps.some((step) => step.type === 'fail' && step.state === 'failed');
    }
    goesOn.open();
    expect(await awaitMacro(client, run_id)).toMatchObject({ state: 'completed' });
    expect(await stage.ids()).toEqual([1, 3]);
    const { events } = await client.workflow.getHandle(run_id).fetchHistory();
    expect(events?.filter((event) => event.activityTaskCancelRequestedEventAttributes)).toEqual([]);
  });

  it('lets a parallel macro without a database begin its own transaction, and say so if it has none', async () => {
    const alone: Macro = { name: 'alone', steps: [manage('begin'), insert(3), manage('commit')] };
    const steps = [insert(2), call('alone', { is_async: true, continue_on_error: true })];
    expect(await stage.run({ steps }, [alone], { database: 'users_db' })).toMatchObject({
      state: 'completed',
    });
    expect(await stage.ids()).toEqual([1, 2, 3]);
    const unbegun: Macro = { name: 'alone', steps: [insert(4)] };
    const { error } = await stage.onUsers([insert(5), call('alone', { is_async: true })], [unbegun]);
    expect(error?.hint).toContain('in parallel or after a rollback, begin with manage_transaction');
  });

  it('keeps nothing if a parallel macro on another database, or on none, fails after its last step', async () => {
    const note: Macro = { name: 'note', database: 'audit_db', steps: [log('beside'), fail] };
    const none: Macro = { name: 'none', steps: [{ type: 'fail', message: 'no' }] };
    for (const other of [note, none]) {
      const steps = [call(other.name, { is_async: true }), insert(2)];
      const { state, error } = await stage.onUsers(steps, [other]);
      expect([state, error?.message]).toEqual(['failed', expect.not.stringContaining('Committed')]);
      expect(await stage.ids()).toEqual([1]);
      expect(await stage.logged()).toEqual([]);
    }
    const same: Macro = { name: 'same', database: 'users_db', steps: [rename('same'), fail] };
    const { error } = await stage.onUsers([rename('main'), call('same', { is_async: true })], [same]);
    expect(error?.message).toContain('Committed before: main on users_db.');
    expect(await names()).toEqual([{ name: 'main' }]);
  });

  it('fails if its commit fails, even if a step within it would catch that', async () => {
    const orphan = command('sql_insert', { table: 'likes', rows: [{ user_id: 77 }] });
    const commit: Step = { type: 'if', condition: 'true', then: [manage('commit')], continue_on_error: true };
    const { state, error } = await stage.onUsers([insert(2), orphan, commit, insert(3)]);
    expect([state, error?.message]).toEqual([
      'failed',
      expect.stringContaining('The commit on users_db was refused'),
    ]);
    expect(await stage.ids()).toEqual([1]);
  });

  it('fails a step that continues after a failed statement, and keeps the rest', async () => {
    const swallow = command('swallow', {}, { continue_on_error: true });
    expect(await stage.onUsers([insert(2), swallow, insert(3)])).toMatchObject({ state: 'completed' });
    expect(await stage.ids()).toEqual([1, 2, 3]);
    const { error } = await stage.onUsers([command('swallow')]);
    expect(error?.message).toContain('A statement of this step failed, and the step went on');
  });

  it('leaves no state on the connection for the next user', async () => {
    const steps = [command('say', { text: `set application_name = 'mine'` }), fail];
    expect(await stage.onUsers(steps)).toMatchObject({ state: 'failed' });
    await stage.onUsers([command('say', { text: `set application_name = 'mine'` })]);
    const [row] = await stage.world.run('users_db', 'show application_name');
    expect(row?.['application_name']).not.toBe('mine');
  });
});

describe('on a worker that is too busy for its heartbeats', () => {
  const HEARTBEAT_MS = 3_000;
  const stage = useTransactions(serverDatabases, { heartbeat_timeout_ms: HEARTBEAT_MS });

  it('keeps its connection, and commits', async () => {
    const stall = command('stall', { ms: 1.5 * HEARTBEAT_MS });
    expect(await stage.onUsers([insert(1), stall, insert(2)])).toMatchObject({ state: 'completed' });
    expect(await stage.ids()).toEqual([1, 2]);
  });
});

import { cancelBulkOperation, startBulkOperation } from '../../src/client';
import type { Macro, Step } from '../../src/contract/macro';
import type { MacroTrace } from '../../src/contract/macro-run';
import type { Path, Scene } from './stage';

const work = (id: string | number, more: object = {}, args: object = {}): Step => ({
  type: 'command',
  command: 'work',
  args: { id, ...args },
  ...more,
});
/** A statement within the transaction. */
const say = (text: string, more: object = {}): Step => ({
  type: 'command',
  command: 'say',
  args: { text },
  ...more,
});
const manage = (action: string): Step => ({
  type: 'command',
  command: 'manage_transaction',
  args: { action },
});
const call = (macro_name: string, more: object): Step => ({ type: 'macro', macro_name, ...more });
const macro = (steps: Step[], more: Partial<Macro> = {}) => ({ name: 'recorded', steps, ...more });

async function through(scene: Scene, steps: Step[], more: object = {}): Promise<void> {
  await scene.begin('macro', { macro: macro(steps), args: {}, ...more });
  await scene.handle.result();
}

async function until({ handle }: Scene, wanted: (trace: MacroTrace) => boolean): Promise<void> {
  for (;;) {
    const trace = await handle.query<MacroTrace>('trace');
    if (wanted(trace)) return;
    // A run that has ended no longer reaches the wanted trace.
    if (['completed', 'failed', 'cancelled', 'rejected'].includes(trace.state))
      throw new Error(JSON.stringify(trace));
  }
}
const atWork = ({ steps }: MacroTrace) =>
  steps.some(({ state, type }) => state === 'running' && type === 'command');

/** Paths of one run each. */
export const MACROS: Record<string, Path> = {
  'macro-every-kind-of-step': async (scene) => {
    const inner = macro([work('{{.x}}', { output_variable: 'done' })], { name: 'inner', parameters: ['x'] });
    await scene.begin('macro', {
      macro: macro([
        { type: 'set', variable: 'ids', value: [1, 2] },
        { type: 'ask', prompt: 'Of {{.ids}}?', output_variable: 'answer' },
        { type: 'loop', list: 'ids', iterator: 'id', steps: [work('{{.id}}')] },
        {
          type: 'if',
          condition: 'answer > 3',
          then: [{ type: 'macro', macro_name: 'inner', macro_args: { x: 'a' }, output_variable: 'inner' }],
        },
        { type: 'fetch', source: '.', resource: 'none.json', variable: 'rows', continue_on_error: true },
      ]),
      macros: { inner },
      args: {},
    });
    await scene.update('ready');
    await scene.handle.result();
  },
  'macro-failed': (scene) => through(scene, [work(1), work(2, {}, { fails: true }), work(3)]),
  'macro-goes-on-after-a-failure': (scene) =>
    through(scene, [work(1, { continue_on_error: true }, { fails: true }), work(2)]),
  'macro-swarm': (scene) =>
    through(scene, [
      { type: 'loop', list: [1, 2, 3, 4, 5], iterator: 'id', steps: [work('{{.id}}', { is_async: true })] },
    ]),
  'macro-swarm-failed': (scene) =>
    through(scene, [
      work(1, { is_async: true }, { waits: true }),
      work(2, { is_async: true }, { fails: true }),
    ]),
  'macro-paused-and-resumed': async (scene) => {
    const { begin, update, handle } = scene;
    await begin('macro', { macro: macro([work(1), work(2), work(3)]), args: {} });
    await update('pause');
    await scene.harness.restartWorker();
    await update('resume');
    await handle.result();
  },
  'macro-cancelled': async (scene) => {
    const { begin, handle } = scene;
    const steps = [
      work(1, { is_async: true }, { waits: true }),
      work(2, { continue_on_error: true }, { waits: true }),
    ];
    await begin('macro', { macro: macro(steps), args: {} });
    await until(scene, (trace) => trace.steps.length === 2 && atWork(trace));
    await handle.cancel();
    await handle.result();
  },
  'macro-waits-for-a-bulk-operation': async (scene) => {
    const { harness, id, begin, handle } = scene;
    const input = { domain: 'fake', action: 'mark', params: { group: 'all' } };
    const operation_id = `operation-of-${id}`;
    await startBulkOperation(harness.client, input, { task_queue: harness.taskQueue, operation_id });
    const wait: Step = {
      type: 'command',
      command: 'wait_for_bulk_operation',
      args: { operation_id },
      output_variable: 'done',
    };
    await begin('macro', { macro: macro([wait]), args: {} });
    await until(scene, atWork);
    await cancelBulkOperation(harness.client, operation_id);
    await handle.result();
  },
  'macro-asks-a-person': async (scene) => {
    const ask: Step = { type: 'ask', of: 'person', prompt: 'Which?', output_variable: 'answer' };
    await scene.begin('macro', { macro: macro([ask, work('{{.answer}}')]), args: {} });
    await until(scene, ({ state }) => state === 'awaiting_answer');
    await scene.update('answer', { answer: 'this one' });
    await scene.handle.result();
  },
  'macro-keeps-an-error': (scene) =>
    through(scene, [
      work(1, { error_variable: 'trouble' }, { fails: true }),
      { type: 'set', variable: 'said', value: '{{.trouble}}', append: true },
      { type: 'set', variable: 'count', expression: 'size(said)' },
      { type: 'fail', message: 'There were {{.count}} mistakes.' },
    ]),
  'macro-rejected-input': (scene) => through(scene, [], { args: 'none' }),
  'macro-rejected-mistakes': (scene) => through(scene, [work('{{.nobody}}')]),
  'macro-rejected-for-a-busy-session': async (scene) => {
    const { harness, id, begin, handle } = scene;
    const holder = await harness.start({ session_id: id });
    await begin('macro', { macro: macro([work(1)]), args: {}, session_id: id });
    await handle.result();
    await harness.client.workflow.getHandle(holder.operation_id).terminate();
  },
  'macro-rejected-database': (scene) => through(scene, [work(1)], { database: 'nowhere' }),
  'macro-transaction': (scene) =>
    through(
      scene,
      [
        say('create table things (id integer primary key)'),
        say('insert into things values (1)'),
        call('caught', { continue_on_error: true }),
        call('saga', { continue_on_error: true }),
        manage('commit'),
        // The second transaction begins with a savepoint.
        call('kept', { continue_on_error: true }),
        { type: 'fetch', source: 'shop', resource: 'things', variable: 'rows' },
        manage('rollback'),
        manage('begin'),
        say('insert into things values (3)'),
      ],
      {
        database: 'shop',
        macros: {
          caught: macro([say('insert into things values (2)'), say('no SQL')], { name: 'caught' }),
          kept: macro([say('insert into things values (2)')], { name: 'kept' }),
          saga: macro([work(1)], { name: 'saga', database: 'shop' }),
        },
      },
    ),
  'macro-transaction-begun': (scene) =>
    through(
      scene,
      [
        work(1),
        manage('begin'),
        say('create table begun (id integer primary key)'),
        manage('commit'),
        // It begins its own transaction beside the next one here.
        call('beside', { is_async: true }),
        work(2),
        manage('begin'),
        say('insert into begun values (2)'),
      ],
      {
        database: 'shop',
        macros: {
          beside: macro([work(3), manage('begin'), say('insert into begun values (3)')], { name: 'beside' }),
        },
      },
    ),
  'macro-transaction-swarm': (scene) =>
    through(
      scene,
      [
        say('create table swarm (id integer primary key)'),
        call('swarm', { output_variable: 'swarm' }),
        call('failed', { continue_on_error: true }),
        say('insert into swarm values ({{.swarm.it.done.did}})'),
      ],
      {
        database: 'shop',
        macros: {
          swarm: macro([call('kept', { is_async: true, output_variable: 'it' })], { name: 'swarm' }),
          kept: macro([work(1, { output_variable: 'done' })], { name: 'kept' }),
          failed: macro([say('insert into swarm values (2)'), call('broken', { is_async: true })], {
            name: 'failed',
          }),
          broken: macro([work(2, {}, { fails: true })], { name: 'broken' }),
        },
      },
    ),
  'macro-transaction-rolled-back': (scene) =>
    through(scene, [say('select 1'), work(1, {}, { fails: true })], { database: 'shop' }),
  'macro-transaction-refused': (scene) =>
    through(
      scene,
      [
        say(
          'create table likes (id integer primary key, of integer references likes deferrable initially deferred)',
        ),
        say('insert into likes values (1, 2)'),
      ],
      { database: 'shop' },
    ),
  'macro-transaction-asked-for': (scene) =>
    through(
      scene,
      [
        say('create table dead (id integer)'),
        say(
          `create function cut() returns trigger language plpgsql as
           $$ begin raise exception 'the line went dead' using errcode = '08006'; end $$`,
        ),
        say(
          `create constraint trigger cut after insert on dead deferrable initially deferred
           for each row execute function cut()`,
        ),
        say('insert into dead values (1)'),
      ],
      { database: 'shop' },
    ),
  'macro-transaction-lost': async (scene) => {
    const { begin, handle, harness } = scene;
    const steps = [say('select 1'), work(1, {}, { waits: true })];
    await begin('macro', { macro: macro(steps), args: {}, database: 'shop' });
    await until(scene, (trace) => trace.steps.length === 2 && atWork(trace));
    await harness.restartWorker();
    await handle.result();
  },
};

/** Paths of several runs, on a server that suggests continue-as-new early. */
export const CHAINED_MACROS: Record<string, Path> = {
  'macro-continued-as-new': (scene) =>
    through(scene, [
      {
        type: 'loop',
        list: [1, 2, 3, 4, 5, 6, 7],
        iterator: 'id',
        steps: [work('{{.id}}', { is_async: true }), work('{{.id}}', { output_variable: 'last' })],
      },
    ]),
};

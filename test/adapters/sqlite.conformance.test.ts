import { createSqlAdapter } from '../../activities/adapters/sql';
import {
  describeConformance,
  type ConformanceRequest,
  type ConformanceWorld,
} from '../../src/testing/conformance';
import { conformanceRunner } from '../helpers/conformance-cases';
import { startSqlite } from './sqlite-setup';
import { tapSqlite } from './sqlite-tap';

const WHERE = { where: [{ column: 'state', op: '=', value: 'new' }] };
const THINGS = { database: 'shop', table: 'things' };
const row = (n: number, state = 'done') => ({
  id: `thing-${n}`,
  display_name: `Thing ${n}`,
  raw_data: { name: `Thing ${n}`, state },
});
const rows = (from: number) => Array.from({ length: 40 }, (_, at) => row(from + at));
const requests: ConformanceRequest[] = [
  { action: 'update', params: { ...THINGS, ...WHERE, set: { state: 'done' } } },
  { action: 'delete', params: { ...THINGS, ...WHERE } },
  { action: 'insert', params: THINGS, items: rows(200), unfit: row(139) },
  // Half of the rows of the upsert are there.
  { action: 'upsert', params: THINGS, items: rows(320), unfit: row(400, 'unfit') },
];

async function openWorld(): Promise<ConformanceWorld> {
  const { run, databases, close } = await startSqlite();
  const { databases: tapped, ...tap } = tapSqlite(databases);
  await run(`create table things (id text primary key not null, name text,
    state text not null default 'new' check (state <> 'unfit'), note text default 'by default')`);
  const numbers = (from: number) =>
    `with n (n) as (values (${from}) union all select n + 1 from n where n < ${from + 39})`;
  await run(`insert into things (id, name) ${numbers(100)} select 'thing-' || n, 'Thing ' || n from n`);
  await run(
    `insert into things (id, name, state) ${numbers(300)} select 'thing-' || n, 'Old ' || n, 'old' from n`,
  );
  let added = 0;
  const ids = async (text: string) => (await run(text)).map(({ id }) => String(id));
  return {
    ...tap,
    adapter: () => createSqlAdapter({ databases: tapped, concurrency: 5 }),
    requests,
    matching: () => ids(`select id from things where state = 'new'`),
    async isChanged(id, { action }) {
      const [found] = await run('select state from things where id = ?', id);
      return action === 'delete' ? found === undefined : found?.['state'] === 'done';
    },
    state: () => run('select * from things order by id'),
    remove: async (id) => void (await run('delete from things where id = ?', id)),
    async add() {
      added += 1;
      await run(`insert into things (id, name) values (?, 'First')`, `thing-0${added}`);
    },
    missing: { id: 'thing-999', display_name: 'Gone' },
    names: {
      unknown: [
        { action: 'delete', params: { ...THINGS, ...WHERE, table: 'thigns' } },
        { action: 'update', params: { ...THINGS, ...WHERE, set: { stat: 'done' } } },
      ],
      resolved: [{ request: requests[1]!, id: 'main' }],
    },
    async disturb(id) {
      await run(
        `insert into things (id, name, state) values (?, 'Theirs', 'else') on conflict (id) do update set state = 'else'`,
        id,
      );
    },
    async overwrite(id) {
      await run(
        `insert into things (id, name, state) values (?, 'Theirs', 'theirs')
          on conflict (id) do update set state = 'theirs'`,
        id,
      );
      return true;
    },
    secrets: ['no-secret-is-in-a-file'],
    close,
  };
}

const IN_THIS_PROCESS = 'statements run in this process, one at a time, and each has an answer';

describeConformance(
  'sql on SQLite',
  {
    open: openWorld,
    exempt: {
      'bounds-its-concurrency': IN_THIS_PROCESS,
      'gives-up-in-time': IN_THIS_PROCESS,
      'hears-an-abort': IN_THIS_PROCESS,
    },
  },
  conformanceRunner,
);

import { createSqlAdapter } from '../../activities/adapters/sql';
import {
  describeConformance,
  type ConformanceRequest,
  type ConformanceWorld,
} from '../../src/testing/conformance';
import { conformanceRunner } from '../helpers/conformance-cases';
import { PASSWORD, sharedPostgres } from '../helpers/postgres';
import { startPostgresTap } from './postgres-tap';
import { databasesAt, runIn } from './sql-setup';

const WHERE = { where: [{ column: 'state', op: '=', value: 'new' }] };
const THINGS = { database: 'shop', table: 'things' };
const requests: ConformanceRequest[] = [
  { action: 'update', params: { ...THINGS, ...WHERE, set: { state: 'done' } } },
  { action: 'delete', params: { ...THINGS, ...WHERE } },
];

const row = (n: number, state = 'done') => ({
  id: `thing-${n}`,
  display_name: `Thing ${n}`,
  raw_data: { name: `Thing ${n}`, state },
});
const rows = (from: number) => Array.from({ length: 40 }, (_, at) => row(from + at));
requests.push(
  // Half of the rows of the upsert are there.
  { action: 'insert', params: THINGS, items: rows(200), unfit: row(139) },
  { action: 'upsert', params: THINGS, items: rows(320), unfit: row(400, 'unfit') },
);

const postgres = sharedPostgres();

async function openWorld(): Promise<ConformanceWorld> {
  const url = await postgres.newDatabase();
  const tap = await startPostgresTap(postgres.port);
  const tapped = new URL(url);
  tapped.port = String(tap.port);
  const databases = databasesAt({ truth: url, shop: tapped.href });
  const run = (text: string, ...parameters: unknown[]) => runIn(databases, 'truth', text, ...parameters);
  await run(`create table things (id text primary key, name text,
    state text not null default 'new' check (state <> 'unfit'), note text default 'by default')`);
  await run(`insert into things select 'thing-' || n, 'Thing ' || n from generate_series(100, 139) n`);
  await run(`insert into things select 'thing-' || n, 'Old ' || n, 'old' from generate_series(300, 339) n`);
  let added = 0;
  const ids = async (text: string) => (await run(text)).map(({ id }) => String(id));
  return {
    ...tap,
    adapter: () => createSqlAdapter({ databases, concurrency: 5 }),
    requests,
    matching: () => ids(`select id from things where state = 'new'`),
    async isChanged(id, { action }) {
      const [row] = await run('select state from things where id = $1', id);
      return action === 'delete' ? row === undefined : row?.['state'] === 'done';
    },
    state: () => run('select * from things order by id'),
    remove: async (id) => void (await run('delete from things where id = $1', id)),
    async add() {
      added += 1;
      await run(`insert into things values ($1, 'First', 'new')`, `thing-0${added}`);
    },
    missing: { id: 'thing-999', display_name: 'Gone' },
    names: {
      unknown: [
        { action: 'delete', params: { ...THINGS, ...WHERE, table: 'thigns' } },
        { action: 'update', params: { ...THINGS, ...WHERE, set: { stat: 'done' } } },
      ],
      resolved: [{ request: requests[1]!, id: 'public' }],
    },
    async disturb(id) {
      await run(
        `insert into things values ($1, 'Theirs', 'else') on conflict (id) do update set state = 'else'`,
        id,
      );
    },
    async overwrite(id) {
      await run(
        `insert into things values ($1, 'Theirs', 'theirs') on conflict (id) do update set state = 'theirs'`,
        id,
      );
      return true;
    },
    secrets: [PASSWORD],
    async close() {
      await tap.close();
      await databases.close();
    },
  };
}

describeConformance('sql', { open: openWorld }, conformanceRunner);

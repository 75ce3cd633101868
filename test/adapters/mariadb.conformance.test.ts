import { createSqlAdapter } from '../../activities/adapters/sql';
import {
  describeConformance,
  type ConformanceRequest,
  type ConformanceWorld,
} from '../../src/testing/conformance';
import { conformanceRunner } from '../helpers/conformance-cases';
import { PASSWORD, sharedMariaDb } from '../helpers/mariadb';
import { startMariaDbTap } from './mariadb-tap';
import { startMariaDbWorld } from './mariadb-setup';

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
  const tap = await startMariaDbTap((await sharedMariaDb()).port);
  const { run, databases, close, url } = await startMariaDbWorld((direct) => {
    const tapped = new URL(direct);
    tapped.port = String(tap.port);
    return tapped.href;
  });
  await run(`create table things (id varchar(40) primary key, name varchar(40),
    state varchar(10) not null default 'new' check (state <> 'unfit'), note varchar(20) default 'by default')`);
  const numbers = (from: number) => Array.from({ length: 40 }, (_, at) => from + at);
  await run(
    'insert into things (id, name) values ?',
    numbers(100).map((n) => [`thing-${n}`, `Thing ${n}`]),
  );
  await run(
    'insert into things (id, name, state) values ?',
    numbers(300).map((n) => [`thing-${n}`, `Old ${n}`, 'old']),
  );
  let added = 0;
  const theirs = (id: string, state: string) =>
    run(
      `insert into things (id, name, state) values (?, 'Theirs', ?) on duplicate key update state = ?`,
      ...[id, state, state],
    );
  return {
    ...tap,
    adapter: () => createSqlAdapter({ databases, concurrency: 5 }),
    requests,
    matching: async () =>
      (await run(`select id from things where state = 'new'`)).map(({ id }) => String(id)),
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
      resolved: [{ request: requests[1]!, id: new URL(url).pathname.slice(1) }],
    },
    disturb: async (id) => void (await theirs(id, 'else')),
    async overwrite(id) {
      await theirs(id, 'theirs');
      return true;
    },
    secrets: [PASSWORD],
    async close() {
      await close();
      await tap.close();
    },
  };
}

describeConformance('sql on MariaDB', { open: openWorld }, conformanceRunner);

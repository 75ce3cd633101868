import { createSqlAdapter } from '../../activities/adapters/sql';
import type { Databases } from '../../src/postgres/databases';
import {
  describeConformance,
  type ConformanceRequest,
  type ConformanceWorld,
} from '../../src/testing/conformance';
import { conformanceRunner } from '../helpers/conformance-cases';

/** An empty database that the adapter knows as `shop`. */
interface OpenDatabase extends Pick<ConformanceWorld, 'calls' | 'forgetCalls' | 'fail' | 'mostAtOnce'> {
  /** As the adapter opens it, through what sees and refuses its requests. */
  readonly databases: Databases;
  /** Runs a statement past the adapter, as another program would. */
  readonly run: (text: string) => Promise<Record<string, unknown>[]>;
  /** The schema of a table that names none. */
  readonly schema: string;
  readonly secret: string;
  readonly close: () => Promise<void>;
}

const WHERE = { where: [{ column: 'state', op: '=', value: 'new' }] };
const THINGS = { database: 'shop', table: 'things' };
const row = (n: number, state = 'done') => ({
  id: `thing-${n}`,
  display_name: `Thing ${n}`,
  raw_data: { name: `Thing ${n}`, state },
});
const forty = <T>(from: number, one: (n: number) => T): T[] =>
  Array.from({ length: 40 }, (_, at) => one(from + at));
const removal: ConformanceRequest = { action: 'delete', params: { ...THINGS, ...WHERE } };
const requests: ConformanceRequest[] = [
  { action: 'update', params: { ...THINGS, ...WHERE, set: { state: 'done' } } },
  removal,
  { action: 'insert', params: THINGS, items: forty(200, row), unfit: row(139) },
  // Half of the rows of the upsert are there.
  { action: 'upsert', params: THINGS, items: forty(320, row), unfit: row(400, 'unfit') },
];
const unknown: ConformanceRequest[] = [
  { action: 'delete', params: { ...THINGS, ...WHERE, table: 'thigns' } },
  { action: 'update', params: { ...THINGS, ...WHERE, set: { stat: 'done' } } },
];

/** Runs the conformance kit on the adapter `sql` over one kind of database, by what all kinds understand. */
export function describeSqlConformance(
  name: string,
  open: () => Promise<OpenDatabase>,
  exempt: Record<string, string> = {},
): void {
  describeConformance(name, { open: async () => worldOf(await open()), exempt }, conformanceRunner);
}

async function worldOf({
  databases,
  run,
  schema,
  secret,
  ...opened
}: OpenDatabase): Promise<ConformanceWorld> {
  await run(`create table things (id varchar(40) not null primary key, name varchar(40),
    state varchar(10) not null default 'new' check (state <> 'unfit'), note varchar(20) default 'by default')`);
  const add = (id: string, called: string, state = 'new') =>
    run(`insert into things (id, name, state) values ('${id}', '${called}', '${state}')`);
  for (const n of forty(100, Number)) await add(`thing-${n}`, `Thing ${n}`);
  for (const n of forty(300, Number)) await add(`thing-${n}`, `Old ${n}`, 'old');
  const stateOf = async (id: string) =>
    (await run(`select state from things where id = '${id}'`))[0]?.['state'];
  const theirs = async (id: string, state: string) => {
    if ((await stateOf(id)) === undefined) await add(id, 'Theirs', state);
    else await run(`update things set state = '${state}' where id = '${id}'`);
    return true;
  };
  let added = 0;
  return {
    ...opened,
    adapter: () => createSqlAdapter({ databases, concurrency: 5 }),
    requests,
    matching: async () =>
      (await run(`select id from things where state = 'new'`)).map(({ id }) => String(id)),
    isChanged: async (id, { action }) =>
      (await stateOf(id)) === (action === removal.action ? undefined : 'done'),
    state: () => run('select * from things order by id'),
    remove: async (id) => void (await run(`delete from things where id = '${id}'`)),
    add: async () => void (await add(`thing-0${++added}`, 'First')),
    missing: { id: 'thing-999', display_name: 'Gone' },
    names: { unknown, resolved: [{ request: removal, id: schema }] },
    disturb: async (id) => void (await theirs(id, 'else')),
    overwrite: (id) => theirs(id, 'theirs'),
    secrets: [secret],
  };
}

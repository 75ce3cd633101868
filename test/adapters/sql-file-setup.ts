import { itemToRestore } from '../../src/core/bulk/undo';
import type { BulkItem, BulkResult, PreparedBulkContext } from '../../src/contract/items';
import { call, execute, prepare, type SqlWorld } from './sql-setup';

interface Plan {
  context: PreparedBulkContext;
  items: BulkItem[];
}
export type Columns = Record<string, unknown>;

/** Items by their ids, with their columns. */
export const itemsOf = (of: Record<string, Columns>): BulkItem[] =>
  Object.entries(of).map(([id, raw_data]) => ({ id, display_name: id, raw_data }));

export const done = (results: BulkResult[]) => results.map(({ success, error }) => success || error);

/** Rows of a file for the table `parts`, and what becomes of them. */
export function fileRows(start: () => Promise<SqlWorld>) {
  let world: SqlWorld;
  let operations = 0;
  beforeAll(async () => {
    world = await start();
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    await world.run('drop table if exists parts, lines, places');
    await world.run('create table places (name text primary key)');
    await world.run(`insert into places values ('north'), ('south')`);
    await world.run(`create table parts (id integer primary key, name text not null, amount numeric(30,10),
      seen timestamptz, day date, facts jsonb, raw json, flags integer[], bytes bytea, short varchar(3),
      place text references places, state text not null default 'new' check (state <> 'bad'),
      made timestamptz not null default now(), length integer generated always as (length(name)) stored)`);
    await world.run(`insert into parts (id, name, amount) values (1, 'one', 1.5), (2, 'two', null)`);
    await world.run(
      'create table lines (region text, no integer, note text, id text, primary key (region, no))',
    );
  });
  async function plan(action: string, items: BulkItem[], params: Columns = {}): Promise<Plan> {
    const context = await prepare(world.adapter, action, { table: 'parts', ...params }, true);
    return { context, items: await world.adapter.freezeItems!(items, context, call()) };
  }
  return {
    run: (text: string) => world.run(text),
    adapter: () => world.adapter,
    rows: (columns = 'id, name, state') => world.run(`select ${columns} from parts order by id`),
    plan,
    inserting: (of: Record<string, Columns>, params: Columns = {}) => plan('insert', itemsOf(of), params),
    upserting: (of: Record<string, Columns>, params: Columns = {}) => plan('upsert', itemsOf(of), params),
    previews: ({ context, items }: Plan) => items.map((item) => world.adapter.previewItem!(item, context)),
    /** Each run is an operation of its own. */
    runs: (one: Plan, limits = call(`bulk-file-${(operations += 1)}`)) => execute(world.adapter, one, limits),
    /** Plans the undo the way the engine does. */
    undoing: async ({ context, items }: Plan, results: BulkResult[]): Promise<Plan> => {
      const own: PreparedBulkContext = { ...context, undo: true };
      const kept = items.map((item, at) => ({ ...item, kept: results[at]?.kept ?? {} }));
      return { context: own, items: await world.adapter.freezeItems!(kept.map(itemToRestore), own, call()) };
    },
  };
}

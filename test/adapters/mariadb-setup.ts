import { createConnection, type Connection } from 'mysql2/promise';
import { createSqlAdapter } from '../../activities/adapters/sql';
import type { BulkAdapter } from '../../src/contract/adapter';
import type { BulkItem, BulkResult, PreparedBulkContext } from '../../src/contract/items';
import { itemToRestore } from '../../src/core/bulk/undo';
import type { Databases } from '../../src/postgres/databases';
import { sharedMariaDb } from '../helpers/mariadb';
import { itemsOf, type Columns } from './sql-file-setup';
import { call, databasesAt, execute, prepare } from './sql-setup';

/** A new database of the server, a configuration that names it `shop`, and direct access past the adapter. */
export interface MariaDbWorld {
  readonly url: string;
  readonly databases: Databases;
  /** Runs statements on a connection of its own, as another program would. */
  readonly run: (text: string, ...parameters: unknown[]) => Promise<Record<string, unknown>[]>;
  readonly close: () => Promise<void>;
}

export async function startMariaDbWorld(
  change: (url: string) => string = (url) => url,
): Promise<MariaDbWorld> {
  const url = await (await sharedMariaDb()).newDatabase();
  const databases = databasesAt({ shop: change(url) });
  const other = await connectTo(url);
  return {
    ...{ url, databases },
    run: (text, ...parameters) => runOn(other, text, ...parameters),
    async close() {
      await databases.close();
      await other.end();
    },
  };
}

export const connectTo = (url: string): Promise<Connection> =>
  createConnection({
    uri: url.replace('mariadb:', 'mysql:'),
    ...{ dateStrings: true, supportBigNumbers: true, bigNumberStrings: true, jsonStrings: true },
  });

export async function runOn(
  connection: Connection,
  text: string,
  ...parameters: unknown[]
): Promise<Record<string, unknown>[]> {
  const [rows] = await connection.query(text, parameters);
  return Array.isArray(rows) ? (rows as Record<string, unknown>[]).map((row) => ({ ...row })) : [];
}

interface Plan {
  context: PreparedBulkContext;
  items: BulkItem[];
}

export let world: MariaDbWorld;
export let adapter: BulkAdapter;
let operations = 0;
export const fresh = () => call(`bulk-mariadb-${(operations += 1)}`);
/** A database with the table `parts`, which has a column of each type, and three rows, for each test of a file. */
export function useParts(): void {
  beforeEach(async () => {
    world = await startMariaDbWorld();
    adapter = createSqlAdapter({ databases: world.databases, concurrency: 5 });
    await world.run(`create table parts (id int unsigned zerofill primary key, name varchar(20) not null,
    amount decimal(20, 2), big bigint unsigned, ratio float, exact double, bits bit(4), sure tinyint(1),
    day date, at datetime(3), seen timestamp(6) null, clock time, made year, facts json, bytes varbinary(8),
    kind enum('new', 'old'), tags set('a', 'b', 'c'), code char(4), west varchar(9) character set latin1,
    link uuid, host inet6, api_token varchar(4),
    state varchar(10) not null default 'new' check (state <> 'bad'),
    length int generated always as (char_length(name)) stored) character set utf8mb4 collate utf8mb4_unicode_ci`);
    await world.run(
      `insert into parts (id, name, amount) values (1, 'One', 1.5), (2, 'two', null), (3, 'three', 7)`,
    );
  });
  afterEach(() => world.close());
}

export const all = [{ column: 'id', op: '>', value: 0 }];
export const rows = (columns = 'id, name, state') => world.run(`select ${columns} from parts order by id`);
export async function plan(action: string, of: Record<string, Columns>, params: Columns = {}): Promise<Plan> {
  const context = await prepare(adapter, action, { table: 'parts', ...params }, true);
  return { context, items: await adapter.freezeItems!(itemsOf(of), context, call()) };
}
export const runs = (one: Plan) => execute(adapter, one, fresh());
export async function undoing({ context, items }: Plan, results: BulkResult[]): Promise<Plan> {
  const own: PreparedBulkContext = { ...context, undo: true };
  const kept = items.map((item, at) => ({ ...item, kept: results[at]?.kept ?? {} }));
  return { context: own, items: await adapter.freezeItems!(kept.map(itemToRestore), own, call()) };
}

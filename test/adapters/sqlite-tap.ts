import { sql } from 'kysely';
import type { Database, Databases, Db } from '../../src/postgres/databases';
import type { FaultRule, ProviderCall } from '../../src/testing/conformance';
import type { Tapped } from './tap';

type Executor = ReturnType<Db['getExecutor']>;

/** Error codes of SQLite, and whether the statement runs before: https://www.sqlite.org/rescode.html */
const FAULTS: Record<
  Exclude<FaultRule['fault'], 'silence'>,
  [code: string, runs: 'not' | 'first' | 'undone']
> = {
  limited: ['SQLITE_FULL', 'not'],
  broken: ['SQLITE_NOMEM', 'not'],
  missing: ['SQLITE_CONSTRAINT_FOREIGNKEY', 'not'],
  refused: ['SQLITE_READONLY', 'not'],
  malformed: ['SQLITE_CORRUPT', 'first'],
  hollow: ['SQLITE_CORRUPT', 'undone'],
  reset: ['SQLITE_IOERR', 'first'],
};

const failureOf = (code: string): Error => Object.assign(new Error(`${code} of the test`), { code });

/** Databases whose statements can be seen, and fail. The COMMIT of a change counts as the write. */
export function tapSqlite(databases: Databases): Tapped & { databases: Databases } {
  let calls: ProviderCall[] = [];
  let rule: FaultRule | undefined;
  let changing: string | undefined;

  const seen = async (
    db: Db,
    query: Parameters<Executor['executeQuery']>[0],
    run: () => Promise<unknown>,
  ) => {
    const text = query.sql;
    const call = callOf(text, changing);
    if (/(?:update|delete from|insert into) "main"\."things"/.test(text))
      changing = /thing-\d+/.exec(JSON.stringify(query.parameters.map(String)))?.[0];
    if (/^(?:commit|rollback)$/.test(text)) changing = undefined;
    if (call) calls.push(call);
    if (!call || rule?.on !== call.kind || (rule.item_id ?? call.item_id) !== call.item_id) return run();
    if (rule.fault === 'silence') return new Promise(() => undefined);
    const [code, runs] = FAULTS[rule.fault];
    if (runs === 'first') await run();
    if (runs === 'undone') await sql`rollback`.execute(db);
    throw failureOf(code);
  };
  const tapped = (db: Db): Db =>
    new Proxy(db, {
      get(target, name) {
        if (name !== 'getExecutor') return Reflect.get(target, name, target) as unknown;
        const executor = target.getExecutor();
        const executeQuery = (query: Parameters<Executor['executeQuery']>[0], ...more: []) =>
          seen(db, query, () => executor.executeQuery(query, ...more));
        return () =>
          new Proxy(executor, {
            get(of, member) {
              if (member === 'executeQuery') return executeQuery;
              const value = Reflect.get(of, member, of) as unknown;
              return typeof value === 'function' ? (value.bind(of) as unknown) : value;
            },
          });
      },
    });
  const ofAnyKind = async (name: string): Promise<Database> => {
    const { lend, ...database } = await databases.ofAnyKind(name);
    return { ...database, lend: (signal, work) => lend(signal, (db) => work(tapped(db))) };
  };
  return {
    databases: { ...databases, ofAnyKind },
    calls: () => calls,
    // Statements run one at a time.
    mostAtOnce: () => 1,
    fail: (next) => void (rule = next),
    forgetCalls: () => void (calls = []),
  };
}

function callOf(text: string, changing: string | undefined): ProviderCall | undefined {
  if (text === 'commit') return changing === undefined ? undefined : { kind: 'write', item_id: changing };
  if (/pragma_|from sqlite_schema\n? *where/.test(text)) return { kind: 'lookup' };
  if (!/^\s*select [\s\S]*from "main"\."things"/.test(text)) return undefined;
  return { kind: text.includes('"id" = ?') ? 'read' : 'list' };
}

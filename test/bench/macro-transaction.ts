import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { z } from 'zod';
import { createDatabases } from '../../src/postgres/databases';
import { createRowSource } from '../../src/worker/macros';
import { macrosOf, tool } from '../helpers/macro-tools';
import { startPostgres } from '../helpers/postgres';
import { median } from './figures';
import { note, productWorker, type Ground } from './ground';
import { loop, runMacro, timed } from './macro-runs';

const ROUNDS = 5;
const STATEMENTS = 100;
const INSERT = 'insert into bench (id) values ($1)';

/**
 * Compares a statement within the transaction of a macro with the same statement on a direct connection. It also
 * measures an activity without a database, because each statement is an activity.
 */
export async function macroTransactionBench(ground: Ground): Promise<void> {
  const postgres = await startPostgres();
  const url = await postgres.newDatabase();
  const direct = new Client(url);
  await direct.connect();
  await direct.query('create table bench (id integer)');
  const databases = createDatabases({ databases: { bench: { url } }, folder: '.' }, {});
  const taskQueue = `bench-transaction-${randomUUID()}`;
  const id = z.strictObject({ id: z.number() });
  const macros = macrosOf(
    [
      tool('touch', id, ({ id: touched }) => touched),
      {
        ...tool('insert', id, ({ id: added }, { database }) => database?.query(INSERT, [added])),
        transactional: true,
      },
    ],
    { databases: createRowSource(databases, ['bench']) },
  );
  const stop = await productWorker(ground, taskQueue, [], macros, databases);
  const times: Record<'transaction' | 'plain' | 'direct', number[]> = {
    transaction: [],
    plain: [],
    direct: [],
  };
  try {
    for (let round = 0; round <= ROUNDS; round++) {
      note(round === 0 ? 'warming up' : `transactions, round ${round} of ${ROUNDS}`);
      const found = {
        transaction: await timed(() =>
          runMacro(ground, taskQueue, loop('insert', STATEMENTS, false), 'bench'),
        ),
        plain: await timed(() => runMacro(ground, taskQueue, loop('touch', STATEMENTS, false))),
        direct: await timed(() => insertDirectly(direct)),
      };
      if (round === 0) continue;
      for (const name of ['transaction', 'plain', 'direct'] as const) times[name].push(found[name]);
    }
    const { rows } = await direct.query<{ count: string }>('select count(*) from bench');
    const expected = 2 * STATEMENTS * (ROUNDS + 1);
    if (Number(rows[0]?.count) !== expected) throw new Error(`${rows[0]?.count} rows, not ${expected}`);
    print(times);
  } finally {
    await stop();
    await databases.close();
    await direct.end();
    await postgres.stop();
  }
}

async function insertDirectly(client: Client): Promise<void> {
  await client.query('begin');
  for (let at = 0; at < STATEMENTS; at++) await client.query(INSERT, [at]);
  await client.query('commit');
}

function print({ transaction, plain, direct }: Record<'transaction' | 'plain' | 'direct', number[]>): void {
  const each = (values: number[]) => median(values) / STATEMENTS;
  const row = (name: string, values: number[]) =>
    console.log(`| ${name} | ${median(values).toFixed(0)} ms | ${each(values).toFixed(2)} ms |`);
  console.log(
    `\nOne transaction of ${STATEMENTS} statements on a PostgreSQL server, ${ROUNDS} rounds, side by side.\n`,
  );
  console.log('| | run, median | a statement or call |');
  console.log('|---|---|---|');
  row('by the steps of a macro', transaction);
  row('directly, on one connection', direct);
  row(`${STATEMENTS} calls of a macro without a database`, plain);
  const overhead = each(transaction.map((took, round) => took - (direct[round] ?? Number.NaN)));
  console.log(
    `\noverhead a statement: ${overhead.toFixed(2)} ms; one plain activity: ${each(plain).toFixed(2)} ms (${(overhead / each(plain)).toFixed(2)} of it)`,
  );
}

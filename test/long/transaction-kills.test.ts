import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'pg';
import { awaitMacro, startMacro } from '../../src/client';
import type { Step } from '../../src/contract/macro';
import type { Settings } from '../../src/contract/settings';
import { startStage, type Stage } from '../helpers/fault-stage';
import { gateway } from '../helpers/harness';
import { leaseEnded } from '../helpers/lease';
import { sharedPostgres } from '../helpers/postgres';
import { startTcpProxy } from '../helpers/tcp-proxy';

const COMMIT = /commit\0/;
const COMMIT_MADE = /COMMIT\0/;
/** A Query or Parse message: https://www.postgresql.org/docs/current/protocol-message-formats.html */
const STATEMENT = /^[QP]/;
const PING = /select 1\0/;
const AT_ONCE = 8;

/** `before`: the words never reach the database; `after`: they reach it, and the answer is lost. */
type Strike = 'before' | 'after';
type IsPlace = (words: string, heard: number) => boolean;
interface Target {
  run: string;
  /** Whether to interrupt the run at these words. `heard` counts its statements, including this one. */
  isPlace: IsPlace;
  strike: Strike;
  heard: number;
  /** The words at which it was interrupted. */
  words?: string;
  /** What the database answered to them, if the answer is lost. */
  answer: string;
  struck: ReturnType<typeof gateway>;
  free: ReturnType<typeof gateway>;
}

const postgres = sharedPostgres();
let proxy: Awaited<ReturnType<typeof startTcpProxy>>;
let pool: Pool;
let stage: Stage;
let runs: string[] = [];

async function setUp(settings: Partial<Settings>): Promise<void> {
  runs = [];
  const url = new URL(await postgres.newDatabase());
  pool = new Pool({ connectionString: url.href });
  // The error of an idle connection must not hide why a test failed.
  pool.on('error', () => undefined);
  await pool.query('create table parts (run text, part integer)');
  proxy = await startTcpProxy(postgres.port);
  url.port = String(proxy.port);
  stage = await startStage({
    // Two workers run at once and share this store.
    databaseUrl: await postgres.newDatabase(),
    databases: { shop: url.href },
    settings: { heartbeat_timeout_ms: 2_000, ...settings },
  });
}
afterEach(async () => {
  await stage.close();
  await proxy.close();
  await pool.end();
});

const insert = (part: number): Step => ({
  type: 'command',
  command: 'sql_insert',
  args: { table: 'parts', rows: [{ run: '{{.run}}', part }] },
});
const commit: Step = { type: 'command', command: 'manage_transaction', args: { action: 'commit' } };

/** Starts a macro that inserts two rows, commits, and inserts two more rows. */
async function begin(run: string): Promise<string> {
  const steps = [insert(1), insert(1), commit, insert(2), insert(2)];
  const macro = { name: 'parts', database: 'shop', parameters: ['run'], steps };
  const { run_id } = await startMacro(
    stage.client,
    { macro, args: { run } },
    { task_queue: stage.taskQueue },
  );
  runs.push(run_id);
  return run_id;
}

async function partsOf(run: string): Promise<number[]> {
  const query = 'select part from parts where run = $1 order by part';
  return (await pool.query<{ part: number }>(query, [run])).rows.map(({ part }) => part);
}

/** Interrupts runs at a statement. A connection without an owner belongs to the run that is being started. */
class Striker {
  private readonly owners = new Map<number, Target>();
  private current: Target | undefined;

  constructor() {
    proxy.rule = (bytes, connection) => this.judge(bytes, connection);
    proxy.loses = (bytes, connection) => {
      this.hear(bytes, connection);
      return false;
    };
  }

  /** Starts a run, and waits until it is interrupted, or has ended before its place. */
  async strike(run: string, strike: Strike, isPlace: IsPlace): Promise<Target> {
    const struck = gateway();
    const free = gateway();
    const target: Target = { run, isPlace, strike, heard: 0, answer: '', struck, free };
    this.current = target;
    const ended = awaitMacro(stage.client, await begin(run));
    // The result is checked later.
    ended.catch(() => undefined);
    await Promise.race([struck.opened, ended]);
    this.current = undefined;
    // The run has ended, so its connections may serve another run.
    if (target.words === undefined)
      for (const [connection, owner] of this.owners) if (owner === target) this.owners.delete(connection);
    return target;
  }

  /** Cuts the connections that are held. Their worker is dead or suspended. */
  letGo(): void {
    for (const { free } of this.owners.values()) free.open();
  }

  private async judge(bytes: Buffer, connection: number) {
    const target = this.owners.get(connection) ?? this.current;
    if (target === undefined) return 'forward';
    this.owners.set(connection, target);
    const words = bytes.toString('latin1');
    if (STATEMENT.test(words) && !PING.test(words)) target.heard += 1;
    if (target.words === undefined && !target.isPlace(words, target.heard)) return 'forward';
    target.words ??= words;
    if (target.strike === 'after') return 'silence';
    target.struck.open();
    await target.free.opened;
    return 'cut';
  }

  private hear(bytes: Buffer, connection: number): void {
    const target = this.owners.get(connection);
    if (target?.words === undefined) return;
    target.answer += bytes.toString('latin1');
    target.struck.open();
  }
}

const atPlace =
  (place: number): IsPlace =>
  (_words, heard) =>
    heard === place;
const atCommit = (number: number): IsPlace => {
  let commits = 0;
  return (words) => COMMIT.test(words) && ++commits === number;
};

/** All statements of a run that sends this many, a place after its end, and the commits wherever they are. */
const placesIn = (statements: number): IsPlace[] => [
  ...Array.from({ length: statements + 1 }, (_, at) => atPlace(at + 1)),
  ...[atCommit(1), atCommit(2)],
];

it.each(['before', 'after'] as const)(
  'never leaves half of a transaction if its worker is killed %s the database receives a statement',
  async (strike) => {
    // A run that is held at its start waits until the others are held too, which takes longer on a busy machine.
    await setUp({ tool_timeout_ms: 60_000 });
    const striker = new Striker();
    let worker = await stage.startWorker();
    const whole = await striker.strike('run-0', strike, () => false);
    const targets = [whole];
    const places = placesIn(whole.heard);
    while (places.length > 0) {
      const next = stage.loadWorker();
      for (const isPlace of places.splice(0, AT_ONCE))
        targets.push(await striker.strike(`run-${targets.length}`, strike, isPlace));
      await worker.kill();
      striker.letGo();
      worker = await next();
      await Promise.all(runs.map((id) => awaitMacro(stage.client, id)));
    }
    await judge(strike, targets);
  },
);

/** Each run left only whole transactions, and its state and error are true. */
async function judge(strike: Strike, targets: readonly Target[]): Promise<void> {
  const seen = await Promise.all(
    targets.map(async ({ run, words, answer }, at) => {
      const { state, error } = await awaitMacro(stage.client, runs[at] ?? '');
      return { run, words, answer, state, parts: (await partsOf(run)).join(''), error: error?.message };
    }),
  );
  const half = seen.filter(({ parts }) => !['', '11', '1122'].includes(parts));
  expect(half).toEqual([]);
  expect(seen.filter(({ state, parts }) => (state === 'completed') !== (parts === '1122'))).toEqual([]);
  const failed = seen.filter(({ state }) => state !== 'completed');
  // A run that is held at its start gives up on its own if holding the others takes long.
  const told = /was lost and rolled back|No transaction could be begun/;
  expect(failed.filter(({ error, parts }) => !told.test(error ?? '') || parts.length > 2)).toEqual([]);
  // A commit that the database made counts, even if its answer was lost. A transaction that was idle for too long on a
  // busy machine is rolled back before its commit arrives.
  const made = ({ answer }: { answer: string }) => COMMIT_MADE.test(answer);
  const commits = seen.filter(({ words }) => COMMIT.test(words ?? ''));
  expect(commits.length).toBeGreaterThanOrEqual(2);
  expect(commits.some(made)).toBe(strike === 'after');
  expect(commits.filter((run) => made(run) !== (run.parts === '1122'))).toEqual([]);
  expect(await stage.unreplayable(runs)).toEqual([]);
  // No connection holds a lock on the table any more.
  await pool.query('begin; lock table parts in access exclusive mode nowait; rollback');
}

it('fences a commit that a suspended worker sends too late', async () => {
  // The server also hands tasks to the suspended worker, and to another worker only after this time.
  await setUp({ tool_timeout_ms: 10_000 });
  const striker = new Striker();
  const sleeper = await stage.startWorker();
  // The commit of the second part is on its way when the worker is suspended.
  let commits = 0;
  await striker.strike('asleep', 'before', (words) => COMMIT.test(words) && ++commits === 2);
  sleeper.stop();
  await stage.startWorker();
  const { state, error } = await awaitMacro(stage.client, runs[0] ?? '');
  expect([state, error?.message]).toEqual(['failed', expect.stringContaining('was lost and rolled back')]);
  striker.letGo();
  sleeper.goOn();
  expect(await partsOf('asleep')).toEqual([1, 1]);
  // No connection holds a lock on the table any more.
  await pool.query('begin; lock table parts in access exclusive mode nowait; rollback');
});

it('waits for a commit that is still running in the database after its worker died', async () => {
  await setUp({ tool_timeout_ms: 60_000 });
  await pool.query(
    `create function wait() returns trigger language plpgsql as
     $$ begin if new.part = 2 then perform pg_advisory_xact_lock(1); end if; return null; end $$`,
  );
  await pool.query(
    `create constraint trigger slow after insert on parts deferrable initially deferred
     for each row execute function wait()`,
  );
  const blocker = await pool.connect();
  await blocker.query('select pg_advisory_lock(1)');
  const worker = await stage.startWorker();
  const id = await begin('slow');
  await until("select 1 from pg_locks where locktype = 'advisory' and not granted");
  await worker.kill();
  await stage.startWorker();
  // The look-up of the commit marker waits for the transaction that wrote it.
  await until("select 1 from pg_locks where locktype = 'transactionid' and not granted");
  await blocker.query('select pg_advisory_unlock(1)');
  blocker.release();
  expect(await awaitMacro(stage.client, id)).toMatchObject({ state: 'completed' });
  expect(await partsOf('slow')).toEqual([1, 1, 2, 2]);
});

it('waits for no worker that is gone if its connection was lost before', async () => {
  await setUp({ tool_timeout_ms: 60_000 });
  const worker = await stage.startWorker();
  const trap = stage.target.trap('held', 0, (item) => item.startsWith('touch_again~'));
  const touch: Step = { type: 'command', command: 'touch_again', args: {} };
  const macro = {
    name: 'parts',
    database: 'shop',
    parameters: ['run'],
    steps: [insert(1), touch, insert(1)],
  };
  const { run_id } = await startMacro(
    stage.client,
    { macro, args: { run: 'cut' } },
    { task_queue: stage.taskQueue },
  );
  await trap.sprung;
  await pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and state = 'idle in transaction'`,
  );
  await leaseEnded(stage.client, run_id);
  await worker.kill();
  trap.release('drop');
  await stage.startWorker();
  const { state, error } = await awaitMacro(stage.client, run_id);
  expect([state, error?.message]).toEqual(['failed', expect.stringContaining('was lost and rolled back')]);
  expect(await partsOf('cut')).toEqual([]);
});

/** Repeats the query until it returns a row. */
async function until(query: string): Promise<void> {
  while ((await pool.query(query)).rows.length === 0) await pause(20);
}

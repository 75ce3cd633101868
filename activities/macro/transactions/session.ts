import { CompiledQuery } from 'kysely';
import { BatchgateError } from '../../../src/contract/errors';
import type { SavepointMove, TransactionOutcome } from '../../../src/contract/macro-activities';
import type { ToolDatabase } from '../../../src/contract/tools';
import { transactionEnded, transactionLost } from '../../../src/core/macro/errors';
import type { Database, Db } from '../../../src/postgres/databases';
import { sqlState } from '../../../src/postgres/databases/failure';
import { providerText } from '../../adapters/shared/failure';
import { ROLLED_BACK } from '../../adapters/sql/failure';
import { begin, leaveClean, type SessionLimits } from './begin';
import { leaveMark, type Mark } from './marks';

/** A connection with an open transaction, for one user at a time. */
export interface Session {
  readonly database: string;
  /** Runs one step of a macro. Its changes are undone if it fails. */
  step<T>(signal: AbortSignal, work: (database: ToolDatabase) => Promise<T>): Promise<T>;
  savepoint(name: string, move: SavepointMove): Promise<void>;
  /** @throws BatchgateError if the database refuses the commit; the whole transaction is then rolled back. */
  end(how: 'commit' | 'rollback'): Promise<TransactionOutcome>;
  /** Sends a keep-alive, which detects a broken connection. */
  ping(): Promise<void>;
  /** Rolls back, even while a statement runs. */
  abort(): Promise<void>;
  /** Resolves when the connection is released. */
  readonly over: Promise<void>;
  /** The reason for the loss, if the transaction is over without `end`. */
  readonly loss?: BatchgateError;
}

const STEP = 'batchgate_step';
const IN_FAILED_TRANSACTION = '25P02';
/** No active transaction, or no such savepoint: a step has ended the transaction itself. */
const ESCAPED = new Set(['25P01', '3B001']);
/** A courtesy check, not a security boundary: other ways to end the transaction are detected afterwards. */
const ENDS_OR_BEGINS =
  /^[\s;]*(begin|start\s+transaction|commit|end|rollback|abort|savepoint|release|prepare\s+transaction)\b/i;

/**
 * Begins a transaction on a dedicated connection.
 * @throws BatchgateError if there is no connection; errors of PostgreSQL unchanged.
 */
export async function openSession(
  { name, database }: { name: string; database: Database },
  { key, run_id }: { key: string; run_id: string },
  limits: SessionLimits,
  signal: AbortSignal,
): Promise<Session> {
  const cut = new AbortController();
  const onAbort = () => cut.abort();
  signal.addEventListener('abort', onAbort, { once: true });
  const begun = promise<{ db: Db; marks: string | undefined }>();
  const finished = promise<void>();
  const over = database.lend(cut.signal, async (db) => {
    try {
      begun.resolve({ db, marks: await begin(db, limits) });
      await finished.promise;
    } finally {
      await leaveClean(db).catch(() => cut.abort());
    }
  });
  over.catch((error: unknown) => begun.reject(error));
  try {
    const { db, marks } = await begun.promise;
    signal.throwIfAborted();
    return new OpenSession(name, db, marks === undefined ? undefined : { schema: marks, key, run_id }, {
      finish: () => finished.resolve(),
      cut: () => cut.abort(),
      over: over.catch(() => undefined),
    });
  } catch (error) {
    cut.abort();
    finished.resolve();
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

class OpenSession implements Session {
  readonly over: Promise<void>;
  loss?: BatchgateError;
  private state: 'open' | 'over' = 'open';
  /** The number of running statements, without keep-alives. */
  private working = 0;
  /** The statement that the next one waits for. */
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    readonly database: string,
    private readonly db: Db,
    /** The place of the commit marker; undefined if this role may write none. */
    private readonly mark: Mark | undefined,
    private readonly connection: { finish: () => void; cut: () => void; over: Promise<void> },
  ) {
    this.over = connection.over;
  }

  async step<T>(signal: AbortSignal, work: (database: ToolDatabase) => Promise<T>): Promise<T> {
    await this.run(`savepoint ${STEP}`);
    const lease = { live: true };
    try {
      const result = await work({ query: (text, values) => this.query(lease, signal, text, values) });
      lease.live = false;
      await this.release();
      return result;
    } catch (error) {
      lease.live = false;
      // A statement that is still running cannot be undone alone.
      if (this.working > 0) await this.lose(error);
      if (this.state === 'open') await this.run(`rollback to savepoint ${STEP}`);
      if (this.state === 'open') await this.run(`release savepoint ${STEP}`);
      throw this.state === 'open' ? error : (this.loss ?? this.lost(error));
    }
  }

  async savepoint(name: string, move: SavepointMove): Promise<void> {
    const verb = { set: 'savepoint', release: 'release savepoint', restore: 'rollback to savepoint' }[move];
    const quoted = `"${name.replaceAll('"', '""')}"`;
    await this.run(`${verb} ${quoted}`);
    if (move === 'restore') await this.run(`release savepoint ${quoted}`);
  }

  async end(how: 'commit' | 'rollback'): Promise<TransactionOutcome> {
    this.live();
    this.state = 'over';
    if (how === 'rollback') {
      // If the rollback cannot be sent, closing the connection rolls back.
      await this.close('rollback').catch(() => undefined);
      return 'rolled_back';
    }
    try {
      await this.last;
      if (this.mark) await leaveMark(this.db, this.mark);
    } catch (error) {
      await this.close('rollback').catch(() => undefined);
      throw this.notCommitted(error);
    }
    try {
      await this.close('commit');
      return 'committed';
    } catch (error) {
      // Only an answer of the database proves that it did not commit.
      if (ROLLED_BACK.test(sqlState(error))) throw this.notCommitted(error);
      return 'unknown';
    }
  }

  async ping(): Promise<void> {
    // A running statement keeps the connection alive by itself.
    if (this.state === 'over' || this.working > 0) return;
    try {
      await this.send('select 1', []);
    } catch (error) {
      // Between a failed statement and its rollback, PostgreSQL refuses other statements; the connection is intact.
      if (sqlState(error) === IN_FAILED_TRANSACTION) return;
      throw await this.lose(error);
    }
  }

  async abort(loss = BatchgateError.from(transactionLost(this.database))): Promise<void> {
    // If the transaction is ending, this also breaks the statement that `end` waits for.
    this.connection.cut();
    if (this.state === 'over') return;
    this.state = 'over';
    this.loss = loss;
    await this.close('rollback').catch(() => undefined);
  }

  /** Marks the state as unknown. Returns the first reason of the loss. */
  private async lose(error: unknown): Promise<BatchgateError> {
    const loss = this.lost(error);
    await this.abort(loss);
    return this.loss ?? loss;
  }

  private async close(how: 'commit' | 'rollback'): Promise<void> {
    try {
      await this.execute(how);
    } catch (error) {
      // The transaction may still be open on the server; the next user must not inherit it.
      this.connection.cut();
      throw error;
    } finally {
      this.connection.finish();
      await this.over;
    }
  }

  /** Ends a step. If one of its statements failed and the step continued, the whole step is undone. */
  private async release(): Promise<void> {
    const text = `release savepoint ${STEP}`;
    try {
      await this.execute(text);
    } catch (error) {
      if (sqlState(error) === IN_FAILED_TRANSACTION)
        throw new BatchgateError(
          'TOOL_FAILED',
          '[TOOL ERROR] A statement of this step failed, and the step went on as if it had not.',
          '[HINT]: Let the tool fail with its statement, or try an alternative tool.',
        );
      throw await this.lose(error);
    }
  }

  private live(): void {
    if (this.state === 'over') throw this.loss ?? BatchgateError.from(transactionLost(this.database));
  }

  /** Runs a statement of our own. If it fails, the state of the transaction is unknown. */
  private async run(text: string): Promise<void> {
    this.live();
    try {
      await this.execute(text);
    } catch (error) {
      throw await this.lose(error);
    }
  }

  private async query(
    lease: { live: boolean },
    signal: AbortSignal,
    text: string,
    values: readonly unknown[] = [],
  ): Promise<Record<string, unknown>[]> {
    this.live();
    if (!lease.live) throw new Error('This step is over, and its database with it');
    signal.throwIfAborted();
    if (ENDS_OR_BEGINS.test(text))
      throw new Error('The transaction belongs to the macro: manage_transaction begins and ends it');
    return this.execute(text, values);
  }

  private async execute(text: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
    this.working++;
    try {
      return await this.send(text, values);
    } finally {
      this.working--;
    }
  }

  /** Runs statements one after the other: a connection accepts one at a time. */
  private send(text: string, values: readonly unknown[]): Promise<Record<string, unknown>[]> {
    const answer = this.last.then(async () => {
      const statement = CompiledQuery.raw(text, [...values]);
      return (await this.db.executeQuery<Record<string, unknown>>(statement)).rows;
    });
    this.last = answer.catch(() => undefined);
    return answer;
  }

  private notCommitted(error: unknown): BatchgateError {
    if (!isRefusal(error)) return this.lost(error);
    return new BatchgateError(
      'TOOL_FAILED',
      `[TOOL ERROR] The commit on ${this.database} was refused, and all of it rolled back: ${reasonOf(error)}`,
      '[HINT]: Check if parameters are correct or try an alternative tool.',
    );
  }

  private lost(error: unknown): BatchgateError {
    const body = ESCAPED.has(sqlState(error))
      ? transactionEnded(this.database)
      : transactionLost(this.database);
    const reason = error instanceof BatchgateError ? error.message : reasonOf(error);
    return BatchgateError.from({ ...body, message: `${body.message} (${reason})` });
  }
}

const reasonOf = (error: unknown) =>
  `${providerText(error instanceof Error ? error.message : error, []).replace(/\.$/, '')}.`;

/** True for the states of a refused commit, except 25P03: that transaction had ended before. */
const isRefusal = (error: unknown): boolean =>
  ROLLED_BACK.test(sqlState(error)) && sqlState(error) !== '25P03';

function promise<T>(): {
  promise: Promise<T>;
  resolve: (value: T) => void;
  reject: (error: unknown) => void;
} {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const deferred = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  deferred.catch(() => undefined);
  return { promise: deferred, resolve, reject };
}

import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import { CancellationScope, proxyActivities, uuid4 } from '@temporalio/workflow';
import type { ErrorBody } from '../../src/contract/errors';
import type {
  SavepointMove,
  TransactionActivities,
  TransactionOutcome,
  TransactionRef,
} from '../../src/contract/macro-activities';
import type { Settings } from '../../src/contract/settings';
import { commitUnknown, saysLost, saysUnknown, transactionLost } from '../../src/core/macro/errors';
import { fromActivityFailure, toFailure } from '../shared/failures';
import { AGAIN, FINAL, optionsOf, withinTransaction } from './options';

/** The worker and the transaction for a call. */
export interface Held {
  key: string;
  taskQueue: string;
}

/** The database transactions of a run; each is held by one worker, and is lost with it. */
export interface Transactions {
  /** Makes a call within a transaction, which the first call begins. */
  within<T>(ref: TransactionRef, call: (transaction: Held) => Promise<T>): Promise<T>;
  moveSavepoint(ref: TransactionRef, name: string, move: SavepointMove): Promise<void>;
  end(ref: TransactionRef, how: 'commit' | 'rollback'): Promise<void>;
  /** Whether there is a transaction to end. */
  isOpen(ref: TransactionRef): boolean;
  /** Whether the transaction is lost, with all work in it. */
  isLost(ref: TransactionRef): boolean;
}

interface Session extends Held {
  database: string;
  /** The reason of its loss. */
  loss?: ErrorBody;
  /** The scope of the lease. */
  lease: CancellationScope;
  /** Settles when the worker no longer holds the transaction; it never rejects. */
  released: Promise<void>;
  /** The scope of the running call within it. */
  call?: CancellationScope;
}

/** Tries to determine the outcome of a commit: they last some minutes, for a database that must recover first. */
const RESOLVE_TRIES = 30;

export function createTransactions(settings: Settings): Transactions {
  const sessions = new Map<string, Session>();
  const heldOrOpened = async (ref: TransactionRef): Promise<Session> => {
    const session = sessions.get(ref.id) ?? (await open(settings, ref.database));
    sessions.set(ref.id, session);
    if (session.loss) throw toFailure(session.loss);
    return session;
  };
  return {
    isOpen: ({ id }) => sessions.has(id),
    isLost: ({ id }) => sessions.get(id)?.loss !== undefined,
    async within(ref, call) {
      const session = await heldOrOpened(ref);
      return watched(session, () => call(session));
    },
    async moveSavepoint(ref, name, move) {
      const session = await heldOrOpened(ref);
      const { moveSavepoint } = at(settings, session, `${move} savepoint`);
      try {
        await watched(session, () => moveSavepoint({ key: session.key, name, move }));
      } catch (error) {
        lose(session);
        throw error;
      }
    },
    async end(ref, how) {
      const session = sessions.get(ref.id);
      sessions.delete(ref.id);
      if (session) await (how === 'commit' ? commit(settings, session) : rollBack(settings, session));
    },
  };
}

const at = (settings: Settings, { taskQueue }: Held, summary: string) =>
  proxyActivities<TransactionActivities>({ ...withinTransaction(optionsOf(settings, summary)), taskQueue });

async function open(settings: Settings, database: string): Promise<Session> {
  const { openTransaction } = proxyActivities<TransactionActivities>({
    ...optionsOf(settings, `begin on ${database}`),
    retry: { ...AGAIN, nonRetryableErrorTypes: [...FINAL, 'TOOL_FAILED'] },
  });
  const key = uuid4();
  const { task_queue: taskQueue } = await openTransaction({ key, database });
  return CancellationScope.nonCancellable(() => {
    const lease = new CancellationScope();
    const session: Session = { key, database, taskQueue, lease, released: Promise.resolve() };
    session.released = lease
      .run(() => hold(settings, session))
      .catch((error: unknown) => void lose(session, answerOf(error)));
    return Promise.resolve(session);
  });
}

/**
 * The lease of a transaction: it shows the workflow when its worker ends, and the worker when the workflow ends. A
 * worker that was too busy for its heartbeats takes the next attempt; a lost one takes none, and so loses the lease.
 */
function hold(settings: Settings, { key, database, taskQueue }: Session): Promise<void> {
  const { holdTransaction } = proxyActivities<TransactionActivities>({
    ...optionsOf(settings, `hold ${database}`),
    taskQueue,
    // The macro decides how long it lasts.
    startToCloseTimeout: '365 days',
    scheduleToStartTimeout: 2 * settings.heartbeat_timeout_ms,
    cancellationType: 'TRY_CANCEL',
    retry: {
      initialInterval: '100ms',
      maximumInterval: '1s',
      nonRetryableErrorTypes: [...FINAL, 'MACRO_FAILED'],
    },
  });
  return holdTransaction({ key });
}

/** The lease may report the loss before the step that caused it does; both know whether anything may be committed. */
function lose(session: Session, answer?: ErrorBody): ErrorBody {
  session.loss ??= answer && saysUnknown(answer) ? answer : transactionLost(session.database);
  session.lease.cancel();
  session.call?.cancel();
  return session.loss;
}

/** Stops waiting when the lease is lost: a call to a lost worker would wait in a queue without a poller. */
async function watched<T>(session: Session, call: () => Promise<T>): Promise<T> {
  const scope = new CancellationScope();
  session.call = scope;
  try {
    return await Promise.race([scope.run(call), lossOf(session)]);
  } catch (error) {
    const answer = answerOf(error);
    // A call without an answer may have left the transaction in any state.
    if (answer !== undefined && !saysLost(answer)) throw error;
    const loss = lose(session, answer);
    throw answer === undefined ? toFailure(loss) : error;
  } finally {
    delete session.call;
  }
}

/** Rejects when the lease is lost. */
async function lossOf(session: Session): Promise<never> {
  await session.released;
  if (session.loss) throw toFailure(session.loss);
  return new Promise(() => undefined);
}

/** The activity's own report of its failure, if there is one. */
function answerOf(error: unknown): ErrorBody | undefined {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  return cause instanceof ApplicationFailure ? fromActivityFailure(cause) : undefined;
}

async function rollBack(settings: Settings, session: Session): Promise<void> {
  if (session.loss) return;
  const { endTransaction } = at(settings, session, `roll back on ${session.database}`);
  try {
    await watched(session, () => endTransaction({ key: session.key, how: 'rollback' }));
    await session.released;
  } catch {
    // Without an answer it still rolls back, because nothing will commit it.
    lose(session);
  }
}

async function commit(settings: Settings, session: Session): Promise<void> {
  const { database, key } = session;
  if (session.loss) throw toFailure(session.loss);
  const { endTransaction } = at(settings, session, `commit on ${database}`);
  let outcome: TransactionOutcome = 'unknown';
  try {
    outcome = await watched(session, () => endTransaction({ key, how: 'commit' }));
    await session.released;
  } catch (error) {
    if (answerOf(error) !== undefined && !session.loss) throw error;
  }
  if (outcome === 'unknown') outcome = await resolve(settings, { database, key });
  if (outcome === 'rolled_back') throw toFailure(transactionLost(database));
  if (outcome === 'unknown') throw toFailure(commitUnknown(database));
}

/** The acknowledgement of a commit was lost: its commit marker shows the outcome. */
async function resolve(
  settings: Settings,
  lost: { database: string; key: string },
): Promise<TransactionOutcome> {
  const { resolveTransaction } = proxyActivities<TransactionActivities>({
    ...optionsOf(settings, `what became of ${lost.database}`),
    retry: {
      initialInterval: '500ms',
      maximumInterval: '10s',
      maximumAttempts: RESOLVE_TRIES,
      nonRetryableErrorTypes: FINAL,
    },
  });
  try {
    return await resolveTransaction(lost);
  } catch {
    return 'unknown';
  }
}

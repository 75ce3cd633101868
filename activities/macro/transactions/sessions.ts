import { BatchgateError } from '../../../src/contract/errors';
import type { TransactionActivities, TransactionOutcome } from '../../../src/contract/macro-activities';
import type { Settings } from '../../../src/contract/settings';
import { transactionLost } from '../../../src/core/macro/errors';
import type { Databases } from '../../../src/postgres/databases';
import { sqlState } from '../../../src/postgres/databases/failure';
import { providerText } from '../../adapters/shared/failure';
import { ensureMarks, readMark } from './marks';
import type { SessionLimits } from './begin';
import { openSession, type Session } from './session';

export interface SessionOptions {
  databases: Databases;
  settings: Pick<Settings, 'heartbeat_timeout_ms' | 'tool_timeout_ms'>;
  /** The queue of this worker only: its activities use the connections that it holds. */
  taskQueue: string;
}

/** A transaction, and the macro run that owns its mark. */
interface TransactionOfRun {
  database: string;
  key: string;
  run_id: string;
}

/** The open transactions of this worker. */
export interface Sessions {
  open(input: TransactionOfRun, signal: AbortSignal): Promise<{ task_queue: string }>;
  /** `givenUp` returns true if the server only waits for the next attempt, which may be scheduled. */
  hold(key: string, signal: AbortSignal, givenUp: () => boolean): Promise<void>;
  /** @throws BatchgateError if it is lost. */
  get(key: string): Session;
  end: TransactionActivities['endTransaction'];
  resolve(input: TransactionOfRun, signal: AbortSignal): Promise<TransactionOutcome>;
  /** Rolls back all open transactions. */
  close(): Promise<void>;
}

export function createSessions({ databases, settings, taskQueue }: SessionOptions): Sessions {
  const sessions = new Map<string, Session>();
  const { heartbeat_timeout_ms } = settings;
  const limits = limitsOf(settings);
  const holds = createHolds(heartbeat_timeout_ms);
  const get = (key: string): Session => {
    const session = sessions.get(key);
    if (session === undefined) throw BatchgateError.from(transactionLost('its database'));
    return session;
  };
  return {
    get,
    async open({ database: name, key, run_id }, signal) {
      await sessions.get(key)?.abort();
      const database = await databases.get(name);
      const patience = AbortSignal.timeout(limits.lock);
      const combined = AbortSignal.any([signal, patience]);
      const session = await openSession({ name, database }, { key, run_id }, limits, combined).catch(
        (error: unknown) => {
          if (patience.aborted) throw tooBusy(name, limits.lock);
          throw error instanceof BatchgateError ? error : cannotBegin(name, error);
        },
      );
      sessions.set(key, session);
      // The caller may not have received the answer.
      holds.expect(session, key);
      void session.over.then(() => {
        if (sessions.get(key) === session) sessions.delete(key);
      });
      return { task_queue: taskQueue };
    },
    async hold(key, signal, givenUp) {
      const session = get(key);
      const endAttempt = holds.begin(key);
      try {
        await hold(session, heartbeat_timeout_ms, signal, givenUp);
      } finally {
        if (endAttempt()) holds.expect(session, key);
      }
    },
    end: ({ key, how }) => get(key).end(how),
    async resolve({ database: name, key, run_id }, signal) {
      const database = await databases.get(name);
      return database.lend(signal, async (db) => {
        const schema = await ensureMarks(db);
        return schema === undefined ? 'unknown' : readMark(db, { schema, key, run_id });
      });
    },
    async close() {
      await Promise.all([...sessions.values()].map((session) => session.abort()));
    },
  };
}

/** Shares of the time limit of a call, so that the database reports a delay before the call times out. */
function limitsOf({ tool_timeout_ms, heartbeat_timeout_ms }: SessionOptions['settings']): SessionLimits {
  return { lock: tool_timeout_ms * 0.7, statement: tool_timeout_ms * 0.85, idle: heartbeat_timeout_ms * 3 };
}

/** The beats, each a quarter of the heartbeat timeout, last longer than the next attempt waits for this worker. */
const BEATS = 3 * 4;

/**
 * Rolls back a session that no attempt holds. It counts beats instead of time: while this process is too busy to beat,
 * an attempt that would hold the session cannot begin either.
 */
function createHolds(heartbeatTimeoutMs: number) {
  const attempts = new Map<string, number>();
  return {
    expect(session: Session, key: string): void {
      let left = BEATS;
      const beat = setInterval(() => {
        if (attempts.has(key)) clearInterval(beat);
        else if (--left === 0) void session.abort();
      }, heartbeatTimeoutMs / 4).unref();
      void session.over.then(() => clearInterval(beat));
    },
    /** Counts an attempt. The returned function ends the attempt, and returns true if no other is running. */
    begin(key: string): () => boolean {
      attempts.set(key, (attempts.get(key) ?? 0) + 1);
      return () => {
        const left = (attempts.get(key) ?? 1) - 1;
        if (left > 0) attempts.set(key, left);
        else attempts.delete(key);
        return left === 0;
      };
    },
  };
}

/**
 * Waits until the transaction ends or the server gives up this attempt. A cancellation rolls the transaction back.
 * @throws BatchgateError if it is lost: otherwise no step might notice before its worker is gone.
 */
async function hold(
  session: Session,
  everyMs: number,
  signal: AbortSignal,
  givenUp: () => boolean,
): Promise<void> {
  const attemptEnd = new Promise<void>((resolve) => {
    const onAbort = () => (givenUp() ? resolve() : void session.abort());
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
  const pulse = setInterval(() => void session.ping().catch(() => undefined), everyMs / 2);
  try {
    await Promise.race([session.over, attemptEnd]);
  } finally {
    clearInterval(pulse);
  }
  if (session.loss) throw session.loss;
}

function tooBusy(name: string, ms: number): BatchgateError {
  return new BatchgateError(
    'TOOL_FAILED',
    `[TOOL ERROR] No transaction could be begun on ${name} within ${Math.round(ms / 1_000)} s: others hold its connections.`,
    '[HINT]: Run the macro again when they are done; of an embedded database there is one connection.',
  );
}

function cannotBegin(name: string, error: unknown): BatchgateError {
  const reason = providerText(error instanceof Error ? error.message : error, []).replace(/\.$/, '');
  const state = sqlState(error);
  return new BatchgateError(
    'ADAPTER_UNAVAILABLE',
    `No transaction can be begun on ${name}: ${reason}${state && ` (${state})`}.`,
    `See that ${name} is up and takes writes; then run the macro again.`,
  );
}

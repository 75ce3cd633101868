import type { SavepointMove, TransactionRef } from '../../contract/macro-activities';
import {
  databaseOwner,
  detachedFrom,
  transactionOwner,
  type Machine,
  type MacroFrame,
  type ScopeFrame,
  type Thread,
} from './machine-state';
import { TemplateError } from './template';

/** The shell's action on the transaction of a thread. */
export type TransactionAction =
  | { kind: 'commit' | 'rollback'; transaction: TransactionRef }
  | { kind: 'savepoint'; transaction: TransactionRef; name: string; move: SavepointMove };

/**
 * Begins a macro. A macro with a database begins a transaction (specification M12). A macro without one works in its
 * caller's transaction, under a savepoint if its failure is caught.
 */
export function enterMacro(
  machine: Machine,
  thread: Thread,
  frame: MacroFrame,
): TransactionAction | undefined {
  frame.entered = true;
  if (frame.detached) return undefined;
  if (frame.database !== undefined) {
    frame.transaction = newTransaction(machine, frame.database);
    return undefined;
  }
  const owner = transactionOwner(thread);
  if (!frame.caught || owner?.transaction === undefined) return undefined;
  frame.savepoint = `macro_${thread.frames.indexOf(frame)}`;
  return moveSavepoint(thread, frame, 'set');
}

/** Ends a macro whose steps have ended: commits its transaction, or releases its savepoint. */
export function completeMacro(thread: Thread, frame: MacroFrame): TransactionAction | undefined {
  if (frame.transaction?.open) return end(thread, frame.transaction.ref, 'commit');
  delete frame.transaction;
  return moveSavepoint(thread, frame, 'release');
}

/** Ends a macro that failed or stops. `caught`: its failure ends here, and earlier work of others stays. */
export function abandonMacro(
  thread: Thread,
  frame: MacroFrame,
  caught: boolean,
): TransactionAction | undefined {
  if (frame.transaction?.open) return end(thread, frame.transaction.ref, 'rollback');
  delete frame.transaction;
  if (!caught) delete frame.savepoint;
  return moveSavepoint(thread, frame, 'restore');
}

function end(thread: Thread, transaction: TransactionRef, kind: 'commit' | 'rollback'): TransactionAction {
  thread.pending = { kind, step: 0, caught: false };
  return { kind, transaction };
}

function moveSavepoint(
  thread: Thread,
  { savepoint: name }: MacroFrame,
  move: SavepointMove,
): TransactionAction | undefined {
  const transaction = transactionOwner(thread)?.transaction;
  if (name === undefined || transaction === undefined) return undefined;
  thread.pending = { kind: 'savepoint', move, step: 0, caught: false };
  return { kind: 'savepoint', transaction: transaction.ref, name, move };
}

/** The outcome of a transaction's action, or of a call within one. */
export interface TransactionNews {
  /** A call was made within the transaction, so there is something to end. */
  opened?: boolean;
  /** The transaction is lost, with all its changes. */
  lost?: boolean;
}

/**
 * Applies the news about a thread's transaction. If it is lost, the result is the frame up to which no other may catch
 * that: code that continued within it would rely on lost work.
 */
export function settleTransaction(
  machine: Machine,
  thread: Thread,
  settled: { ok: boolean } & TransactionNews,
): number | undefined {
  const { pending } = thread;
  const owner = transactionOwner(thread);
  if (pending === undefined || owner?.transaction === undefined) return undefined;
  if (settled.opened) owner.transaction.open = true;
  const frame = thread.frames.at(-1);
  // A savepoint stays while it is set and not yet released; one that could not be set does not exist.
  if (frame?.kind === 'macro' && pending.kind === 'savepoint' && settled.ok === (pending.move !== 'set'))
    delete frame.savepoint;
  if (pending.kind === 'commit' || pending.kind === 'rollback' || pending.kind === 'manage') {
    const isCommit = pending.kind === 'commit' || (pending.kind === 'manage' && pending.renews === true);
    if (settled.ok && isCommit) noteCommit(machine, owner);
    // A transaction that failed to end is over too: uncommitted work rolls back by itself.
    delete owner.transaction;
    // After a commit a new one begins (specification M15).
    if (settled.ok && pending.renews) owner.transaction = newTransaction(machine, databaseOf(owner));
    return settled.ok || pending.kind !== 'manage' ? undefined : thread.frames.indexOf(owner);
  }
  if (!settled.lost) return undefined;
  delete owner.transaction;
  return thread.frames.indexOf(owner);
}

const MAX_COMMITTED = 20;

function noteCommit(machine: Machine, owner: MacroFrame): void {
  const { macro } = owner;
  const database = databaseOf(owner);
  const committed = (machine.committed ??= []);
  const isKnown = committed.some((entry) => entry.macro === macro && entry.database === database);
  if (!isKnown && committed.length < MAX_COMMITTED) committed.push({ macro, database });
}

const databaseOf = ({ database = '' }: MacroFrame): string => database;

function newTransaction(machine: Machine, database: string) {
  return { ref: { id: `t${machine.next_transaction++}`, database }, open: false };
}

/** Whether a transaction is open. It holds a connection, so the run cannot be handed over. */
export const inTransaction = (machine: Machine): boolean =>
  Object.values(machine.threads).some(({ frames }) =>
    frames.some((frame) => frame.kind === 'macro' && frame.transaction?.open),
  );

/** The running branches of a macro that must end before its transaction, or its caller's, is committed. */
export const endingBeforeCommit = ({ threads }: Machine, { children }: ScopeFrame): number[] =>
  children.filter((id) => {
    const thread = threads[id];
    const branch = thread?.frames[0];
    // A thread without frames has failed, and is about to report its error.
    if (branch === undefined) return thread !== undefined;
    return branch.kind === 'swarm_branch' && branch.before_commit === true;
  });

export type ManageAction = 'begin' | 'commit' | 'rollback';

/** Runs `manage_transaction`. Returns the transaction that the shell must end, if any. @throws TemplateError */
export function manageTransaction(
  machine: Machine,
  thread: Thread,
  action: ManageAction,
): { end: 'commit' | 'rollback'; transaction: TransactionRef } | undefined {
  const owner = ownedHere(thread);
  const { transaction } = owner;
  const database = databaseOf(owner);
  if (action === 'begin') {
    refuseBeforeJoin(machine, thread, owner);
    // An automatic transaction that nothing has opened yet is replaced.
    if (transaction?.open || transaction?.begun)
      throw new TemplateError(
        `A transaction on ${database} is open here already.`,
        `Commit it or roll it back before this step. Without begin, a statement, a fetch from ${database} or a macro whose failure is caught opens one.`,
      );
    owner.transaction = { ...newTransaction(machine, database), begun: true };
    return undefined;
  }
  if (transaction === undefined)
    throw new TemplateError('No transaction is open here.', 'Begin one by {"action": "begin"}.');
  if (transaction.open) return { end: action, transaction: transaction.ref };
  if (action === 'rollback') delete owner.transaction;
  else delete transaction.begun;
  return undefined;
}

/**
 * A subroutine joins its branches at its end, before its caller's transaction ends. A branch that waits for a lock of that
 * transaction would wait forever.
 */
function refuseBeforeJoin(machine: Machine, thread: Thread, owner: MacroFrame): void {
  const within = thread.frames.slice(thread.frames.indexOf(owner) + 1);
  const waiting = within.find(
    (frame) => frame.kind === 'macro' && frame.children.length > endingBeforeCommit(machine, frame).length,
  );
  if (waiting?.kind === 'macro')
    throw new TemplateError(
      `The macro ${waiting.macro} has parallel steps that end before the transaction of ${owner.macro} can, so nothing may begin that transaction meanwhile.`,
      `Move the parallel steps of ${waiting.macro} into a macro that ends before this step, or begin in ${owner.macro}.`,
    );
}

/** The macro whose transaction is managed here: this one, or its caller (specification M16). */
function ownedHere(thread: Thread): MacroFrame {
  const owner = databaseOwner(thread);
  if (detachedFrom(thread) !== undefined)
    throw new TemplateError(
      'This step runs in parallel, outside of every transaction.',
      'Move it into a macro and call that macro with "is_async": it may begin its own transaction.',
    );
  if (owner === undefined)
    throw new TemplateError(
      'There is no database here, so there is no transaction to manage.',
      'Give the macro a "database", or run it with --database.',
    );
  const within = thread.frames.slice(thread.frames.indexOf(owner) + 1);
  const catching = within.find((frame) => frame.kind === 'macro' && frame.caught);
  if (catching?.kind !== 'macro') return owner;
  throw new TemplateError(
    `The failure of the macro ${catching.macro} is caught within the transaction of ${owner.macro}, so nothing in it may manage that transaction.`,
    `Move manage_transaction into ${owner.macro}, let the failure of ${catching.macro} propagate, or give it a "database" of its own.`,
  );
}

import type { SavepointMove, TransactionRef } from '../../contract/macro-activities';
import { databaseOwner, transactionOwner, type Machine, type MacroFrame, type Thread } from './machine-state';
import { TemplateError } from './template';

/** What the shell does about the transaction of a thread. */
export type TransactionAction =
  | { kind: 'commit' | 'rollback'; transaction: TransactionRef }
  | { kind: 'savepoint'; transaction: TransactionRef; name: string; move: SavepointMove };

/**
 * A macro with a database begins a transaction (seed 003, automatic transaction wrapping). One without works in its
 * caller's, under a savepoint where its failure is caught.
 */
export function enterMacro(
  machine: Machine,
  thread: Thread,
  frame: MacroFrame,
): TransactionAction | undefined {
  frame.entered = true;
  if (frame.database !== undefined) {
    frame.transaction = newTransaction(machine, frame.database);
    return undefined;
  }
  const owner = transactionOwner(thread);
  if (!frame.caught || owner?.transaction === undefined) return undefined;
  frame.savepoint = `macro_${thread.frames.indexOf(frame)}`;
  return moveSavepoint(thread, frame, 'set');
}

/** The steps of a macro are over: its transaction is committed, its savepoint is not needed any more. */
export function completeMacro(thread: Thread, frame: MacroFrame): TransactionAction | undefined {
  if (frame.transaction?.open) return end(thread, frame.transaction.ref, 'commit');
  delete frame.transaction;
  return moveSavepoint(thread, frame, 'release');
}

/** A macro failed or stops. `caught`: its failure ends here, and what others did in the transaction before it stays. */
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
  /** The call was the first one, or came after it: there is something to end. */
  opened?: boolean;
  /** The transaction is lost, with all its changes. */
  lost?: boolean;
}

/**
 * Takes what became of a thread's transaction. Where it is lost it answers the frame up to which no other may catch
 * that: code that went on within it would rely on work that is gone.
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
  // It stays while it is set and not yet needed; one that could not be set is not there.
  if (frame?.kind === 'macro' && pending.kind === 'savepoint' && settled.ok === (pending.move !== 'set'))
    delete frame.savepoint;
  if (pending.kind === 'commit' || pending.kind === 'rollback' || pending.kind === 'manage') {
    // One that failed to end is over too: what is not committed rolls back by itself.
    delete owner.transaction;
    // It is renewed after a commit (seed 003, explicit transactions).
    if (settled.ok && pending.renews) owner.transaction = newTransaction(machine, databaseOf(owner));
    return settled.ok || pending.kind !== 'manage' ? undefined : thread.frames.indexOf(owner);
  }
  if (!settled.lost) return undefined;
  delete owner.transaction;
  return thread.frames.indexOf(owner);
}

const databaseOf = ({ database = '' }: MacroFrame): string => database;

function newTransaction(machine: Machine, database: string) {
  return { ref: { id: `t${machine.next_transaction++}`, database }, open: false };
}

export type ManageAction = 'begin' | 'commit' | 'rollback';

/** The step `manage_transaction`: a transaction to be ended, or nothing for the shell to do. @throws TemplateError */
export function manageTransaction(
  machine: Machine,
  thread: Thread,
  action: ManageAction,
): { end: 'commit' | 'rollback'; transaction: TransactionRef } | undefined {
  const owner = ownedHere(thread);
  const { transaction } = owner;
  if (action === 'begin') {
    if (transaction)
      throw new TemplateError('A transaction is open here already.', 'Commit it or roll it back first.');
    owner.transaction = newTransaction(machine, databaseOf(owner));
    return undefined;
  }
  if (transaction === undefined)
    throw new TemplateError('No transaction is open here.', 'Begin one by {"action": "begin"}.');
  if (transaction.open) return { end: action, transaction: transaction.ref };
  if (action === 'rollback') delete owner.transaction;
  return undefined;
}

/** The macro whose transaction is managed here: this one, or its caller (seed 003, inherited context). */
function ownedHere(thread: Thread): MacroFrame {
  const owner = databaseOwner(thread);
  if (owner === undefined)
    throw new TemplateError(
      'There is no database here, so there is no transaction to manage.',
      'Give the macro a "database", or run it with --database.',
    );
  const within = thread.frames.slice(thread.frames.indexOf(owner) + 1);
  const caught = within.find((frame) => frame.kind === 'macro' && frame.caught);
  if (caught?.kind !== 'macro') return owner;
  throw new TemplateError(
    `The failure of the macro ${caught.macro} is caught within the transaction of ${owner.macro}, so nothing in it may manage that transaction.`,
    `Move manage_transaction into ${owner.macro}, let the failure of ${caught.macro} propagate, or give it a "database" of its own.`,
  );
}

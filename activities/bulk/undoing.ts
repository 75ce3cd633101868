import type { PlanInput } from '../../src/contract/plans';
import type { Prepared } from '../../src/contract/prepared';
import type { LedgerItem, LedgerRecord } from '../../src/contract/ledger-record';
import type { PlanEdition } from '../../src/contract/edits';
import { BatchgateError } from '../../src/contract/errors';
import type { BulkItem, FrozenItem, PreparedBulkContext } from '../../src/contract/items';
import type { Ledger } from '../../src/contract/ledger';
import { shortened } from '../../src/contract/text';
import { CANNOT_BE_UNDONE } from '../../src/core/bulk/preview';
import { changesTogether, changeTakenBack, itemToRestore, wordsTakenBack } from '../../src/core/bulk/undo';
import { wordsOfAction } from '../../src/core/bulk/change';
import { namesOf } from '../../src/core/bulk/preview';
import type { ActivityDependencies } from '../shared/dependencies';
import { forItemsOf } from './contexts';
import { refuseElsewhere } from './place';

/**
 * Prepares an undo of an operation by its context in the ledger.
 * @throws BatchgateError `NOT_FOUND`, or `INVALID_INPUT` if it cannot be undone or has not ended.
 */
export async function prepareUndo(
  dependencies: ActivityDependencies,
  input: Pick<PlanInput, 'domain' | 'action' | 'metadata'>,
  undoes: string,
): Promise<Prepared> {
  const record = await wholeRecord(dependencies.ledger, undoes);
  const { change_params = {} } = record;
  const { context, change } = await whatRan(dependencies.ledger, record);
  const adapter = dependencies.adapters.get(record.domain);
  const action = adapter.actions[record.action];
  if (record.domain !== input.domain || record.action !== input.action) {
    throw refused(
      `${undoes} is ${record.action} on ${record.domain}, not ${input.action} on ${input.domain}.`,
      `Undo it as ${record.action} on ${record.domain}.`,
    );
  }
  if (!action?.undo || change?.reversible === 'no')
    throw refused(`${record.action} on ${record.domain} cannot be undone.`, 'Nothing was read or touched.');
  if (!context || !change)
    throw refused(`${undoes} ended before its items were planned.`, 'There is nothing to take back.');
  await refuseElsewhere(forItemsOf(adapter, context), context);
  if (!(await hasEnded(dependencies, record))) {
    throw refused(
      `${undoes} has not ended.`,
      `Wait for its end or cancel it, then undo it: npx batchgate undo ${undoes} --cancel-first`,
    );
  }
  const undoChange = changeTakenBack(change);
  return {
    context: { ...context, undo: true, ...(input.metadata && { metadata: input.metadata }) },
    change_params,
    noun: record.noun ?? { one: 'item', many: 'items' },
    words: wordsTakenBack(wordsOfAction(record.action, action), undoChange),
    change: undoChange,
  };
}

/** Returns the change that ran for the changed items, or the combined changes if it was edited in between. */
async function whatRan(
  ledger: Ledger,
  record: LedgerRecord,
): Promise<Pick<LedgerRecord, 'context' | 'change'>> {
  if (record.edition === undefined) return record;
  const editionsRun = new Set(record.items.filter(wasChanged).map(({ edition = 1 }) => edition));
  const { editions } = await ledger.editions(record.operation_id);
  const applied = editions.filter(({ edition }) => editionsRun.has(edition));
  const latest = applied.pop();
  const change = latest && changesTogether([latest.change, ...applied.map((edition) => edition.change)]);
  if (!latest || !change) return record;
  const undoContext = ({ context }: PlanEdition) => ({ ...context, undo: true as const });
  const earlier = Object.fromEntries(applied.map((edition) => [edition.edition, undoContext(edition)]));
  return { context: { ...latest.context, ...(applied.length > 0 && { earlier }) }, change };
}

const wasChanged = ({ state, preview }: LedgerItem): boolean => state === 'succeeded' && !preview?.already;

/**
 * Returns the items that an operation changed, in reverse order, with their current state and the state to restore.
 * Excludes items that were in the wanted state before it and, if `named` is set, all items that are not named.
 * @throws BatchgateError `INVALID_INPUT` if it did not change a named item.
 */
export async function itemsToRestore(
  dependencies: ActivityDependencies,
  context: PreparedBulkContext,
  { undoes, items: named }: { undoes: string; items?: readonly BulkItem[] | undefined },
  freeze: (items: BulkItem[]) => Promise<BulkItem[]>,
): Promise<FrozenItem[]> {
  const { items } = await wholeRecord(dependencies.ledger, undoes);
  const whole = items.filter(wasChanged).reverse();
  const changed = named ? theNamed(undoes, whole, named) : whole;
  const frozen = await freeze(
    changed
      .filter(isKept)
      .map(({ edition, ...item }) =>
        itemToRestore({ ...item, ...(context.earlier && { edition: edition ?? 1 }) }),
      ),
  );
  const byId = new Map(frozen.map((item) => [item.id, item]));
  const adapter = dependencies.adapters.get(context.tool_name);
  return changed.map((item) => {
    if (!isKept(item)) return notKept(item);
    const restorable = byId.get(item.id);
    if (restorable?.raw_data?.['undo'] !== undefined) return restorable;
    throw new BatchgateError(
      'INTERNAL',
      `The adapter ${adapter.toolName} lost what is to be restored of ${item.id}.`,
      'This is a defect of the adapter; tell its author.',
    );
  });
}

function theNamed(undoes: string, whole: readonly LedgerItem[], named: readonly BulkItem[]): LedgerItem[] {
  const changedNames = new Set(whole.flatMap(namesOf));
  const unchanged = named.find(({ id }) => !changedNames.has(id));
  if (unchanged) {
    throw refused(
      `${undoes} did not change ${shortened(unchanged.id)}, so that cannot be taken back.`,
      `Name only items that it changed: npx batchgate items ${undoes}`,
    );
  }
  const ids = new Set(named.map(({ id }) => id));
  return whole.filter((item) => namesOf(item).some((name) => ids.has(name)));
}

/** Returns the ledger's complete record of an operation. */
export async function wholeRecord(ledger: Ledger, operationId: string): Promise<LedgerRecord> {
  const record = await ledger.read(operationId);
  if (!record) {
    throw new BatchgateError(
      'NOT_FOUND',
      `The ledger knows nothing of ${operationId}.`,
      'Take the id from `npx batchgate list`. What ended long ago is not kept.',
    );
  }
  for (let { next } = record; next !== undefined;) {
    const part = await ledger.read(operationId, next);
    record.items.push(...(part?.items ?? []));
    next = part?.next;
  }
  return record;
}

/** True if its previous state was stored, to the extent that its preview promised. */
const isKept = ({ preview }: LedgerItem) => preview?.reversible !== 'no';

/** Returns an item that is not changed, even if overwriting is allowed. */
function notKept({ id, display_name }: LedgerItem): FrozenItem {
  const conflict = `${CANNOT_BE_UNDONE}: its state before was not kept`;
  return { id, display_name, preview: { reversible: 'no', conflict } };
}

/** Queries Temporal, because an operation that was ended from outside has no last status. */
async function hasEnded(
  { operations, settings }: ActivityDependencies,
  { operation_id, status }: LedgerRecord,
): Promise<boolean> {
  if (status) return true;
  try {
    const signal = AbortSignal.timeout(settings.read_timeout_ms);
    return (await operations.ended(operation_id, signal, 0)) !== undefined;
  } catch (error) {
    if (error instanceof BatchgateError && error.code === 'NOT_FOUND') return true;
    throw error;
  }
}

function refused(message: string, hint: string): BatchgateError {
  return new BatchgateError('INVALID_INPUT', message, hint);
}

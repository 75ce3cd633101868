import type { BulkActivities } from '../../src/contract/activities';
import type { Plan, PlanInput, ResetResults } from '../../src/contract/plans';
import type { Ledger } from '../../src/contract/ledger';
import type { FrozenItem } from '../../src/contract/items';
import type { LedgerItem, LedgerRecord } from '../../src/contract/ledger-record';
import { wordsOfAction } from '../../src/core/bulk/change';
import { marksOf } from '../../src/core/bulk/pages';
import { foreseenIn } from '../../src/core/bulk/groups';
import { codeOfItem, rampOfRecord } from '../../src/core/bulk/ledger-status';
import { bytesOf } from '../../src/core/shared/bounds';
import type { AdapterRegistry } from '../../src/core/bulk/registry';
import type { ActivityDependencies } from '../shared/dependencies';
import { refuseOtherStore } from './evidence';
import { knownAtFirst } from './known';
import { frozenRequirement } from './policing';
import { runEpoch } from './reconcile';
import { wholeRecord } from './undoing';

/**
 * Returns the plan of an earlier run of the same chain, with the outcomes of its items. After a reset in Temporal, a
 * run plans again although batches have run; a new plan would assign their results to items by place.
 */
export async function planBefore(
  { adapters, ledger }: ActivityDependencies,
  { operation_id, run_id }: Pick<PlanInput, 'operation_id' | 'run_id'>,
): Promise<Plan | undefined> {
  const reset = await afterFence(ledger, operation_id, run_id);
  if (!reset) return undefined;
  const { record } = reset;
  const plan = plannedIn(adapters, record);
  if (!plan) return undefined;
  const { change_params = {}, edition, edits = [], terms } = record;
  const requirement = terms?.policy?.requirement;
  return {
    ...resultsOf(reset),
    total: record.items.length,
    bytes: bytesOf(record.items.map(frozenOf)),
    store_id: ledger.storeId,
    ...(edition !== undefined && { edition, edits }),
    ...{ ...plan, prepared: { ...plan.prepared, change_params } },
    ...(requirement && frozenRequirement(requirement, Date.now())),
  };
}

/** Returns the plan in the ledger's record of an operation; undefined if there is none. */
function plannedIn(adapters: AdapterRegistry, record: LedgerRecord) {
  const { context, change, noun = { one: 'item', many: 'items' } } = record;
  if (!context || !change) return undefined;
  const items = record.items.map(frozenOf);
  const words = wordsOfAction(context.action, adapters.get(context.tool_name).actions[context.action]);
  return {
    marks: marksOf(record.items, rampOfRecord(record)),
    foreseen: foreseenIn(items),
    prepared: { context, noun, change, words },
  };
}

export const frozenOf = ({ id, display_name, raw_data, preview }: LedgerItem): FrozenItem => ({
  ...{ id, display_name },
  ...(raw_data && { raw_data }),
  ...(preview && { preview }),
});

/**
 * Returns the ledger's results of a run that was reset after its plan. Only the plan's own ledger has evidence of its
 * batches.
 * @throws the ledger's failure: without results, a question could include items that have run.
 */
export async function resultsAfterReset(
  { adapters, ledger }: Pick<ActivityDependencies, 'adapters' | 'ledger'>,
  { operation_id, run_id, store_id }: Parameters<BulkActivities['resultsAfterReset']>[0],
): Promise<ResetResults | null> {
  refuseOtherStore(ledger, store_id);
  const reset = await afterFence(ledger, operation_id, run_id);
  if (!reset) return null;
  const { edition, edits = [] } = reset.record;
  const plan = edition === undefined ? undefined : plannedIn(adapters, reset.record);
  return {
    ...resultsOf(reset),
    ...(edition !== undefined && plan && { edited: { ...plan, edition, edits } }),
  };
}

interface AfterReset {
  record: LedgerRecord;
  attempt: number;
}

function resultsOf({ record, attempt }: AfterReset): ResetResults {
  const { items } = record;
  const codes = items.map(codeOfItem).join('');
  const ramp = rampOfRecord(record);
  const { restarts } = ramp;
  return {
    codes,
    items: knownAtFirst(items, codes, ramp),
    attempt,
    ...(restarts.length > 0 && { restarts }),
  };
}

/** Fences off all earlier runs of an operation; undefined if none of them has run a batch or edited the change. */
async function afterFence(
  ledger: Ledger,
  operationId: string,
  runId: string,
): Promise<AfterReset | undefined> {
  const epoch = await ledger.fenceAll(operationId, runId);
  const { editions, attempt: lastAttempt } = await ledger.editions(operationId);
  if (epoch === null && editions.length === 0) return undefined;
  const record = await wholeRecord(ledger, operationId);
  if (epoch === null && record.run_id !== runId) return undefined;
  return { record, attempt: Math.max(attemptAfter(epoch ?? 0), lastAttempt + 1) };
}

function attemptAfter(epoch: number): number {
  let attempt = 1;
  while (runEpoch(attempt) <= epoch) attempt++;
  return attempt;
}

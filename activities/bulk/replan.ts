import { randomUUID } from 'node:crypto';
import type { Prepared } from '../../src/contract/prepared';
import type { BulkAdapter } from '../../src/contract/adapter';
import type { Adopted, AdoptInput, Replanned, ReplanInput } from '../../src/contract/edits';
import { BatchgateError } from '../../src/contract/errors';
import type { FrozenItem, PlannedItem } from '../../src/contract/items';
import type { LedgerItem, LedgerRecord } from '../../src/contract/ledger-record';
import { editedParameters } from '../../src/core/bulk/edits';
import { foreseenIn } from '../../src/core/bulk/groups';
import { tooManyBytes } from '../../src/core/bulk/input';
import { rampOfRecord } from '../../src/core/bulk/ledger-status';
import { groupsOf, marksOf } from '../../src/core/bulk/pages';
import { conflictDetail, promisedFor, startsSkipped, withPreview } from '../../src/core/bulk/preview';
import { bytesOf } from '../../src/core/shared/bounds';
import { refuseOtherStore } from './evidence';
import { knownAtFirst } from './known';
import { refuseElsewhere } from './place';
import { namesForPolicies, refuseOtherJudgement } from './policing';
import { goOn, namedItems, ofAdapter, prepare, stored, type Planning } from './planning';
import { frozenOf } from './resets';
import { wholeRecord } from './undoing';

/**
 * Plans the places without an outcome again, for the same items and a different change. The ledger stages the new plan;
 * the old plan stays in force until `adoptPlan`. A plan that fails, or a try that was given up, changes nothing.
 */
export async function replan(dependencies: Planning, input: ReplanInput): Promise<Replanned> {
  const { ledger, settings } = dependencies;
  refuseOtherStore(ledger, input.store_id);
  const record = await wholeRecord(ledger, input.operation_id);
  const places = [...input.codes].flatMap((code, at) => (code === 'p' ? [at] : []));
  const rows = places.flatMap((place) => record.items[place] ?? []);
  refuseUnlessOpen(record, input, rows, places.length);
  const prepared = await preparedFor(dependencies, record, input, settings.fixed?.[record.domain]);
  const { context } = prepared;
  const adapter = dependencies.adapters.get(context.tool_name);
  refuseUnreadable(adapter, rows);
  goOn();
  const frozen = await namedItems(dependencies, context, rows.map(asNamed));
  refuseOthers(adapter.toolName, rows, frozen);
  const items = stored<PlannedItem[]>(
    frozen.map((item, at) => ({ ...withPreview(adapter, item, context), index: places[at] ?? 0 })),
  );
  const plain = items.map(({ index: _, ...item }): FrozenItem => item);
  const scope = adapter.describeItems?.(plain, context);
  const complete = stored<Prepared>({ ...prepared, change: promisedFor(prepared.change, plain, scope) });
  const byPlace = new Map(plain.map((item, at) => [places[at], item]));
  const all = record.items.map((row) => byPlace.get(row.index) ?? frozenOf(row));
  const resolved = await namesForPolicies(dependencies, context, plain, dependencies.readOn);
  const changed = { prepared: complete, items: all, resolved };
  refuseOtherJudgement(dependencies, record, record.change_params ?? {}, changed);
  const excess = tooManyBytes(all.length, bytesOf(all));
  if (excess) throw BatchgateError.from(excess);
  const ramp = rampOfRecord(record);
  // Throws for a batch that is too large.
  groupsOf(all, ramp);
  const codes = [...input.codes]
    .map((code, at) => (code === 'p' && startsSkipped(byPlace.get(at) ?? { id: '' }) ? 'k' : code))
    .join('');
  const token = randomUUID();
  const saltedItems = new Map(items.map((item) => [item.index, { ...item, salt: randomUUID() }]));
  goOn();
  const { operation_id, run_id } = input;
  const { change_params, ...base } = complete;
  await ledger.stagePlan({
    ...{ operation_id, run_id, edition: input.edition + 1, token, items: [...saltedItems.values()] },
    ...{ context: base.context, change: base.change, change_params },
  });
  const planRows = record.items.map((row) => {
    const item = saltedItems.get(row.index);
    return { ...(item ?? row), ...(item && codes[row.index] === 'k' && conflictDetail(item.preview)) };
  });
  return {
    ...{ token, prepared: base, marks: marksOf(planRows, ramp), codes },
    foreseen: foreseenIn(all),
    items: knownAtFirst(planRows, codes, ramp),
  };
}

/** Converts a row to an item as a caller would name it, with its data. */
const asNamed = ({ id, display_name, raw_data }: LedgerItem) => ({
  ...{ id, display_name },
  ...(raw_data && { raw_data }),
});

/** Puts the new plan in force. If the ledger refuses it, returns the reason, and the old plan stays in force. */
export async function adoptPlan({ ledger }: Planning, input: AdoptInput): Promise<Adopted> {
  refuseOtherStore(ledger, input.store_id);
  const { store_id: _, ...adoption } = input;
  try {
    await ledger.adoptPlan(adoption);
    return null;
  } catch (error) {
    if (error instanceof BatchgateError && error.code === 'INTERNAL') return { refused: error.body };
    throw error;
  }
}

/** Prepares the new change: the planned parameters, with the edited parameters replaced. */
async function preparedFor(
  dependencies: Planning,
  { domain, action, change_params = {}, context }: LedgerRecord,
  { change }: ReplanInput,
  fixed: readonly string[] | undefined,
): Promise<Prepared> {
  const adapter = dependencies.adapters.get(domain);
  const definition = adapter.actions[action];
  if (!definition || !context) throw notPlanned(action, domain);
  await refuseElsewhere(adapter, context);
  const params = editedParameters({ ...definition, name: action }, change_params, change, fixed);
  const { metadata } = context;
  return prepare(dependencies, { domain, action, params, items: [], ...(metadata && { metadata }) });
}

function refuseUnlessOpen(
  record: LedgerRecord,
  { operation_id, edition }: ReplanInput,
  rows: readonly LedgerItem[],
  count: number,
): void {
  const { edition: now = 1 } = record;
  const isUntouched = rows.length === count && rows.every(({ state }) => state === 'planned');
  if (now !== edition || !isUntouched)
    throw new BatchgateError(
      'INTERNAL',
      `The ledger does not hold the rest of ${operation_id} as it is to be edited; nothing was changed.`,
      'Continue with what the question asks, or cancel.',
    );
  if (count === 0)
    throw new BatchgateError(
      'INVALID_INPUT',
      'Nothing is left to change: every item has an outcome.',
      'See the report for what was done.',
    );
}

/** Throws if planned data may depend on the old change and the adapter cannot read it again with `freezeItems`. */
function refuseUnreadable(adapter: BulkAdapter, rows: readonly LedgerItem[]): void {
  if (adapter.freezeItems || rows.every(({ raw_data }) => raw_data === undefined)) return;
  throw new BatchgateError(
    'INVALID_INPUT',
    `The adapter ${adapter.toolName} cannot read planned items anew, so their change cannot be edited.`,
    'Cancel, and start a new operation over the items that remain. Nothing was changed.',
  );
}

/** Throws if the new plan has other items than the old one. */
function refuseOthers(
  toolName: string,
  rows: readonly { id: string }[],
  frozen: readonly { id: string }[],
): void {
  const ids = new Set(rows.map(({ id }) => id));
  if (frozen.length === rows.length && frozen.every(({ id }) => ids.has(id))) return;
  throw ofAdapter(toolName, 'gave other items than those that were planned');
}

const notPlanned = (action: string, domain: string) =>
  new BatchgateError(
    'INVALID_INPUT',
    `The ledger does not say how ${action} on ${domain} was planned, so it cannot be edited.`,
    'Continue with what the question asks, or cancel.',
  );

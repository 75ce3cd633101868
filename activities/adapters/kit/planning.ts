import { BatchgateError } from '../../../src/contract/errors';
import type { BulkItem } from '../../../src/contract/items';
import { MAX_REASON_LENGTH } from '../../../src/contract/preview';
import { shortened } from '../../../src/contract/text';
import { mapConcurrently } from '../shared/actions';
import { malformed, ProviderFailure } from '../shared/failure';
import { keepingUndo, NOT_RECORDED } from '../shared/frozen-state';
import { displayName } from '../shared/names';
import { read } from './execute';
import { changeBetween, fitting, namedOf, restored, restoringOf, type Known } from './frozen';
import { actionOf, type Kit } from './kit';
import type { Prepared, State, Tool, ToolItem } from './types';

/** A name of an id. */
const MAX_NAME = 200;

/** The items that a search found, as the plan keeps them. */
export async function freezeFound(
  kit: Kit,
  prepared: Prepared,
  tool: Tool,
  found: readonly ToolItem[],
): Promise<BulkItem[]> {
  const names = await tool.names?.(found);
  return found.map((item) => freeze(kit, prepared, item, names));
}

/** Items that somebody named, or that an undo restores. */
export async function freezeNamed(
  kit: Kit,
  prepared: Prepared,
  tool: Tool,
  items: readonly BulkItem[],
): Promise<BulkItem[]> {
  const current = await mapConcurrently(items, kit.concurrency, (item) =>
    readNamed(kit, prepared, tool, item),
  );
  const names = await tool.names?.(current.filter((one) => typeof one !== 'string'));
  return items.map((item, at) => {
    const itemNow = current[at]!;
    const { id, display_name } = item;
    // A missing item stays in the plan as it was named, and fails by name.
    const frozen =
      typeof itemNow === 'string'
        ? { id, display_name, raw_data: fitting({ ...givenWith(kit, prepared, item), missing: itemNow }) }
        : freeze(kit, prepared, itemNow, names, item);
    return keepingUndo(frozen, item);
  });
}

/** The item, or why there is none. An undo may create it again. */
async function readNamed(
  kit: Kit,
  { action, undo }: Prepared,
  tool: Tool,
  item: BulkItem,
): Promise<ToolItem | string> {
  const { results } = kit;
  const { id, display_name: name } = item;
  try {
    const itemNow = await read(tool, item, undo);
    if (itemNow !== undefined && itemNow.state !== null) return itemNow;
    const mayBeMade = undo ? isDeletion(restoringOf(item)) : actionOf(kit, action).creates === true;
    return mayBeMade ? (itemNow ?? { id, name, state: null }) : results.notFound;
  } catch (error) {
    // The tool does not show it to us.
    if (!(error instanceof ProviderFailure) || error.retryable || error.refusesUs) throw error;
    return shortened(results.failed(id, error).error ?? results.notFound, MAX_REASON_LENGTH - 1);
  }
}

const isDeletion = (restoring: ReturnType<typeof restoringOf>): boolean =>
  restoring !== undefined && (restoring.left === null || restoring.was === null);

/** An item of the tool as the plan keeps it, with its target. `named`: what is known of it already. */
function freeze(
  kit: Kit,
  prepared: Prepared,
  current: ToolItem,
  names: Readonly<Record<string, string>> = {},
  named?: BulkItem,
): BulkItem {
  const { id, version } = current;
  const state = checkedState(kit, current.state);
  const known = {
    ...targetOf(kit, prepared, { ...current, state }, named),
    ...{ state, version, ...(named && givenWith(kit, prepared, named)) },
  };
  const text = JSON.stringify(known);
  const used = Object.entries(names)
    .filter(([one]) => text.includes(JSON.stringify(one)))
    .map(([one, name]) => [one, shortened(name, MAX_NAME)] as const);
  const display_name = displayName(current.name, named?.display_name || '(no name)');
  const raw_data = fitting({ ...known, ...(used.length > 0 && { names: Object.fromEntries<string>(used) }) });
  return { id, display_name, raw_data };
}

const givenWith = ({ keepsGiven }: Kit, { undo }: Prepared, item: BulkItem): Pick<Known, 'given'> =>
  keepsGiven ? { given: namedOf(item, undo).given } : {};

function checkedState({ state, provider }: Kit, value: State | null): State | null {
  if (value === null) return null;
  const parsed = state.safeParse(value);
  if (parsed.success) return parsed.data;
  throw malformed(provider);
}

function targetOf(
  kit: Kit,
  { action: name, change, undo }: Prepared,
  current: ToolItem,
  named: BulkItem | undefined,
): Pick<Known, 'to' | 'open' | 'refused' | 'restores'> {
  const { state } = current;
  if (undo) {
    const restoring = named && restoringOf(named);
    if (restoring === undefined) return { to: {}, refused: NOT_RECORDED };
    return { to: changeBetween(state, restored(state, restoring, kit.adjusts)) };
  }
  const action = actionOf(kit, name);
  if (state === null && !action.creates) return { to: {}, refused: kit.results.notFound };
  const refused = action.foresee?.(state as State, change, current);
  if (refused !== undefined) return { to: {}, refused };
  const restores = action.undo === false ? 'no' : action.restores?.(state as State, change, current);
  const target = action.to(state as State, change, current);
  if (target === undefined) return { to: {}, open: true, ...(restores && { restores }) };
  if (target !== null && !kit.state.safeParse(target).success) throw noState(kit.name, name);
  return { to: changeBetween(state, target), ...(restores && { restores }) };
}

const noState = (adapter: string, action: string) =>
  new BatchgateError(
    'INTERNAL',
    `The action ${action} of the adapter ${adapter} makes something else than a state of an item.`,
    'This is a defect of the adapter; tell its author.',
  );

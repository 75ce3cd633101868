import { BatchgateError } from '../../../src/contract/errors';
import type { BulkItem } from '../../../src/contract/items';
import { MAX_OTHER_NAMES, MAX_REASON_LENGTH } from '../../../src/contract/preview';
import { shortened } from '../../../src/contract/text';
import { mapConcurrently } from '../shared/actions';
import { malformed, ProviderFailure } from '../shared/failure';
import { keepingUndo, NOT_RECORDED } from '../shared/frozen-state';
import { displayName } from '../shared/names';
import { read } from './execute';
import { changeBetween, changed, fitting, namedOf, restored, restoringOf, type Known } from './frozen';
import { actionOf, type Kit } from './kit';
import type { Prepared, State, Tool, ToolItem } from './types';

/** The maximum length of the name of an id. */
const MAX_NAME = 200;
const NO_NAME = '(no name)';

/** Plans the items of a search. */
export async function freezeFound(
  kit: Kit,
  prepared: Prepared,
  tool: Tool,
  items: readonly ToolItem[],
): Promise<BulkItem[]> {
  const names = await tool.names?.(items);
  return items.map((item) => freeze(kit, prepared, item, { names }));
}

/** Plans items that the caller named, or that an undo restores. */
export async function freezeNamed(
  kit: Kit,
  prepared: Prepared,
  tool: Tool,
  items: readonly BulkItem[],
): Promise<BulkItem[]> {
  const current = await mapConcurrently(items, kit.concurrency, (item) =>
    readNamed(kit, prepared, tool, item),
  );
  const readable = current.filter((entry) => typeof entry !== 'string');
  const completeItems = [...((await tool.complete?.(readable)) ?? readable)];
  const names = await tool.names?.(completeItems);
  const others = prepared.undo ? new Map<string, string[]>() : otherNames(items, current);
  return items
    .map((named, at) => {
      const itemNow = current[at]!;
      const { id, display_name } = named;
      // A missing item stays in the plan as it was named, and fails by name.
      if (typeof itemNow === 'string') {
        const raw_data = fitting({ ...givenWith(kit, prepared, named), missing: itemNow });
        return { rank: 0, item: keepingUndo({ id, display_name, raw_data }, named) };
      }
      const complete = completeItems.shift() ?? itemNow;
      const frozen = freeze(kit, prepared, complete, { names, named, others: others.get(complete.id) });
      return { rank: complete.rank ?? 0, item: keepingUndo(frozen, named) };
    })
    .sort((left, right) => right.rank - left.rank)
    .map(({ item }) => item);
}

/** A longer name is not listed. */
const MAX_OTHER_NAME = 60;

/** By id: the other names by which the request named an item. */
function otherNames(
  items: readonly BulkItem[],
  current: readonly (ToolItem | string)[],
): Map<string, string[]> {
  const names = new Map<string, string[]>();
  items.forEach(({ id: name }, at) => {
    const itemNow = current[at];
    if (typeof itemNow !== 'object' || itemNow.id === name || name.length > MAX_OTHER_NAME) return;
    names.set(itemNow.id, [...(names.get(itemNow.id) ?? []), name].slice(0, MAX_OTHER_NAMES));
  });
  return names;
}

/** Returns the item, or the reason that there is none. An undo can create it again. */
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
    // The tool refuses access to this item.
    if (!(error instanceof ProviderFailure) || error.retryable || error.refusesUs) throw error;
    return shortened(results.failed(id, error).error ?? results.notFound, MAX_REASON_LENGTH - 1);
  }
}

const isDeletion = (restoring: ReturnType<typeof restoringOf>): boolean =>
  restoring !== undefined && (restoring.left === null || restoring.was === null);

/** Data of an item from other sources than the tool. */
interface Beside {
  readonly names?: Readonly<Record<string, string>> | undefined;
  /** The item as the caller named it. */
  readonly named?: BulkItem;
  readonly others?: readonly string[] | undefined;
}

/** Plans an item of the tool, with its target. */
function freeze(
  kit: Kit,
  prepared: Prepared,
  current: ToolItem,
  { names = {}, named, others }: Beside,
): BulkItem {
  const { id, version, unkept } = current;
  const state = checkedState(kit, current.state);
  const known = {
    ...targetOf(kit, prepared, { ...current, state }, named),
    ...{ state, version, unkept, ...(named && givenWith(kit, prepared, named, current.given)) },
    ...(others && { named: [...others] }),
  };
  const text = JSON.stringify(known);
  const usedNames = Object.entries(names)
    .filter(([key]) => text.includes(JSON.stringify(key)))
    .map(([key, name]) => [key, shortened(name, MAX_NAME)] as const);
  const display_name = displayName(current.name, named?.display_name || NO_NAME);
  const data = { ...known, ...(usedNames.length > 0 && { names: Object.fromEntries<string>(usedNames) }) };
  return { id, display_name, raw_data: fitting(data, kit.compare.hash) };
}

function givenWith(
  { keepsGiven = [] }: Kit,
  { action, undo }: Prepared,
  item: BulkItem,
  readOnce?: Known['given'],
): Pick<Known, 'given' | 'given_name'> {
  if (keepsGiven !== true && !keepsGiven.includes(action)) return {};
  const { given, name } = namedOf(item, undo);
  return { given: readOnce ?? given, ...(name !== displayName(name, NO_NAME) && { given_name: name }) };
}

function checkedState({ state, provider }: Kit, value: State | null): State | null {
  if (value === null) return null;
  const parsed = state.safeParse(value);
  if (parsed.success) return parsed.data;
  throw malformed(provider);
}

/** Returns the target of an item, with the expected result of its write. */
function targetOf(
  kit: Kit,
  prepared: Prepared,
  current: ToolItem,
  named: BulkItem | undefined,
): Target & Pick<Known, 'expected'> {
  const target = plainTarget(kit, prepared, current, named);
  if (!kit.outlook || target.refused !== undefined) return target;
  const { expected_error, reversible } = kit.outlook(current, changed(current.state, target.to), prepared);
  return {
    ...target,
    ...(expected_error !== undefined && { expected: shortened(expected_error, MAX_REASON_LENGTH - 1) }),
    ...(reversible !== undefined && reversible !== 'yes' && { restores: reversible }),
  };
}

type Target = Pick<Known, 'to' | 'open' | 'completed' | 'refused' | 'restores'>;

function plainTarget(
  kit: Kit,
  { action: name, change, undo }: Prepared,
  current: ToolItem,
  named: BulkItem | undefined,
): Target {
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
  const completed = state === null && action.completes === true;
  return {
    to: changeBetween(state, target),
    ...(completed && { completed }),
    ...(restores && { restores }),
  };
}

const noState = (adapter: string, action: string) =>
  new BatchgateError(
    'INTERNAL',
    `The action ${action} of the adapter ${adapter} makes something else than a state of an item.`,
    'This is a defect of the adapter; tell its author.',
  );

import type {
  BatchCall,
  BulkAdapter,
  CallLimits,
  PrepareRequest,
  Reconciliation,
} from '../../../src/contract/adapter';
import type { Change } from '../../../src/contract/change';
import { BatchgateError } from '../../../src/contract/errors';
import type { BulkItem, BulkResult, PreparedBulkContext } from '../../../src/contract/items';
import { valueText, withItems, wordsOfAction } from '../../../src/core/bulk/change';
import { capitalized } from '../../../src/core/shared/plain-text';
import { parseAction } from '../shared/actions';
import { executeItems, read } from './execute';
import { knownOf, missingOf, type Known } from './frozen';
import { actionOf, kitOf, preparedOf, queryOf, type Kit } from './kit';
import { freezeFound, freezeNamed } from './planning';
import { previewOf, wordsFor } from './preview';
import type { AdapterDefinition, Prepared, Tool, ToolItem } from './types';

const LOOKUP = 'Failed to look up the names';
/** The number of ids in one call of `ahead`. */
const AHEAD = 100;

/**
 * Creates an adapter from a definition of its tool: the state of an item, the functions that list, read and write it,
 * and the state that each action leads to. The target of an item is computed once, when the item is planned, and a
 * person confirms it. The adapter derives everything else from the state: previews, items that need no change, drift,
 * success (only if the item has the target state afterwards), unknown outcomes, undo and conflicts.
 */
export function defineAdapter<
  S extends Readonly<Record<string, unknown>>,
  Q,
  C,
  T extends Tool<S, Q> = Tool<S, Q>,
>(definition: AdapterDefinition<S, Q, C, T>): BulkAdapter {
  const kit = kitOf(definition);
  const { name, noun, results, concurrency, place, evaluatedParams, pageSize } = kit;
  const openTool: OpenTool = async (context, call) => {
    const prepared = preparedOf(kit, context);
    return { prepared, tool: await kit.connect(call, prepared) };
  };
  const actions = actionsOf(kit.actions);
  return {
    toolName: name,
    itemNoun: noun,
    actions,
    sliceSize: concurrency,
    ...(pageSize !== undefined && { planPageSize: pageSize }),
    ...(place && { place }),
    ...(evaluatedParams && { evaluatedParams }),
    prepare: (request, limits) => prepare(kit, actions, request, limits),
    describeChange: (context) => describe(kit, preparedOf(kit, context)),
    describeItems: (items, context) => scopeOf(kit, items, preparedOf(kit, context)),
    previewItem(item, context) {
      return previewOf(kit, preparedOf(kit, context), item);
    },
    async getTotalCount(context, limits) {
      const query = queryOf(kit, context);
      return results.explained(`Failed to count ${noun.many}`, async () => {
        const { tool } = await openTool(context, limits);
        return tool.count ? tool.count(query) : (await searched(kit, tool, query, Infinity)).length;
      });
    },
    async getNextBatch(context, batchSize, offset, limits) {
      const query = queryOf(kit, context);
      return results.explained(`Failed to fetch ${noun.many}`, async () => {
        const { tool, prepared } = await openTool(context, limits);
        return pageOf(kit, { tool, prepared, query }, offset, offset + batchSize);
      });
    },
    freezeItems: (items, context, limits) =>
      results.explained(`Failed to fetch ${noun.many}`, async () => {
        const { tool, prepared } = await openTool(context, limits);
        return freezeNamed(kit, prepared, tool, items);
      }),
    ...lookupsOf(kit, openTool),
    executeBatch: (items, context, call) => execute(kit, items, context, call),
    reconcile: async (item, context, call) =>
      isSent(item)
        ? results.reconcile(async () => outcomeOf(kit, item, await openTool(context, call)))
        : 'not_applied',
  };
}

type OpenTool = (
  context: PreparedBulkContext,
  call: CallLimits | BatchCall,
) => Promise<{ prepared: Prepared; tool: Tool }>;

/** The methods that look names up, if the definition has them. */
const lookupsOf = (kit: Kit, openTool: OpenTool): Pick<BulkAdapter, 'resolvedParams' | 'suggest'> => {
  const { results, resolvedParams, suggest } = kit;
  return {
    ...(resolvedParams && {
      resolvedParams: (context, items, limits) =>
        results.explained(LOOKUP, async () => {
          const { tool, prepared } = await openTool(context, limits);
          return resolvedParams(prepared, tool, items);
        }),
    }),
    ...(suggest && {
      suggest: (request, limits) =>
        results.explained(LOOKUP, async () => suggest(request, await kit.connect(limits))),
    }),
  };
};

/** Adds `undo` to every action whose definition does not exclude it. */
const actionsOf = (definitions: Kit['actions']): BulkAdapter['actions'] =>
  Object.fromEntries(
    Object.entries(definitions).map(([action, { undo, ...definition }]) => [
      action,
      undo === false ? definition : { ...definition, undo: true as const },
    ]),
  );

const isSent = (item: BulkItem): boolean =>
  missingOf(item) === undefined && knownOf(item.raw_data)?.refused === undefined;

/** Returns the outcome of an item: as the tool recorded it, or else from the current state. */
async function outcomeOf(
  kit: Kit,
  item: BulkItem,
  { tool, prepared }: { tool: Tool; prepared: Prepared },
): Promise<Reconciliation> {
  const recorded = await tool.outcome?.(item.id);
  if (recorded !== undefined) return recorded;
  const frozen = knownOf(item.raw_data);
  const now = (await read(tool, item, prepared.undo))?.state ?? null;
  if (frozen && kit.compare.isDone(frozen, now)) return 'applied';
  return now === null || (frozen && kit.compare.isAsPlanned(frozen, now)) ? 'not_applied' : 'unknown';
}

const isItem = (entry: ToolItem | string): entry is ToolItem => typeof entry !== 'string';

/** Returns the items of a search from position `from` to position `to`. */
async function pageOf(
  kit: Kit,
  { tool, prepared, query }: { tool: Tool; prepared: Prepared; query: unknown },
  from: number,
  to: number,
): Promise<BulkItem[]> {
  const page = (await searched(kit, tool, query, to)).slice(from, to);
  if (page.every(isItem)) return freezeFound(kit, prepared, tool, page);
  // An item that was deleted in the meantime stays in the page, so that the counts agree.
  const display_name = `(deleted ${kit.noun.one})`;
  const bulkItems = page.map((entry) => ({ id: isItem(entry) ? entry.id : entry, display_name }));
  for (let at = 0; tool.ahead && at < bulkItems.length; at += AHEAD)
    await tool.ahead(bulkItems.slice(at, at + AHEAD).map(({ id }) => id));
  return freezeNamed(kit, prepared, tool, bulkItems);
}

/** @throws BatchgateError `INVALID_INPUT` if the tool cannot list its items. */
function searched(
  { name, noun }: Kit,
  tool: Tool,
  query: unknown,
  limit: number,
): Promise<(ToolItem | string)[]> {
  if (tool.list) return tool.list(query, limit);
  throw new BatchgateError(
    'INVALID_INPUT',
    `The ${name} adapter cannot search for ${noun.many}.`,
    'Send items: on the command line by --items FILE.csv or FILE.jsonl.',
  );
}

async function prepare(
  kit: Kit,
  actions: BulkAdapter['actions'],
  request: PrepareRequest,
  limits: CallLimits,
): Promise<PreparedBulkContext> {
  const { action, explicit_items } = request;
  const { query, change } = parseAction(kit.name, actions, request);
  const unresolved = { action, explicit_items, query, change };
  const resolve = actionOf(kit, action).resolve ?? kit.resolve;
  const resolved = resolve
    ? await kit.results.explained(LOOKUP, async () => resolve(unresolved, await kit.connect(limits)))
    : unresolved;
  return {
    tool_name: kit.name,
    action,
    query_params: explicit_items ? {} : { ...(resolved.query as object) },
    action_params: { ...(resolved.change as object) },
  };
}

function describe(kit: Kit, prepared: Prepared): Change {
  const { undo, ...action } = actionOf(kit, prepared.action);
  const phrase = withItems(wordsOfAction(prepared.action, action), `each ${kit.noun.one}`);
  return {
    summary: action.summary?.(prepared) ?? `${capitalized(phrase)}.`,
    fields: action.values?.(prepared) ?? valuesOf(prepared.change),
    ...(undo === false ? { reversible: 'no' } : (action.reversible?.(prepared) ?? { reversible: 'yes' })),
  };
}

/** Describes the items that the change alters. An undo has no description. */
function scopeOf(
  kit: Kit,
  items: readonly BulkItem[],
  { action, change, undo }: Prepared,
): string | undefined {
  const plans = undo ? [] : items.flatMap(({ raw_data }) => knownOf(raw_data) ?? []);
  const plansToRun = plans.filter(
    (known) => !kit.compare.isAlready(known) && (known.refused ?? known.expected) === undefined,
  );
  const states = plansToRun.flatMap(({ state }) => (state ? [state] : []));
  return actionOf(kit, action).scope?.(states, change);
}

const valuesOf = (change: unknown): Change['fields'] =>
  Object.entries(change as object).flatMap(([name, value]) => {
    const label = (value as { name?: unknown } | null | undefined)?.name;
    if (value === undefined) return [];
    return [{ name, to: typeof label === 'string' ? label : valueText(value) }];
  });

async function execute(
  kit: Kit,
  items: readonly BulkItem[],
  context: PreparedBulkContext,
  call: BatchCall,
): Promise<BulkResult[]> {
  if (items.length === 0) return [];
  const prepared = preparedOf(kit, context);
  const tool = await kit.connect(call, prepared);
  const batch = {
    ...{ kit, tool, call, undo: prepared.undo },
    conditional: actionOf(kit, context.action).unconditional !== true,
    words: ({ names }: Known) => wordsFor(kit, prepared, names),
    freeze: async (item: BulkItem) => (await freezeNamed(kit, prepared, tool, [item]))[0] ?? item,
  };
  return executeItems(batch, items);
}

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
/** How many ids of a list a tool is told of at once. */
const AHEAD = 100;

/**
 * An adapter from what is particular to its tool: the state of an item, how to list, read and write it, and what each
 * action makes of it. The target of an item is computed once, when the item is planned, and is part of what a person
 * confirms. Everything else follows from the state: previews, what is already so, drift, success (only if the tool
 * shows the target afterwards), unknown outcomes, undo and conflicts.
 */
export function defineAdapter<
  S extends Readonly<Record<string, unknown>>,
  Q,
  C,
  T extends Tool<S, Q> = Tool<S, Q>,
>(definition: AdapterDefinition<S, Q, C, T>): BulkAdapter {
  const kit = kitOf(definition);
  const { name, noun, results, concurrency, suggest, place, evaluatedParams, pageSize } = kit;
  const opened = async (context: PreparedBulkContext, call: CallLimits | BatchCall) => {
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
        const { tool } = await opened(context, limits);
        return tool.count ? tool.count(query) : (await searched(kit, tool, query, Infinity)).length;
      });
    },
    async getNextBatch(context, batchSize, offset, limits) {
      const query = queryOf(kit, context);
      return results.explained(`Failed to fetch ${noun.many}`, async () => {
        const { tool, prepared } = await opened(context, limits);
        return pageOf(kit, { tool, prepared, query }, offset, offset + batchSize);
      });
    },
    freezeItems: (items, context, limits) =>
      results.explained(`Failed to fetch ${noun.many}`, async () => {
        const { tool, prepared } = await opened(context, limits);
        return freezeNamed(kit, prepared, tool, items);
      }),
    ...(suggest && {
      suggest: (request, limits) =>
        results.explained(LOOKUP, async () => suggest(request, await kit.connect(limits))),
    }),
    executeBatch: (items, context, call) => execute(kit, items, context, call),
    reconcile: async (item, context, call) =>
      isSent(item)
        ? results.reconcile(async () => found(kit, item, await opened(context, call)))
        : 'not_applied',
  };
}

/** Every action can be undone unless its definition denies it. */
const actionsOf = (defined: Kit['actions']): BulkAdapter['actions'] =>
  Object.fromEntries(
    Object.entries(defined).map(([action, { undo, ...described }]) => [
      action,
      undo === false ? described : { ...described, undo: true as const },
    ]),
  );

const isSent = (item: BulkItem): boolean =>
  missingOf(item) === undefined && knownOf(item.raw_data)?.refused === undefined;

/** The outcome of an item, from the state that the tool shows now. */
async function found(
  kit: Kit,
  item: BulkItem,
  { tool, prepared }: { tool: Tool; prepared: Prepared },
): Promise<Reconciliation> {
  const recorded = await tool.outcome?.(item.id);
  if (recorded !== undefined) return recorded;
  const known = knownOf(item.raw_data);
  const now = (await read(tool, item, prepared.undo))?.state ?? null;
  if (known && kit.compare.isDone(known, now)) return 'applied';
  return now === null || (known && kit.compare.isAsPlanned(known, now)) ? 'not_applied' : 'unknown';
}

const isItem = (one: ToolItem | string): one is ToolItem => typeof one !== 'string';

/** The items of a search from one place up to another. */
async function pageOf(
  kit: Kit,
  { tool, prepared, query }: { tool: Tool; prepared: Prepared; query: unknown },
  from: number,
  to: number,
): Promise<BulkItem[]> {
  const page = (await searched(kit, tool, query, to)).slice(from, to);
  if (page.every(isItem)) return freezeFound(kit, prepared, tool, page);
  // One that was deleted meanwhile stays, so that the counts agree.
  const display_name = `(deleted ${kit.noun.one})`;
  const named = page.map((one) => ({ id: isItem(one) ? one.id : one, display_name }));
  for (let at = 0; tool.ahead && at < named.length; at += AHEAD)
    await tool.ahead(named.slice(at, at + AHEAD).map(({ id }) => id));
  return freezeNamed(kit, prepared, tool, named);
}

/** @throws BatchgateError `INVALID_INPUT` if the tool cannot list its items. */
function searched(
  { name, noun }: Kit,
  tool: Tool,
  query: unknown,
  wanted: number,
): Promise<(ToolItem | string)[]> {
  if (tool.list) return tool.list(query, wanted);
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
  const asked = { action, explicit_items, query, change };
  const resolve = actionOf(kit, action).resolve ?? kit.resolve;
  const resolved = resolve
    ? await kit.results.explained(LOOKUP, async () => resolve(asked, await kit.connect(limits)))
    : asked;
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

/** The description of the items that the change alters; an undo has none. */
function scopeOf(
  kit: Kit,
  items: readonly BulkItem[],
  { action, change, undo }: Prepared,
): string | undefined {
  const known = undo ? [] : items.flatMap(({ raw_data }) => knownOf(raw_data) ?? []);
  const altered = known.filter(
    (one) => !kit.compare.isAlready(one) && (one.refused ?? one.expected) === undefined,
  );
  const states = altered.flatMap(({ state }) => (state ? [state] : []));
  return actionOf(kit, action).scope?.(states, change);
}

const valuesOf = (change: unknown): Change['fields'] =>
  Object.entries(change as object).flatMap(([name, value]) => {
    const named = (value as { name?: unknown } | null | undefined)?.name;
    if (value === undefined) return [];
    return [{ name, to: typeof named === 'string' ? named : valueText(value) }];
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

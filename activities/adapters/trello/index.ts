import type { BulkAdapter, CallLimits, PrepareRequest } from '../../../src/contract/adapter';
import type { BulkItem, PreparedBulkContext } from '../../../src/contract/items';
import type { TrelloCredentials } from './protocol';
import { mapConcurrently, parseAction } from '../shared/actions';
import { createAllowance, type Allowance } from '../shared/allowance';
import { ProviderFailure } from '../shared/failure';
import { MAX_REASON_LENGTH } from '../../../src/contract/preview';
import { shortened } from '../../../src/contract/text';
import { keepingUndo } from '../shared/frozen-state';
import { matches, searchOf, shows, type Card, type CardSearch } from './cards';
import { PAGE_SIZE, trelloClient, type TrelloClient } from './client';
import { describeTrelloChange } from './describe';
import { results } from './errors';
import { executeChange } from './execute';
import { changeFor, frozenItem, previewCard } from './frozen';
import { namesOf, resolveBoard, suggestedNames } from './names';
import { isId, TRELLO_ACTIONS } from './parameters';

interface TrelloOptions {
  /** Trello, or another server with its API. */
  readonly baseUrl: string;
  /** Called at the beginning of every call. @throws BatchgateError if there are none. */
  readonly credentials: () => Promise<TrelloCredentials>;
  /** Default: the limit that Trello publishes for a token, for this adapter alone. */
  readonly allowance?: Allowance;
  /** Cards that are changed concurrently. */
  readonly concurrency?: number;
}

/**
 * Of 100 requests in 10 seconds for each token; the rest is for other programs with this token
 * (https://developer.atlassian.com/cloud/trello/guides/rest-api/rate-limits/).
 */
const LIMIT = { perInterval: 40, intervalMs: 10_000, burst: 60 };

/** Trello as a bulk adapter: archive, unarchive, move, add_label, remove_label, set_due, assign. */
export function createTrelloAdapter(options: TrelloOptions): BulkAdapter {
  const { baseUrl, allowance = createAllowance(LIMIT), concurrency = 5 } = options;
  const open = async (limits: CallLimits) =>
    trelloClient({ baseUrl, allowance, credentials: await options.credentials() }, limits);
  return {
    toolName: 'trello',
    itemNoun: { one: 'card', many: 'cards' },
    actions: TRELLO_ACTIONS,
    planPageSize: PAGE_SIZE,
    sliceSize: concurrency,
    describeChange: describeTrelloChange,
    previewItem: previewCard,
    place: () => baseUrl,

    async prepare(request, limits) {
      const { query, change } = parseAction('trello', TRELLO_ACTIONS, request);
      return results.explained('Failed to look up the names', async () =>
        prepareContext(await open(limits), request, query as NamedParams, change as NamedParams),
      );
    },

    async getTotalCount(context, limits) {
      const search = searchOf(context);
      return results.explained('Failed to count cards', async () => {
        let count = 0;
        for await (const page of pagesOf(await open(limits), context, search)) count += page.length;
        return count;
      });
    },

    async getNextBatch(context, batchSize, offset, limits) {
      const search = searchOf(context);
      return results.explained('Failed to fetch cards', async () => {
        const found: Card[] = [];
        const client = await open(limits);
        for await (const page of pagesOf(client, context, search)) {
          found.push(...page);
          if (found.length >= offset + batchSize) break;
        }
        const lists = await listNames(client, context, new Set([search.board_id]));
        return found.slice(offset, offset + batchSize).map((card) => frozenItem(card, context, lists));
      });
    },

    async freezeItems(items, context, limits) {
      return results.explained('Failed to fetch cards', async () =>
        freezeAll(await open(limits), items, context, concurrency),
      );
    },

    suggest: ({ parameter, params }, limits) =>
      results.explained('Failed to look up the names', async () =>
        suggestedNames(await open(limits), parameter, params['board']),
      ),

    async executeBatch(items, context, call) {
      return executeChange(await open(call), items, context, { concurrency, call });
    },

    async reconcile(item, context, call) {
      const change = changeFor(item, context);
      if (change === undefined) return 'unknown';
      return results.reconcile(async () => shows(await (await open(call)).card(item.id), change));
    },
  };
}

/** The parameters that contain names, as parsed. */
type NamedParams = Partial<
  Record<'board' | 'list' | 'label' | 'text' | 'target_list' | 'label_name' | 'member', string>
> & { due?: string | null };

async function prepareContext(
  client: TrelloClient,
  request: PrepareRequest,
  query: NamedParams,
  change: NamedParams,
): Promise<PreparedBulkContext> {
  const target = change.target_list ?? change.label_name ?? change.member;
  const board = query.board ?? change.board;
  const boardMatters = !request.explicit_items || (target !== undefined && !isId(target));
  const onBoard = board !== undefined && boardMatters ? await resolveBoard(client, board) : undefined;
  const names = namesOf(client, onBoard);
  const list = query.list === undefined ? undefined : await names.anyList(query.list);
  const label = query.label === undefined ? undefined : await names.label(query.label);
  const search = {
    board_id: onBoard?.id,
    board_name: onBoard?.name,
    list_id: list?.id,
    list_name: list?.name,
    label_id: label?.id,
    label_name: label?.name,
    text: query.text,
  };
  return {
    tool_name: 'trello',
    action: request.action,
    query_params: request.explicit_items ? {} : search,
    action_params: await prepareChange(names, change),
  };
}

async function prepareChange(
  names: ReturnType<typeof namesOf>,
  { target_list, label_name, member, due }: NamedParams,
): Promise<PreparedBulkContext['action_params']> {
  if (target_list !== undefined) return { ...(await names.openList(target_list)) };
  if (label_name !== undefined) return { ...(await names.label(label_name)) };
  if (member !== undefined) return { ...(await names.member(member)) };
  if (due === undefined) return {};
  // In Trello's own format, so that it can be compared.
  return { due: due === null ? null : new Date(due).toISOString() };
}

/** The matching cards in pages, newest first: archived cards for `unarchive`, open ones for every other action. */
async function* pagesOf(
  client: TrelloClient,
  { action }: PreparedBulkContext,
  search: CardSearch,
): AsyncGenerator<Card[]> {
  const filter = action === 'unarchive' ? 'closed' : 'open';
  for await (const page of client.cards(search.board_id, filter, search.text !== undefined)) {
    yield page.filter((card) => matches(card, search));
  }
}

async function freezeAll(
  client: TrelloClient,
  items: readonly BulkItem[],
  context: PreparedBulkContext,
  concurrency: number,
): Promise<BulkItem[]> {
  const cards = await mapConcurrently(items, concurrency, ({ id }) => read(client, id));
  const boards = new Set(cards.flatMap((card) => (typeof card === 'string' ? [] : (card.idBoard ?? []))));
  const lists = await listNames(client, context, boards);
  return items.map((item, at) => {
    const card = cards[at]!;
    const frozen =
      typeof card === 'string'
        ? { id: item.id, display_name: item.display_name, raw_data: { missing: card } }
        : { ...frozenItem(card, context, lists), id: item.id };
    return keepingUndo(frozen, item);
  });
}

/** The card, or why there is none: then its item stays in the plan as named, and fails when it is executed. */
async function read(client: TrelloClient, id: string): Promise<Card | string> {
  try {
    return await client.card(id);
  } catch (error) {
    if (error instanceof ProviderFailure && !error.retryable && !error.refusesUs)
      return shortened(results.failed(id, error).error ?? '', MAX_REASON_LENGTH - 1);
    throw error;
  }
}

/** The lists of boards by id, if the change moves cards. */
async function listNames(
  client: TrelloClient,
  { action }: PreparedBulkContext,
  boards: ReadonlySet<string>,
): Promise<Map<string, string>> {
  const lists = action === 'move' ? await Promise.all([...boards].map((board) => client.lists(board))) : [];
  return new Map(lists.flat().map(({ id, name }) => [id, name]));
}

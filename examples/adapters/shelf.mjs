// An adapter for a library's API (shelf-library.mjs): moves books to another shelf, or withdraws them.
import {
  BatchgateError,
  callError,
  changedSincePreview,
  difference,
  failedResult,
  failureOf,
  keepingUndo,
  mapConcurrently,
  parseAction,
  ProviderFailure,
  providerText,
  quoted,
  sendRequest,
  undoOf,
  unlimited,
} from 'batchgate';
import { z } from 'zod';

const CONCURRENCY = 5;

const query = z.strictObject({
  shelf: z.string().min(1).describe('The shelf whose books it is about'),
});
const actions = {
  move: {
    description: 'Move books to another shelf',
    undo: true,
    query,
    change: z.strictObject({ target_shelf: z.string().min(1).describe('The shelf to move them to') }),
  },
  withdraw: {
    description: 'Take books out of the catalogue',
    phrase: 'take {items} out of the catalogue',
    query,
    change: z.strictObject({}),
  },
};

const shelfList = z.array(z.object({ id: z.string(), name: z.string() }));
const bookShape = z.object({
  id: z.string(),
  title: z.string(),
  shelf: z.string(),
  withdrawn: z.boolean(),
  version: z.number(),
});
const bookPage = z.object({ books: z.array(bookShape), more: z.boolean() });

/** @param {{ url: string, key: string }} options */
export function createShelfAdapter({ url, key }) {
  /** Sends one request and reads its answer through a schema. Throws ProviderFailure. */
  async function ask(schema, limits, path, { method = 'GET', headers = {}, body } = {}) {
    const answer = await sendRequest(
      'The library',
      {
        method,
        url: new URL(path, url),
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
        ...(body && { body: JSON.stringify(body) }),
      },
      unlimited,
      limits,
    );
    if (answer.status !== 200) throw refusal(answer);
    const read = schema.safeParse(json(answer.text));
    if (read.success) return read.data;
    throw new ProviderFailure('malformed', "The library's answer could not be read");
  }

  function refusal({ status, text }) {
    const told = providerText(json(text)?.message, [key]);
    const kind = status === 401 ? 'credentials' : 'refused';
    return new ProviderFailure(kind, `The library answered ${status}: ${told}`, { status });
  }

  async function search({ shelf_id }, wanted, limits) {
    const found = [];
    for (let more = true; more && found.length < wanted;) {
      const after = found.at(-1)?.id ?? '';
      const limit = Math.min(50, wanted - found.length);
      const page = await ask(bookPage, limits, `/books?shelf=${shelf_id}&after=${after}&limit=${limit}`);
      found.push(...page.books);
      more = page.more;
    }
    return found;
  }

  async function changeOne(item, context, limits) {
    const change = changeFor(item, context);
    const { version } = item.raw_data ?? {};
    const path = `/books/${item.id}`;
    try {
      const request = { method: 'PATCH', headers: { 'if-match': String(version) }, body: change };
      const book = await ask(bookShape, limits, path, request);
      return isApplied(book, change)
        ? { item_id: item.id, success: true }
        : { item_id: item.id, success: false, error: 'The book is as it was', retryable: true };
    } catch (error) {
      const failure = failureOf(error);
      if (failure.status !== 412) return failedResult(item.id, failure, 'Book not found');
      const now = await ask(bookShape, limits, path).catch(() => undefined);
      if (now && isApplied(now, change)) return { item_id: item.id, success: true };
      const what = now && item.raw_data && difference(stateOf(item.raw_data, context), stateOf(now, context));
      return changedSincePreview(item.id, what);
    }
  }

  return {
    toolName: 'shelf',
    itemNoun: { one: 'book', many: 'books' },
    actions,
    planPageSize: 50,
    sliceSize: CONCURRENCY,

    async prepare(request, limits) {
      const { query: found, change } = parseAction('shelf', actions, request);
      return explained('Failed to read the shelves', async () => {
        const shelves = await ask(shelfList, limits, '/shelves');
        return {
          tool_name: 'shelf',
          action: request.action,
          query_params:
            found.shelf === undefined
              ? {}
              : { shelf_id: idOf(shelves, found.shelf), shelf_name: found.shelf },
          action_params:
            change.target_shelf === undefined
              ? {}
              : { target_id: idOf(shelves, change.target_shelf), target_name: change.target_shelf },
        };
      });
    },

    describeChange({ action, query_params: { shelf_name }, action_params: { target_name } }) {
      const books = shelf_name === undefined ? 'each book' : `each book of the shelf ${quoted(shelf_name)}`;
      return action === 'move'
        ? {
            summary: `Move ${books} to the shelf ${quoted(target_name)}.`,
            fields: [{ name: 'shelf', from: shelf_name, to: target_name }],
            reversible: 'yes',
          }
        : { summary: `Take ${books} out of the catalogue.`, fields: [], reversible: 'no' };
    },

    previewItem(item, context) {
      const now = item.raw_data;
      if (now?.shelf === undefined) return { expected_error: 'Book not found' };
      const change = changeFor(item, context);
      const before = stateOf(now, context);
      if (isApplied(now, change)) return { before, after: before, already: true };
      const after = stateOf({ ...now, ...change }, context);
      const undo = undoOf(item, context);
      const left = undo && (undo.left ?? { ...undo.to, ...changeOf(context) });
      const conflict = left && difference(stateOf(left, context), before);
      return { before, after, ...(conflict && { conflict }) };
    },

    getTotalCount: (context, limits) =>
      explained(
        'Failed to count books',
        async () => (await search(context.query_params, Infinity, limits)).length,
      ),

    getNextBatch: (context, batchSize, offset, limits) =>
      explained('Failed to fetch books', async () =>
        (await search(context.query_params, offset + batchSize, limits)).slice(offset).map(itemOf),
      ),

    freezeItems: (items, _context, limits) =>
      explained('Failed to fetch books', () =>
        mapConcurrently(items, CONCURRENCY, async (item) => {
          try {
            return keepingUndo(itemOf(await ask(bookShape, limits, `/books/${item.id}`)), item);
          } catch (error) {
            if (error.status === 404) return item;
            throw error;
          }
        }),
      ),

    executeBatch: (items, context, call) =>
      mapConcurrently(items, CONCURRENCY, (item) => changeOne(item, context, call)),

    async reconcile(item, context, call) {
      try {
        const book = await ask(bookShape, call, `/books/${item.id}`);
        return isApplied(book, changeFor(item, context)) ? 'applied' : 'not_applied';
      } catch (error) {
        if (error.status === 404) return 'not_applied';
        throw explain(error, 'Failed to read the book back');
      }
    },
  };
}

const changeOf = ({ action, action_params }) =>
  action === 'move' ? { shelf: action_params.target_id } : { withdrawn: true };

/** What to set on one book: the change, or in an undo what was there before it. */
function changeFor(item, context) {
  const undo = undoOf(item, context);
  return undo ? { shelf: undo.to.shelf } : changeOf(context);
}

const isApplied = (book, change) => Object.entries(change).every(([field, value]) => book[field] === value);

/** What the action can alter on a book, as people read it. */
function stateOf({ shelf, withdrawn }, { action, query_params, action_params }) {
  const names = {
    [query_params.shelf_id]: query_params.shelf_name,
    [action_params.target_id]: action_params.target_name,
  };
  return action === 'move' ? { shelf: names[shelf] ?? shelf } : { withdrawn: withdrawn ? 'yes' : 'no' };
}

const itemOf = ({ id, title, shelf, withdrawn, version }) => ({
  id,
  display_name: title,
  raw_data: { shelf, withdrawn, version },
});

function idOf(shelves, name) {
  const found = shelves.find((shelf) => shelf.name.toLowerCase() === name.toLowerCase());
  if (found) return found.id;
  const names = shelves.map((shelf) => shelf.name).join(', ');
  throw new BatchgateError('INVALID_INPUT', `Shelf '${name}' not found`, `The shelves are: ${names}.`);
}

function json(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function explained(what, work) {
  try {
    return await work();
  } catch (error) {
    throw explain(error, what);
  }
}

const explain = (error, what) =>
  callError(error, what, {
    signIn: 'Check the key in SHELF_KEY.',
    grant: 'Ask the library for a key that may change books.',
    tryLater: 'Check SHELF_URL and whether the library is open.',
  });

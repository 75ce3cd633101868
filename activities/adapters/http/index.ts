import type { BulkAdapter } from '../../../src/contract/adapter';
import { BatchgateError } from '../../../src/contract/errors';
import type { PreparedBulkContext } from '../../../src/contract/items';
import { parseAction } from '../shared/actions';
import { sentAddress } from './address';
import { openChannel, type HttpOptions } from './channel';
import { describeRequest } from './describe';
import { changeOf, HTTP_ACTIONS, inheritedHeaders, undoRequest, type RequestChange } from './parameters';
import { plainRequests } from './plain';
import { readingRequests } from './reading';
import { createConnections } from './send';

/**
 * Sends one HTTP request for each item, to the hosts that the operator allows. With `read`, an item has a state, as in
 * every other tool. Without it, an item cannot be read back: a write without an answer is in doubt, and a person
 * decides whether to send it again.
 */
export function createHttpAdapter(options: HttpOptions): BulkAdapter {
  const http = { ...options, connections: createConnections() };
  const [plain, reading] = [plainRequests(http), readingRequests(http)];
  const kind = (context: PreparedBulkContext) => (changeOf(context).read ? reading : plain);
  return {
    toolName: 'http',
    actions: HTTP_ACTIONS,
    sliceSize: options.concurrency,
    describeChange: describeRequest,

    async prepare(request, limits) {
      if (request.action === 'request' && !request.explicit_items) throw itemsWanted();
      const { change } = parseAction('http', HTTP_ACTIONS, request);
      const context = { tool_name: 'http', action: request.action, query_params: {}, action_params: change };
      const declared = changeOf(context);
      const { read } = declared;
      const reader = read && {
        ...{
          method: 'GET' as const,
          url: read.url,
          headers: read.headers ?? inheritedHeaders(declared, read.url),
        },
      };
      for (const each of [declared, reader, undoRequest(declared)])
        if (each) await openChannel(http, each, limits);
      return context;
    },

    resolvedParams: (context) => sentParams(changeOf(context)),
    getTotalCount: () => Promise.reject(itemsWanted()),
    getNextBatch: () => Promise.reject(itemsWanted()),
    freezeItems: (items, context, limits) => kind(context).freezeItems!(items, context, limits),
    previewItem: (item, context) => kind(context).previewItem!(item, context),
    executeBatch: (items, context, call) => kind(context).executeBatch(items, context, call),
    reconcile: (item, context, call) => kind(context).reconcile!(item, context, call),
  };
}

/** Returns the addresses of a change in the form in which they are sent. */
export const sentParams = ({ url, read, undo }: Pick<RequestChange, 'url' | 'read' | 'undo'>) => ({
  url: sentAddress(url),
  ...(read && { read: { ...read, url: sentAddress(read.url) } }),
  ...(undo && { undo: { ...undo, url: sentAddress(undo.url) } }),
});

function itemsWanted(): BatchgateError {
  return new BatchgateError(
    'INVALID_INPUT',
    'The http adapter sends one request for each item that you name; it cannot search for items.',
    'Send items: on the command line by --items FILE.csv or FILE.jsonl. Nothing was read or sent.',
  );
}

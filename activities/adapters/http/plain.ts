import type { BulkAdapter } from '../../../src/contract/adapter';
import type { BulkItem, PreparedBulkContext } from '../../../src/contract/items';
import { TemplateError } from '../../../src/core/shared/template';
import { notPrepared } from '../shared/actions';
import { failureOf, ProviderFailure } from '../shared/failure';
import { createResults } from '../shared/results';
import { inSequence, refusalIn, resultsOf, untouched, type Attempt } from '../kit/attempts';
import { judge, keptOf, mayHaveChanged } from './answers';
import { openChannel, type Channel, type HttpContext } from './channel';
import { changeOf, isSafe, neededOf, undoRequest, type RequestChange } from './parameters';
import { previewRequest, valuesOf } from './render';

type Plain = Required<Pick<BulkAdapter, 'executeBatch' | 'reconcile' | 'freezeItems' | 'previewItem'>>;

export const HINTS = {
  signIn: 'Renew the secret that the request sends.',
  grant: 'Use a secret that may make this change.',
  tryLater: 'Check the address and whether the service runs, and try again in a minute.',
};
const { callError } = createResults({ provider: 'The service', item: 'item', hints: HINTS });

/** Requests whose items cannot be read. The answer decides the outcome; a write without an answer is in doubt. */
export const plainRequests = (http: HttpContext): Plain => ({
  freezeItems: (items) => Promise.resolve([...items]),
  previewItem: previewRequest,

  async executeBatch(items, context, call) {
    const change = changeOf(context);
    const request = context.undo ? undoRequest(change) : change;
    if (!request) throw notPrepared('http', 'no request takes it back');
    const channel = await openChannel(http, request, call);
    const needed = context.undo ? [] : neededOf(change);
    const attempts = await inSequence(items, http.concurrency, call, (item) =>
      attempt(item, { context, request, channel, needed }),
    );
    return resultsOf(attempts, call, callError);
  },

  // GET and HEAD change nothing. The outcome of other methods is unknown.
  reconcile(_item, context) {
    const change = changeOf(context);
    const { method } = (context.undo ? undoRequest(change) : undefined) ?? change;
    return Promise.resolve(isSafe(method) ? 'not_applied' : 'unknown');
  },
});

interface Sending {
  readonly context: PreparedBulkContext;
  readonly request: RequestChange;
  readonly channel: Channel;
  /** The names of the members of the answer that an undo needs. */
  readonly needed: readonly string[];
}

async function attempt(item: BulkItem, { context, request, channel, needed }: Sending): Promise<Attempt> {
  const item_id = item.id;
  try {
    const extent = request.success_when === undefined ? 'beginning' : 'whole';
    const exchange = await channel.send({ id: item_id, values: valuesOf(item, context) }, extent);
    judge(request, exchange.request, exchange.answer, channel.secrets);
    const response = keptOf(exchange.answer.text, needed, channel.secrets);
    const undoData = Object.keys(response).length > 0 ? { kept: { response } } : {};
    return { result: { item_id, success: true, ...undoData }, touched: true };
  } catch (error) {
    const failure = asFailure(error);
    const failed = { item_id, success: false, error: failure.message };
    if (mayHaveChanged(request.method, failure))
      return { result: { ...failed, outcome_unknown: true }, touched: true };
    const retryable = failure.retryable || failure.kind === 'malformed';
    return { ...untouched({ ...failed, retryable }), ...refusalIn(failure) };
  }
}

export function asFailure(error: unknown): ProviderFailure {
  // Nothing was sent, and a retry would fail in the same way.
  return error instanceof TemplateError ? new ProviderFailure('refused', error.message) : failureOf(error);
}

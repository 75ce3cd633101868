import { z } from 'zod';
import type { BatchCall, BulkAdapter, CallLimits } from '../../../src/contract/adapter';
import type { BulkItem, PreparedBulkContext } from '../../../src/contract/items';
import type { ItemPreview, ItemState } from '../../../src/contract/preview';
import { valueText } from '../../../src/core/bulk/change';
import { hidingSecrets, looksSecret, NOT_SHOWN } from '../../../src/core/shared/plain-secrets';
import { placeholdersIn, withSources, type Values } from '../../../src/core/shared/template';
import { defineAdapter } from '../kit/define';
import { changed, knownOf, namedOf } from '../kit/frozen';
import type { Named, Prepared, Tool, ToolItem, WrittenItem } from '../kit/types';
import { ProviderFailure } from '../shared/failure';
import { undoOf } from '../shared/frozen-state';
import { judge, keptOf, refusal } from './answers';
import { openChannel, type Channel, type HttpContext } from './channel';
import {
  changeOf,
  HTTP_ACTIONS,
  inheritedHeaders,
  isSuccess,
  neededOf,
  undoRequest,
  type RequestChange,
} from './parameters';
import { asFailure, HINTS } from './plain';
import { cannotBeUndone, isUndoneBy, responseIn, shownRequest, whyUnfilled } from './render';
import {
  bodyWith,
  membersOf,
  stateIn,
  takesItselfBack,
  targetOf,
  type HttpState,
  type StateRead,
} from './state';

type PreparedRequest = Prepared<Record<string, never>, RequestChange>;

/** Requests whose items can be read. The state of the item decides the outcome. */
export function readingRequests(http: HttpContext): BulkAdapter {
  const { undo: _, ...definition } = HTTP_ACTIONS.request;
  const adapter = defineAdapter<HttpState, Record<string, never>, RequestChange>({
    name: 'http',
    provider: 'The service',
    noun: { one: 'item', many: 'items' },
    hints: HINTS,
    state: z.record(z.string(), z.unknown()),
    concurrency: http.concurrency,
    keepsGiven: true,
    prepared: { query: z.strictObject({}), change: HTTP_ACTIONS.request.change },
    actions: {
      request: {
        ...definition,
        creates: true,
        foresee: (state: HttpState | null, change, item) =>
          state === null && ['PATCH', 'DELETE'].includes(change.method)
            ? 'Item not found'
            : whyUnfilled(change, factsOf(item).values),
        to: (state: HttpState | null, change, item) => targetOf(change, state, factsOf(item).values),
        restores(state: HttpState | null, change, item) {
          const isRestored = change.undo
            ? isUndoneBy(change.undo, state, factsOf(item))
            : takesItselfBack(change, state, factsOf(item).inexact);
          return isRestored ? 'yes' : 'no';
        },
      },
    },
    connect: (call, prepared) => connect(http, call, prepared),
    show: (state) =>
      Object.fromEntries(Object.entries(state).map(([name, value]) => [name, displayText(name, value)])),
  });
  return { ...adapter, previewItem: (item, context) => preview(adapter, item, context) };
}

interface HttpItem extends ToolItem<HttpState> {
  readonly facts: {
    /** The values of its placeholders. */
    readonly values: Values;
    /** The fields of its state that cannot be written back: see `stateIn`. */
    readonly inexact: readonly string[];
  };
}

const factsOf = (item: ToolItem<HttpState>) => (item as HttpItem).facts;

function displayText(name: string, value: unknown): string | null {
  if (value === null) return null;
  return looksSecret(name) ? NOT_SHOWN : valueText(hidingSecrets(value));
}

const valuesOf = (id: string, { name, given }: Named): Values => ({ ...given, id, display_name: name });

async function connect(
  http: HttpContext,
  call: CallLimits | BatchCall,
  prepared: PreparedRequest | undefined,
): Promise<Tool<HttpState>> {
  const { change, undo } = prepared!;
  const readRequest = change.read!;
  const reader = await openChannel(
    http,
    {
      method: 'GET',
      url: readRequest.url,
      headers: readRequest.headers ?? inheritedHeaders(change, readRequest.url),
    },
    call,
  );
  const request = (undo ? undoRequest(change) : undefined) ?? change;
  const writer = await openChannel(http, request, call);
  return {
    async read(id, named): Promise<HttpItem> {
      const values = valuesOf(id, named);
      // If the item does not exist, the adapter decides by the method whether the request can create it.
      const { state, inexact } = await stateOf(reader, id, values, readRequest.select);
      return { id, name: named.name, state, facts: { values, inexact } };
    },
    write: (item, target) => write(writer, item, target, { change, request, undo }),
  };
}

async function stateOf(
  reader: Channel,
  id: string,
  values: Values,
  select: NonNullable<RequestChange['read']>['select'],
): Promise<StateRead> {
  const { request, answer } = await sent(() => reader.send({ id, values }, 'whole'));
  const { status } = answer;
  if (status === 404 || status === 410) return { state: null, inexact: [] };
  if (status === 401)
    throw new ProviderFailure('credentials', `${request.url.host} answered 401`, { status });
  if (!isSuccess({}, status)) throw refusal(request, answer, reader.secrets);
  return stateIn(request.url.host, answer.text, select);
}

/** Sends a request. @throws ProviderFailure, also if a value is missing. */
async function sent<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    throw asFailure(error);
  }
}

interface Writing {
  readonly change: RequestChange;
  /** The request to send. For an undo: the declared undo request, or else the same request with the earlier values. */
  readonly request: RequestChange;
  readonly undo: boolean;
}

async function write(
  writer: Channel,
  item: WrittenItem<HttpState>,
  target: HttpState | null,
  { change, request, undo }: Writing,
): Promise<void> {
  const values = withSources(valuesOf(item.id, item), {
    before: target ?? {},
    response: responseIn(item.kept),
  });
  const isOwn = undo && request === change;
  const literal = isOwn && target ? { literal: bodyWith(change, target) } : {};
  if (isOwn && !target) throw new ProviderFailure('refused', 'No request is declared that deletes the item');
  const extent = request.success_when === undefined ? 'beginning' : 'whole';
  const { request: sentRequest, answer } = await sent(() =>
    writer.send({ id: item.id, values, ...literal }, extent),
  );
  // Kept before the test, because the item can have the change even if the test does not accept the answer.
  const response = undo ? {} : keptOf(answer.text, neededOf(change), writer.secrets);
  if (Object.keys(response).length > 0) item.keep({ response });
  judge(request, sentRequest, answer, writer.secrets);
}

/** Returns the state before and after the request, with the request itself if it contains more. */
function preview(adapter: BulkAdapter, item: BulkItem, context: PreparedBulkContext): ItemPreview {
  const change = changeOf(context);
  const frozen = knownOf(item.raw_data);
  const basic = adapter.previewItem?.(item, context) ?? {};
  const { undo = false } = context;
  if (undo && change.undo && basic.expected_error !== undefined) return cannotBeUndone(basic.expected_error);
  if (!frozen || frozen.state === undefined || basic.already || basic.expected_error !== undefined)
    return basic;
  const request = (undo ? undoRequest(change) : undefined) ?? change;
  const isOwn = undo && request === change;
  const undoData = undo ? undoOf(item, { undo })?.kept : undefined;
  const target = changed(frozen.state, frozen.to);
  const values = undo
    ? withSources(valuesOf(item.id, namedOf(item, undo)), {
        before: target ?? {},
        response: responseIn(undoData),
      })
    : valuesOf(item.id, namedOf(item, undo));
  const why = isOwn ? undefined : whyUnfilled(request, values);
  if (why !== undefined) return { ...basic, ...cannotBeUndone(why) };
  const last = undo && !isOwn ? { reversible: 'no' as const } : {};
  const after = frozen.open ? setLater(basic.before ?? {}) : (basic.after ?? {});
  if (isOwn || (!undo && !frozen.open && coversAll(change, target))) return { ...basic, after, ...last };
  const fields = namedApart(shownRequest(request, values), { ...basic.before, ...after });
  const none = Object.fromEntries(Object.keys(fields).map((name) => [name, null]));
  return { ...basic, before: { ...none, ...basic.before }, after: { ...fields, ...after }, ...last };
}

/** Returns the fields of a request. Those that have the name of a field of the state get another one. */
const namedApart = (fields: ItemState, state: ItemState): ItemState =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [freeName(name, state), value]));

const freeName = (name: string, state: ItemState): string =>
  Object.hasOwn(state, name) ? freeName(`request ${name}`, state) : name;

const setLater = (before: ItemState): ItemState =>
  Object.fromEntries(Object.keys(before).map((name) => [name, '(set by the service)']));

/** Returns true if the states before and after contain every value of the item that the request sends. */
function coversAll(change: RequestChange, target: HttpState | null): boolean {
  const ofItem = placeholdersIn(change.url).every(({ name }) => name === 'id' || name === 'display_name');
  if (change.method === 'DELETE') return ofItem && change.body === undefined;
  const names = Object.keys(membersOf(change) ?? {});
  return ofItem && target !== null && names.every((name) => Object.hasOwn(target, name));
}

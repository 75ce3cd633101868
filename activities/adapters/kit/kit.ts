import type { PreparedBulkContext } from '../../../src/contract/items';
import { valueText } from '../../../src/core/bulk/change';
import { notPrepared } from '../shared/actions';
import { createResults, type Results } from '../shared/results';
import { comparing, type Comparing } from './frozen';
import type { AdapterDefinition, Prepared, State, Tool } from './types';

const DEFAULT_CONCURRENCY = 5;
const DEFAULT_HINTS = {
  signIn: 'Renew the credentials in the configuration of this adapter.',
  grant: 'Use credentials that may make this change.',
  tryLater: 'Check the connection and the configured address, and try again in a minute.',
};

/** A definition with its defaults, without the types of its state, query and change. */
export interface Kit extends Omit<AdapterDefinition, 'adjusts'> {
  readonly show: NonNullable<AdapterDefinition['show']>;
  readonly noun: { readonly one: string; readonly many: string };
  readonly provider: string;
  readonly adjusts: readonly string[];
  readonly concurrency: number;
  readonly compare: Comparing;
  readonly results: Results;
}

export function kitOf<S extends State, Q, C, T extends Tool<S, Q>>(
  definition: AdapterDefinition<S, Q, C, T>,
): Kit {
  const { noun = { one: 'item', many: 'items' }, provider = definition.name } = definition;
  const { hints = DEFAULT_HINTS, adjusts = [], concurrency = DEFAULT_CONCURRENCY } = definition;
  return {
    ...{ show: showAsItIs, ...(definition as unknown as AdapterDefinition) },
    ...{ noun, provider, adjusts, concurrency },
    compare: comparing(adjusts),
    results: createResults({ provider, item: noun.one, hints }),
  };
}

const showAsItIs: Kit['show'] = (state, name) =>
  Object.fromEntries(
    Object.entries(state).map(([field, value]) => {
      if (typeof value === 'boolean') return [field, value ? 'yes' : 'no'];
      return [field, typeof value === 'string' ? name(value) : value === null ? null : valueText(value)];
    }),
  );

export function actionOf({ actions, name }: Kit, action: string): Kit['actions'][string] {
  const definition = Object.hasOwn(actions, action) ? actions[action] : undefined;
  if (definition) return definition;
  throw notPrepared(name, `it names the action ${action}`);
}

/** @throws BatchgateError `INVALID_INPUT` if this adapter did not prepare the context. */
export function preparedOf(kit: Kit, context: PreparedBulkContext): Prepared {
  const { action, query_params, action_params, undo = false } = context;
  actionOf(kit, action);
  const change = kit.prepared?.change.safeParse(action_params);
  if (change?.success === false) throw notPrepared(kit.name, 'its change is incomplete');
  const query = kit.prepared ? kit.prepared.query.safeParse(query_params).data : query_params;
  const hasQuery = query !== undefined && Object.keys(query_params).length > 0;
  return { action, change: change?.data ?? action_params, undo, ...(hasQuery && { query }) };
}

/** Returns the query of a context. @throws BatchgateError `INVALID_INPUT` if there is none, as for named items. */
export function queryOf({ prepared, name }: Kit, { query_params }: PreparedBulkContext): unknown {
  if (!prepared) return query_params;
  const query = prepared.query.safeParse(query_params);
  if (query.success) return query.data;
  throw notPrepared(name, 'its search is missing');
}

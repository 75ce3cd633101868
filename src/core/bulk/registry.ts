import { z } from 'zod';
import type { BulkAdapter, AdapterAction, AdapterDescription, PrepareRequest } from '../../contract/adapter';
import { BatchgateError } from '../../contract/errors';
import { editableParameters, paramErrors, selecting } from './action-params';

/** The adapters of a worker, by tool name. */
export interface AdapterRegistry {
  /** @throws BatchgateError `UNKNOWN_ADAPTER`, with the known names. */
  get(toolName: string): BulkAdapter;
  list(): BulkAdapter[];
}

export function createRegistry(adapters: readonly BulkAdapter[]): AdapterRegistry {
  const byName = new Map(adapters.map((adapter) => [adapter.toolName, adapter]));
  if (byName.size < adapters.length) throw sameName(adapters);
  adapters.forEach(refuseBlindUndo);
  return {
    get(toolName) {
      const adapter = byName.get(toolName);
      if (adapter) return adapter;
      throw new BatchgateError(
        'UNKNOWN_ADAPTER',
        `No bulk adapter registered for tool: ${toolName}`,
        `Use one of: ${[...byName.keys()].sort().join(', ')}.`,
      );
    },
    list: () => [...byName.values()],
  };
}

function sameName(adapters: readonly BulkAdapter[]): BatchgateError {
  const names = adapters.map(({ toolName }) => toolName);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  return new BatchgateError(
    'NOT_CONFIGURED',
    `Two adapters are named ${twice}.`,
    'Give one of them another toolName.',
  );
}

/** Refuses an undo without a preview: its question could show neither the state of an item nor a conflict. */
function refuseBlindUndo(adapter: BulkAdapter): void {
  const { toolName, actions } = adapter;
  if (typeof adapter.previewItem === 'function') return;
  const [name] = Object.entries(actions).find(([, { undo }]) => undo) ?? [];
  if (name === undefined) return;
  throw new BatchgateError(
    'NOT_CONFIGURED',
    `The adapter ${toolName} can undo ${name}, and has no preview of its items.`,
    'Add previewItem (and freezeItems, which keeps what it shows), or leave out undo.',
  );
}

/** The adapter's actions with their parameters as JSON Schema, from the zod schemas that check them. */
export function describeAdapter(adapter: BulkAdapter): AdapterDescription {
  return {
    adapter: adapter.toolName,
    item_noun: adapter.itemNoun ?? { one: 'item', many: 'items' },
    actions: Object.entries(adapter.actions).map(([action, { description, query, change, selects }]) => ({
      action,
      description,
      params: mergedSchema({ query, change }),
      params_with_items: schemaOf(change),
      editable: editableParameters({
        query: selecting({ query, selects }),
        change: Object.keys(change.shape),
      }),
    })),
  };
}

/** A request for one of several adapters. */
export interface ParamsRequest extends Pick<PrepareRequest, 'action' | 'params' | 'explicit_items'> {
  readonly domain: string;
}

/** The validation errors of a request against the schemas of its adapter, with paths. Sends nothing. */
export function refusedParams(
  adapters: readonly BulkAdapter[],
  { domain, action, ...request }: ParamsRequest,
): z.core.$ZodIssue[] {
  const adapter = adapters.find(({ toolName }) => toolName === domain);
  const definition = adapter && Object.hasOwn(adapter.actions, action) ? adapter.actions[action] : undefined;
  return definition ? paramErrors(definition, request).flatMap(({ issues }) => issues) : [];
}

function schemaOf(schema: z.ZodObject): Record<string, unknown> {
  const { $schema: _, ...jsonSchema } = z.toJSONSchema(schema, { io: 'input' });
  return jsonSchema;
}

/** Both halves as one object, as a request contains them. A shared field is required if either half requires it. */
function mergedSchema({ query, change }: Pick<AdapterAction, 'query' | 'change'>): Record<string, unknown> {
  const required = Object.entries(query.shape).filter(([, schema]) => !isOptional(schema));
  const shape: z.ZodRawShape = { ...query.shape, ...change.shape, ...Object.fromEntries(required) };
  return schemaOf(z.strictObject(shape));
}

function isOptional(schema: unknown): boolean {
  return schema instanceof z.ZodType && schema.safeParse(undefined).success;
}

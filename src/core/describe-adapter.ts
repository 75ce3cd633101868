import { z } from 'zod';
import type { AdapterAction, BulkAdapter } from '../contract/adapter';
import type { AdapterDescription } from '../contract/adapter-description';

/** The adapter's actions with their parameters as JSON Schema, from the zod schemas that check them. */
export function describeAdapter(adapter: BulkAdapter): AdapterDescription {
  return {
    adapter: adapter.toolName,
    item_noun: adapter.itemNoun ?? { one: 'item', many: 'items' },
    actions: Object.entries(adapter.actions).map(([action, { description, query, change }]) => ({
      action,
      description,
      params: together({ query, change }),
      params_with_items: schemaOf(change),
    })),
  };
}

function schemaOf(schema: z.ZodObject): Record<string, unknown> {
  const { $schema: _, ...described } = z.toJSONSchema(schema, { io: 'input' });
  return described;
}

/** Both halves as one object, as a request gives them. What both know is required where either half requires it. */
function together({ query, change }: Pick<AdapterAction, 'query' | 'change'>): Record<string, unknown> {
  const required = Object.entries(query.shape).filter(([, schema]) => !isOptional(schema));
  const shape: z.ZodRawShape = { ...query.shape, ...change.shape, ...Object.fromEntries(required) };
  return schemaOf(z.strictObject(shape));
}

function isOptional(schema: unknown): boolean {
  return schema instanceof z.ZodType && schema.safeParse(undefined).success;
}

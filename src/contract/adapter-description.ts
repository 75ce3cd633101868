import { z } from 'zod';

const jsonSchema = z.record(z.string(), z.unknown());

/** What an adapter can do, for people, models and editors: what `batchgate adapters` prints. */
export const adapterDescriptionSchema = z.object({
  adapter: z.string(),
  item_noun: z.object({ one: z.string(), many: z.string() }),
  actions: z.array(
    z.object({
      action: z.string(),
      description: z.string(),
      /** JSON Schema of `params` where they find the items. */
      params: jsonSchema,
      /** JSON Schema of `params` beside explicit `items`. */
      params_with_items: jsonSchema,
    }),
  ),
});
export type AdapterDescription = z.infer<typeof adapterDescriptionSchema>;

import { z } from 'zod';
import { bulkProgressContractSchema, progressViewSchema } from './progress';
import { taskRunInputSchema } from './task-run';
import { idSchema } from './text';

export const contractIdSchema = idSchema(150);

/** What makes a progress contract that belongs to no run: an id, and what the contract of a task run may say. */
export const standaloneContractInputSchema = taskRunInputSchema.shape.contract.unwrap().extend({
  contract_id: contractIdSchema,
  scope: bulkProgressContractSchema.shape.scope.optional(),
});
export type StandaloneContractInput = z.infer<typeof standaloneContractInputSchema>;

const forcedSchema = z.strictObject({ by: z.string().optional(), reason: z.string(), at: z.iso.datetime() });

/** A progress contract as its file keeps it. `completed_at`, in milliseconds since the epoch, closes it. */
export const standaloneContractSchema = bulkProgressContractSchema.extend({
  contract_id: contractIdSchema,
  completed_at: z.number().optional(),
  forced: forcedSchema.optional(),
});
export type StandaloneContract = z.infer<typeof standaloneContractSchema>;

/** Where a contract stands. */
export const standaloneStatusSchema = progressViewSchema.extend({
  contract_id: z.string(),
  scope: bulkProgressContractSchema.shape.scope,
  state: z.enum(['open', 'completed']),
  forced: forcedSchema.optional(),
});
export type StandaloneStatus = z.infer<typeof standaloneStatusSchema>;

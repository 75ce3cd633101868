import { z } from 'zod';
import { bulkStateSchema } from '../../contract/operation';
import { taskRunStateSchema } from '../../contract/task-run';

export const pageSchema = z.strictObject({
  offset: z.number().int().min(0).max(1_000_000).default(0),
  limit: z.number().int().min(1).max(200).default(50),
});

const rowShape = {
  session_id: z.string().optional(),
  quarantined: z.string().optional(),
  created_at: z.string(),
  closed_at: z.string().optional(),
};

export const operationRowSchema = z.object({
  operation_id: z.string(),
  domain: z.string().optional(),
  state: bulkStateSchema.optional(),
  progress: z.record(z.string(), z.number()).optional(),
  ...rowShape,
});

export const taskRunRowSchema = z.object({
  task_run_id: z.string(),
  goal: z.string().optional(),
  state: taskRunStateSchema.optional(),
  ...rowShape,
});

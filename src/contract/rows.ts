import { z } from 'zod';
import { approvalsSchema } from './approvals';
import type { AssistantStatus } from './assistant';
import { macroStateSchema } from './macro-run';
import { bulkStateSchema } from './operation';
import { taskRunStateSchema } from './task-run';

const common = z.object({
  session_id: z.string().optional(),
  /** The reason why the workflow task keeps failing. The job does not answer until it is repaired or ended. */
  quarantined: z.string().optional(),
  created_at: z.iso.datetime(),
  closed_at: z.iso.datetime().optional(),
});

export const operationRowSchema = z.object({
  operation_id: z.string(),
  domain: z.string().optional(),
  /** The action; absent before the first question. */
  action: z.string().optional(),
  state: bulkStateSchema.optional(),
  /** The counts at the last question. After the first 200 live operations of a list they may be older. */
  progress: z.record(z.string(), z.number()).optional(),
  /** The time of the last reminder of an open question. */
  reminded_at: z.string().optional(),
  /** The last escalation: its time, and the additional approvers. */
  escalated: z.object({ at: z.string(), to: z.array(z.string()) }).optional(),
  /** Under a policy: the approvals of the open question, and those still needed. */
  approvals: approvalsSchema.optional(),
  /** Changes with any progress of a live operation, such as a new deadline. Absent after the first 200 of a list. */
  revision: z.string().optional(),
  ...common.shape,
});
/** One row of a list. The server has this data without a query to the workflow. */
export type OperationRow = z.infer<typeof operationRowSchema>;

export const macroRowSchema = z.object({
  run_id: z.string(),
  macro: z.string().optional(),
  state: macroStateSchema.optional(),
  ...common.shape,
});
/** A macro run in a list. */
export type MacroRow = z.infer<typeof macroRowSchema>;

export const taskRunRowSchema = z.object({
  task_run_id: z.string(),
  goal: z.string().optional(),
  state: taskRunStateSchema.optional(),
  ...common.shape,
});
/** A task run in a list. */
export type TaskRunRow = z.infer<typeof taskRunRowSchema>;

/** A session's assistant in a list. */
export interface AssistantRow extends z.infer<typeof common> {
  assistant_id: string;
  state?: AssistantStatus['state'];
}

/** A job of any kind in a list. */
export type JobRow =
  | ({ kind: 'bulk_operation' } & OperationRow)
  | ({ kind: 'macro' } & MacroRow)
  | ({ kind: 'task_run' } & TaskRunRow)
  | ({ kind: 'assistant' } & AssistantRow);

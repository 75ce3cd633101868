import { z } from 'zod';

/**
 * What an operator may set. Admission hands these to the workflow, so that they are part of its history.
 * The defaults are those of the specification (L15, L16, S1).
 */
export const settingsSchema = z.object({
  min_batch_size: z.number().int().min(1).default(5),
  max_batch_size: z.number().int().min(1).default(20),
  /** A workflow holds one letter an item. */
  max_total_items: z.number().int().min(1).max(26_000).default(200),
  /** Bulk operations, macros and task runs of a session that may be live at a time; about 850 with usual ids. */
  max_active_jobs: z.number().int().min(1).max(1_000).default(10),
  /** Batches a workflow run holds before it continues as new; replay time grows with them. */
  batches_per_run: z.number().int().min(1).default(25),
  /** Items of a batch that an adapter with a call an item works on at a time. */
  item_concurrency: z.number().int().min(1).max(50).default(5),
  /** How long one provider call may take, and so how long after a crash an item may still change. Milliseconds. */
  call_timeout_ms: z.number().int().min(100).default(20_000),
  /** A running batch is given up when its worker has been silent for this long. Milliseconds. */
  heartbeat_timeout_ms: z.number().int().min(500).default(3_000),
  /** How long one step of a plan may take, each try: its preparation, its count, its items. Milliseconds. */
  read_timeout_ms: z.number().int().min(1_000).default(60_000),
  /** A session that did nothing for this long loses its scratchpad: the default of a profile's `op_idle_threshold_seconds`. */
  idle_threshold_seconds: z.number().int().min(1).default(3_600),
  /** The ledger keeps an operation for this long after its end; by default as long as Temporal keeps its history. */
  ledger_retention_days: z.number().int().min(1).max(36_500).default(30),
  /** How long one tool call, ask or fetch of a macro may take, each try. Milliseconds. */
  tool_timeout_ms: z.number().int().min(100).default(120_000),
});
export type Settings = z.infer<typeof settingsSchema>;

export const DEFAULT_SETTINGS: Settings = settingsSchema.parse({});

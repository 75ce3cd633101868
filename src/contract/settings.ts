import { z } from 'zod';
import { MAX_SLOTS } from './sentinel';

/** `{ "gmail": ["label_name"] }` */
export const fixedSchema = z.record(z.string().min(1), z.array(z.string().min(1)).max(100));

/**
 * The settings of an operator. The admission returns them to the workflow, so they are part of its history. The
 * defaults are those of the specification (L15, L16, S1).
 */
export const settingsSchema = z.object({
  min_batch_size: z.number().int().min(1).default(5),
  max_batch_size: z.number().int().min(1).default(20),
  /** The limit follows from the size of a workflow's state: one letter for each item. */
  max_total_items: z.number().int().min(1).max(26_000).default(200),
  /** The maximum number of live jobs (slots). */
  max_active_jobs: z.number().int().min(1).max(MAX_SLOTS).default(10),
  /** The number of batches in a workflow run before it continues as new. Replay time grows with them. */
  batches_per_run: z.number().int().min(1).default(25),
  /** The number of concurrent requests of an adapter that sends one request per item. */
  item_concurrency: z.number().int().min(1).max(50).default(5),
  /**
   * The timeout of one call to a provider. After a crash, an item may still change for this long.
   * Milliseconds.
   */
  call_timeout_ms: z.number().int().min(100).default(20_000),
  /** A running batch is given up when its worker has been silent for this long. Milliseconds. */
  heartbeat_timeout_ms: z.number().int().min(500).default(3_000),
  /** The timeout of one try of a step of a plan: preparing, counting, listing. Milliseconds. */
  read_timeout_ms: z.number().int().min(1_000).default(60_000),
  /**
   * A session that is idle for this long loses its scratchpad. The default of `op_idle_threshold_seconds` in a profile.
   */
  idle_threshold_seconds: z.number().int().min(1).default(3_600),
  /** The time for which the ledger keeps an operation after its end. Default: as long as Temporal keeps its history. */
  ledger_retention_days: z.number().int().min(1).max(36_500).default(30),
  /** The timeout of one try of a tool call, ask or fetch of a macro. Milliseconds. */
  tool_timeout_ms: z.number().int().min(100).default(120_000),
  /** By adapter: the parameters of the change that cannot be edited in a question. */
  fixed: fixedSchema.optional(),
});
export type Settings = z.infer<typeof settingsSchema>;

export const DEFAULT_SETTINGS: Settings = settingsSchema.parse({});

const seconds = z.number().int().min(1).max(31_536_000);

/** The deadline of questions. The rule applies to one domain, one action, both, or all. */
export const deadlineRuleSchema = z
  .strictObject({
    domain: z.string().min(1).optional(),
    action: z.string().min(1).optional(),
    default_seconds: seconds,
    max_seconds: seconds,
  })
  .refine((rule) => rule.default_seconds <= rule.max_seconds, 'default_seconds is larger than max_seconds');
export type DeadlineRule = z.infer<typeof deadlineRuleSchema>;

/** The deadlines that apply to one operation. */
export type DeadlineLimits = Pick<DeadlineRule, 'default_seconds' | 'max_seconds'>;

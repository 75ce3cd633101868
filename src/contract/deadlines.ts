import { z } from 'zod';

const seconds = z.number().int().min(1).max(31_536_000);

/** How long questions wait. The rule applies to one domain, one action, both, or all. */
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

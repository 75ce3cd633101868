import { z } from 'zod';
import { changeSchema } from './change';
import { assuranceSchema, confirmationViaSchema, itemOutcomeSchema } from './operation';
import { itemStateSchema } from './preview';

/** One item of a report. Times are ISO 8601. */
export const reportRowSchema = z.object({
  id: z.string(),
  display_name: z.string(),
  batch: z.number().int(),
  outcome: itemOutcomeSchema,
  error: z.string().optional(),
  confirmed_by: z.string().optional(),
  confirmed_at: z.iso.datetime().optional(),
  finished_at: z.iso.datetime().optional(),
  /** How the decision came, and whether a person who had signed in made it. */
  confirmed_via: confirmationViaSchema.optional(),
  confirmed_assurance: assuranceSchema.optional(),
  /** Who said what became of an item in doubt, when and why. */
  resolved_by: z.string().optional(),
  resolved_at: z.iso.datetime().optional(),
  resolved_reason: z.string().optional(),
  /** What it was before, and what the change made of it, as far as the adapter can read that. */
  before: itemStateSchema.optional(),
  after: itemStateSchema.optional(),
});
export type ReportRow = z.infer<typeof reportRowSchema>;

/** What was done to each item, on whose word and when. */
export const reportSchema = z.object({
  /** What was done to each of them; absent where the ledger never saw the plan. */
  change: changeSchema.optional(),
  /** Its run was reset in Temporal: the rows tell what ran, whatever its history has of that. */
  reset: z.literal(true).optional(),
  rows: z.array(reportRowSchema),
  /** Items of which ledger and history say different things; absent where the history is no longer kept. */
  differences: z
    .array(z.object({ id: z.string(), ledger: itemOutcomeSchema, history: itemOutcomeSchema }))
    .optional(),
});
export type Report = z.infer<typeof reportSchema>;

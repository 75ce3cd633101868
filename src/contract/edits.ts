import { z } from 'zod';
import type { ErrorBody } from './errors';
import type { Foreseen, Prepared } from './prepared';
import type { FrozenItem, NamedItem } from './items';
import { assuranceSchema, confirmationViaSchema } from './policy';
import { idSchema } from './text';

/** The content of a question in short: the sentence and the values. */
const askedSchema = z.object({
  summary: z.string(),
  fields: z.array(z.object({ name: z.string(), from: z.string().optional(), to: z.string() })),
});

/** An edit of the change, with the content of the question before and after it. */
export const editSchema = z.object({
  /** The question that was open at the time of the edit. */
  batch: z.number().int(),
  attempt: z.number().int(),
  digest: z.string(),
  /** The names of the parameters that the edit set. */
  parameters: z.array(z.string()),
  before: askedSchema,
  after: askedSchema,
  by: z.string().optional(),
  via: confirmationViaSchema,
  at: z.iso.datetime(),
  note: z.string().optional(),
  assurance: assuranceSchema,
});
export type Edit = z.infer<typeof editSchema>;

/** An edit in the ledger, with the id at an identity provider of a person who signed in. */
export type LedgerEdit = Edit & { subject?: string };

/** The maximum number of edits of one operation, and of the people who made them. */
export const MAX_EDITS = 50;

/** A person who edited the change. `subject` is the name if no door vouches for it. */
export const editorSchema = z.strictObject({ subject: idSchema(500), by: idSchema(150).optional() });
export type Editor = z.infer<typeof editorSchema>;

/** Requests a new plan for the places without an outcome. It does not change the open question. */
export interface ReplanInput {
  operation_id: string;
  /** The first run of the chain. */
  run_id: string;
  store_id: string;
  /** The current edition of the plan. */
  edition: number;
  /** The outcome codes of the whole plan. Places with `p` are planned again. */
  codes: string;
  /** The new values of parameters of the change. */
  change: Record<string, unknown>;
}

/** A new plan that is in the ledger beside the old one, until it is adopted. */
export interface Replanned {
  /** Identifies this try of the plan. */
  token: string;
  prepared: Omit<Prepared, 'change_params'>;
  /** The items of the next question, and the names of others. */
  items: NamedItem[];
  marks: string;
  foreseen: Foreseen;
  /** The outcome codes of the whole plan: `k` for an item in conflict. */
  codes: string;
}

/** Puts a new plan of the operation in force. */
export interface AdoptInput {
  operation_id: string;
  run_id: string;
  store_id: string;
  /** The edition of the new plan. */
  edition: number;
  token: string;
  /** The attempt number of its first question. */
  attempt: number;
  edit: LedgerEdit;
}

/** The reason why a new plan was not adopted. The old plan is then unchanged. */
export type Adopted = { refused: ErrorBody } | null;

/** A new plan for some places, for the ledger. */
export interface StagedPlan
  extends
    Pick<ReplanInput, 'operation_id' | 'run_id'>,
    Pick<Prepared, 'context' | 'change' | 'change_params'> {
  edition: number;
  token: string;
  items: (FrozenItem & { index: number })[];
}

/** An edition of a plan: the change to the items that ran under it. */
export interface PlanEdition extends Pick<Prepared, 'context' | 'change'> {
  edition: number;
}

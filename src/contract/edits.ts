import { z } from 'zod';
import type { ErrorBody } from './errors';
import type { Foreseen, Prepared } from './prepared';
import type { FrozenItem, NamedItem } from './items';
import { assuranceSchema, confirmationViaSchema } from './policy';

/** What a question asked: the sentence and the values, in short. */
const askedSchema = z.object({
  summary: z.string(),
  fields: z.array(z.object({ name: z.string(), from: z.string().optional(), to: z.string() })),
});

/** An edit of the change: what was asked before it, and what is asked since. */
export const editSchema = z.object({
  /** The question that was open when it was edited. */
  batch: z.number().int(),
  attempt: z.number().int(),
  digest: z.string(),
  /** The names of the parameters that it set. */
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

/** Requests a new plan for the places that have no outcome yet. Nothing that a question shows changes by it. */
export interface ReplanInput {
  operation_id: string;
  /** The first run of the chain. */
  run_id: string;
  store_id: string;
  /** The edition that the plan has now. */
  edition: number;
  /** The outcome codes of the whole plan; places with `p` are planned anew. */
  codes: string;
  /** The new values of parameters of the change. */
  change: Record<string, unknown>;
}

/** A new plan that is in the ledger beside the old one, until it is adopted. */
export interface Replanned {
  /** Names this try of the plan. */
  token: string;
  prepared: Omit<Prepared, 'change_params'>;
  /** The items of the next question, and the names of others. */
  items: NamedItem[];
  marks: string;
  foreseen: Foreseen;
  /** The outcome codes of the whole plan: `k` for an item in conflict. */
  codes: string;
}

/** Makes a new plan the plan of the operation. */
export interface AdoptInput {
  operation_id: string;
  run_id: string;
  store_id: string;
  /** The edition that it gets. */
  edition: number;
  token: string;
  /** The attempt under which its first question is asked. */
  attempt: number;
  edit: Edit;
}

/** Why a new plan was not adopted: then the old one is as it was. */
export type Adopted = { refused: ErrorBody } | null;

/** A new plan for some places, as it is written to the ledger. */
export interface StagedPlan
  extends
    Pick<ReplanInput, 'operation_id' | 'run_id'>,
    Pick<Prepared, 'context' | 'change' | 'change_params'> {
  edition: number;
  token: string;
  items: (FrozenItem & { index: number })[];
}

/** An edition of a plan: what is done to the items that were run under it. */
export interface PlanEdition extends Pick<Prepared, 'context' | 'change'> {
  edition: number;
}

import { z } from 'zod';
import { upTo } from './text';

const count = z.number().int().min(0);
const value = upTo(300);

export const MAX_DIFFERENCES = 20;
export const MAX_NAMED_ITEMS = 5;
/** An agent's revisions in a row, without a person who starts one or confirms a batch. */
export const MAX_REVISIONS_BY_AGENTS = 3;

/** An operation that follows one that was sent back, and how it differs from that one. */
export const revisionSchema = z.object({
  /** 1 for the first revision. */
  number: count,
  /** How many agents' revisions in a row this is; 0 if a person started it. */
  by_agents: count,
  /** What the person said who sent the other one back. */
  guidance: z.object({ note: z.string(), by: z.string().optional(), at: z.iso.datetime() }),
  /** What is different: the domain, the action, parameters, the batch size or the reason. */
  differences: z.array(z.object({ name: value, from: value.optional(), to: value.optional() })),
  /** Its items beside those that were sent back: new ones, ones left out, and ones that were done before. */
  items: z.object({ added: count, removed: count, same: count, done_before: count }),
  /** Some of their names. */
  added: z.array(value),
  removed: z.array(value),
});
export type Revision = z.infer<typeof revisionSchema>;

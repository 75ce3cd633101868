import { z } from 'zod';
import { upTo } from './text';

const count = z.number().int().min(0);
const value = upTo(300);

export const MAX_DIFFERENCES = 20;
export const MAX_NAMED_ITEMS = 5;
/** The maximum number of consecutive revisions by agents, without a person who starts one or confirms a batch. */
export const MAX_REVISIONS_BY_AGENTS = 3;

/** The differences between an operation and the operation that it revises. */
export const revisionSchema = z.object({
  /** 1 for the first revision. */
  number: count,
  /** The number of consecutive revisions by agents, including this one; 0 if a person started it. */
  by_agents: count,
  /** The guidance of the person who sent the other operation back. */
  guidance: z.object({ note: z.string(), by: z.string().optional(), at: z.iso.datetime() }),
  /** The differences in the domain, the action, parameters, the batch size or the reason. */
  differences: z.array(z.object({ name: value, from: value.optional(), to: value.optional() })),
  /** The items compared with those that were sent back: added, removed, the same, and already done before. */
  items: z.object({ added: count, removed: count, same: count, done_before: count }),
  /** Names of some of these items. */
  added: z.array(value),
  removed: z.array(value),
});
export type Revision = z.infer<typeof revisionSchema>;

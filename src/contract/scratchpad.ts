import { z } from 'zod';

/** A value as JSON, in UTF-8 bytes: what fits into a workflow's history beside other things. */
export const MAX_ENTRY_BYTES = 1_000_000;
/** Of one session. */
export const MAX_ENTRIES = 200;
export const MAX_SESSION_BYTES = 20_000_000;

/** A key is written behind `ref:` within arguments, so it has no blanks. */
export const scratchpadKeySchema = z
  .string()
  .regex(/^[^\s\p{Cc}\p{Cs}]{1,150}$/u, '1 to 150 characters without blanks');

/** An entry as it is listed: without its value. */
export const scratchpadEntrySchema = z.object({
  key: z.string(),
  /** Of the value as JSON, in UTF-8. */
  bytes: z.number().int(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});
export type ScratchpadEntry = z.infer<typeof scratchpadEntrySchema>;

/**
 * What a session keeps beside its history, by key (specification G5). It survives restarts, and goes when its session is idle
 * for longer than the idle threshold; each of these keeps the session from being idle.
 */
export interface Scratchpad {
  /**
   * Puts a value in the place of what the key held.
   * @throws BatchgateError `INVALID_INPUT` when the value, or all of the session's, would be too large.
   */
  save(sessionId: string, key: string, value: unknown): Promise<ScratchpadEntry>;
  /** Those of the keys that are there. */
  read(sessionId: string, keys: readonly string[]): Promise<Map<string, unknown>>;
  /** In the order of their keys. */
  list(sessionId: string): Promise<ScratchpadEntry[]>;
  /** Whether there was one. */
  delete(sessionId: string, key: string): Promise<boolean>;
}

import { z } from 'zod';

/** The maximum size of a value as JSON, in UTF-8 bytes. It fits into a workflow's history beside other data. */
export const MAX_ENTRY_BYTES = 1_000_000;
/** The limits of one session. */
export const MAX_ENTRIES = 200;
export const MAX_SESSION_BYTES = 20_000_000;

/** A key follows `ref:` in arguments, so it has no blanks. */
export const scratchpadKeySchema = z
  .string()
  .regex(/^[^\s\p{Cc}\p{Cs}]{1,150}$/u, '1 to 150 characters without blanks');

/** An entry in a list, without its value. */
export const scratchpadEntrySchema = z.object({
  key: z.string(),
  /** The size of the value as JSON in UTF-8. */
  bytes: z.number().int(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});
export type ScratchpadEntry = z.infer<typeof scratchpadEntrySchema>;

/**
 * The data that a session keeps by key, outside its history (specification G5). It survives restarts, and is dropped
 * when the session is idle for longer than the idle threshold. Each of these calls is activity of the session.
 */
export interface Scratchpad {
  /**
   * Stores a value, and replaces the previous one.
   * @throws BatchgateError `INVALID_INPUT` if the value, or all values of the session together, would be too large.
   */
  save(sessionId: string, key: string, value: unknown): Promise<ScratchpadEntry>;
  /** Returns the values of the keys that exist. */
  read(sessionId: string, keys: readonly string[]): Promise<Map<string, unknown>>;
  /** Lists the entries in the order of their keys. */
  list(sessionId: string): Promise<ScratchpadEntry[]>;
  /** Deletes an entry, and returns whether it existed. */
  delete(sessionId: string, key: string): Promise<boolean>;
}

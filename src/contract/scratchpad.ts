import { z } from 'zod';
import { idSchema } from './text';

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

/**
 * The maximum length of a part of a value's JSON, in UTF-16 units. A unit takes at most three bytes, and JSON text
 * within JSON a little more, so a payload stays below 256 KB, where Temporal begins to warn.
 */
export const MAX_PART_LENGTH = 60_000;
const MAX_PARTS = 50;

const session_id = idSchema(150);
const text = z.string().max(MAX_PART_LENGTH);
const upload_id = z.uuid();

/** The argument of the workflow `scratchpad`. */
export const scratchpadRequestSchema = z.discriminatedUnion('verb', [
  z.strictObject({
    verb: z.literal('list'),
    session_id,
    offset: z.number().int().min(0).default(0),
    limit: z.number().int().min(1).max(100).default(50),
  }),
  z.strictObject({
    verb: z.literal('get'),
    session_id,
    key: scratchpadKeySchema,
    offset: z.number().int().min(0).default(0),
    limit: z.number().int().min(2).max(MAX_PART_LENGTH).default(MAX_PART_LENGTH),
  }),
  /** `text` is the whole value as JSON. */
  z.strictObject({ verb: z.literal('put'), session_id, key: scratchpadKeySchema, text }),
  /** One part of a longer value's JSON. */
  z.strictObject({
    verb: z.literal('upload'),
    upload_id,
    part: z.number().int().min(0).max(MAX_PARTS),
    text,
  }),
  /** Stores a value after all of its parts were uploaded. */
  z.strictObject({
    verb: z.literal('join'),
    session_id,
    key: scratchpadKeySchema,
    upload_id,
    parts: z.number().int().min(1).max(MAX_PARTS),
  }),
]);
export type ScratchpadRequest = z.input<typeof scratchpadRequestSchema>;

export interface ScratchpadListPage {
  entries: ScratchpadEntry[];
  total: number;
  /** The offset of the next page. */
  next_offset?: number;
}

/** A part of a value's JSON. */
export interface ScratchpadTextPage {
  key: string;
  text: string;
  offset: number;
  /** The length of the whole JSON, in the units of `offset`. */
  length: number;
  /** The digest of the whole value. Pages with different digests belong to different values. */
  digest: string;
  next_offset?: number;
}

export type ScratchpadAnswer = ScratchpadEntry | ScratchpadListPage | ScratchpadTextPage;

export interface ScratchpadActivities {
  accessScratchpad(request: ScratchpadRequest): Promise<ScratchpadAnswer>;
  /** Deletes the parts of an upload. */
  dropUpload(request: ScratchpadRequest): Promise<void>;
}

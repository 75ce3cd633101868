import { z } from 'zod';
import { scratchpadKeySchema, type ScratchpadEntry } from './scratchpad';
import { idSchema } from './text';

/**
 * The maximum length of a part of a value's JSON, in UTF-16 units. A unit takes at most three bytes, and JSON text
 * within JSON a little more, so a payload stays below 256 KB, from which on Temporal warns.
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
  /** Puts a value whose parts were all uploaded. */
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

import { z } from 'zod';
import { idSchema } from './text';

/** The chain of administrative acts and checkpoints. The other chains have the ids of operations. */
export const INSTALLATION = '';

/**
 * A fact for the audit record. `private` has the values that hygiene may delete, of the row or of an entry of `items`.
 * A salted hash of them remains. docs/audit-format.md lists the kinds; the set is open.
 */
export interface AuditRecord {
  kind: string;
  facts: AuditFacts & { items?: readonly AuditFacts[] };
  /** The name of the fact within its chain. Appending it again under the same name adds no second row. */
  fact?: string;
}
type AuditFacts = Readonly<Record<string, unknown>> & { private?: Readonly<Record<string, unknown>> };

/** Returns the text that a key signs for a line. The prefix separates it from all other signatures of batchgate. */
export const signedText = (hash: string): string => `batchgate-audit\n${hash}`;

/** Signs checkpoints. Both are lower-case hex: the 32 bytes of an Ed25519 public key, and a signature. */
export interface AuditKey {
  public_key: string;
  sign(text: string): string;
}

/** The key of the installation, and the previous key until its replacement is recorded. */
export interface AuditKeys {
  current: AuditKey;
  previous?: AuditKey;
}

/** A signed row that covers the other chains as of its time. */
export const checkpointSchema = z.object({
  seq: z.number().int(),
  hash: z.string(),
  at: z.iso.datetime(),
  public_key: z.string(),
  signature: z.string(),
});
export type Checkpoint = z.infer<typeof checkpointSchema>;

const time = z.iso.datetime({ offset: true }).optional();

/** The part of the record to export: one operation, or the rows of a period. Default: everything. */
export const auditRequestSchema = z.strictObject({
  operation_id: idSchema(150).optional(),
  since: time,
  until: time,
  /** Makes no checkpoint first. It also exports a record whose key is lost, up to its last checkpoint. */
  covered: z.boolean().optional(),
  /** `next` of the previous page. */
  cursor: z.string().max(1_000).optional(),
});
export type AuditRequest = z.infer<typeof auditRequestSchema>;

/** Lines of an export, in order. */
export const auditPageSchema = z.object({
  lines: z.array(z.string()),
  /** Absent after the last line. */
  next: z.string().optional(),
});
export type AuditPage = z.infer<typeof auditPageSchema>;

/** The time for which personal data stay in the record, in days. Default: as long as the ledger keeps the operation. */
export interface AuditRetention {
  /** By domain. */
  retention_days?: Readonly<Record<string, number>>;
  /** For the rows of administrative acts. Default: for ever. */
  administration_days?: number | undefined;
}

/** The audit record of a store. */
export interface AuditStore {
  append(chain: string, record: AuditRecord): Promise<void>;
  /** Records the configuration of a worker, if it differs from the last one recorded. */
  configured(configuration: unknown): Promise<void>;
  /**
   * Covers all rows since the last checkpoint. Returns the new checkpoints.
   * @throws BatchgateError `NOT_CONFIGURED` if this key is not the installation's.
   */
  checkpoint(keys: AuditKeys): Promise<Checkpoint[]>;
  /** Returns a page of an export of what checkpoints cover, with a header that the current key signs. */
  export(request: AuditRequest, keys: AuditKeys): Promise<AuditPage>;
  /** Deletes the personal data of operations of a domain without a write since `before`. Returns their number. */
  forget(rule: { domain?: string; except: readonly string[]; before: string }): Promise<number>;
  /** Like `forget`, for the administrative rows of whole days before a time. Returns whether there were any. */
  forgetAdministration(before: string): Promise<boolean>;
}

/** A job that was ended from outside, because it could not end itself. */
export const endRecordSchema = z.strictObject({
  job_id: idSchema(1_000),
  run_id: idSchema(150),
  reason: z.string(),
});
export type EndRecord = z.infer<typeof endRecordSchema>;

export interface AuditActivities {
  exportAudit(request: AuditRequest): Promise<AuditPage>;
  recordEnd(input: EndRecord): Promise<void>;
}

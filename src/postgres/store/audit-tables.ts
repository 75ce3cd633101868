import type { ColumnType, Generated } from 'kysely';

/** See audit-functions.ts. */
interface AuditTable {
  chain: string;
  seq: number;
  kind: string;
  at: Date;
  hash: string;
  /** The hashed text. */
  body: string;
  /** The texts of the sealed values of the body, by their hashes. */
  opened: ColumnType<Record<string, string> | null, never, never>;
  /** The name of the fact within its chain. */
  fact: string | null;
  public_key: string | null;
  signature: string | null;
}

/** The last row of each chain, and the last one that a checkpoint covers. */
interface AuditHeadsTable {
  chain: string;
  domain: string | null;
  seq: Generated<number>;
  hash: string | null;
  covered: Generated<number>;
  written_at: Generated<Date>;
  /** Its personal data are deleted. */
  forgotten: Generated<boolean>;
}

/** The leaves of the trees of checkpoints, from place 1 on. */
interface AuditLeavesTable {
  checkpoint: number;
  place: number;
  chain: string;
  leaf: string;
}

export interface AuditTables {
  audit: AuditTable;
  audit_heads: AuditHeadsTable;
  audit_leaves: AuditLeavesTable;
}

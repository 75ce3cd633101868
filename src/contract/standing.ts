import type { Role } from './access';

/** An approver for whom the HTTP API vouched: by the key that spoke for them, or by their sign-in. */
export interface VouchedApprover {
  subject: string;
  key?: string;
}

/**
 * What the store of the HTTP API knows of them now: the role and the groups of a key or of the latest sign-in, that the
 * key is no longer valid, or nothing.
 */
export type Standing = { role: Role; groups: string[] } | 'gone' | 'unknown';

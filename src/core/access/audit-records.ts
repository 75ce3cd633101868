import type { ApiKey, SignedIn, SignInLink } from '../../contract/access';
import type { AuditRecord } from '../../contract/audit';
import type { DecisionSignature, Passkey } from '../../contract/passkeys';
import type { ProfileChanges } from '../../contract/profile';

/** The rows of the audit record for administrative acts. */

const keyFacts = ({ key_id, name, role, session_prefix, created_at, expires_at, revoked_at }: ApiKey) => ({
  ...{ key_id, role, created_at, expires_at, revoked_at },
  private: { name, session_prefix },
});

export const keyRegistered = (key: ApiKey): AuditRecord => ({
  kind: 'key_registered',
  facts: keyFacts(key),
  fact: `key registered ${key.key_id}`,
});

export const keyRevoked = (key: ApiKey): AuditRecord => ({
  kind: 'key_revoked',
  facts: keyFacts(key),
  fact: `key revoked ${key.key_id}`,
});

export const linkMade = ({ name, role, expires_at, hash }: SignInLink): AuditRecord => ({
  kind: 'sign_in_link_made',
  facts: { role, expires_at, private: { name } },
  fact: `link made ${hash}`,
});

/** A person signed in, with this role until `expires_at`. */
export const signedIn = ({ name, role, subject, groups, expires_at }: SignedIn): AuditRecord => ({
  kind: 'signed_in',
  facts: { role, expires_at, private: { name, subject, groups } },
});

export const settingChanged = (profile: string, changes: ProfileChanges): AuditRecord => ({
  kind: 'setting_changed',
  facts: { profile, changes },
});

/** Operations whose rows hygiene has deleted. */
export const operationsDeleted = (operations: readonly string[]): AuditRecord => ({
  kind: 'operations_deleted',
  facts: { operations },
});

type PasskeyRow = Pick<Passkey, 'passkey_id' | 'subject' | 'by' | 'label'> & { public_key: string };

export const passkeyRegistered = ({
  passkey_id,
  public_key,
  subject,
  by,
  label,
}: PasskeyRow): AuditRecord => ({
  kind: 'passkey_registered',
  facts: { passkey_id, public_key, private: { subject, by, label } },
  fact: `passkey registered ${passkey_id}`,
});

export const passkeyRevoked = ({ passkey_id, public_key, subject, by, label }: PasskeyRow): AuditRecord => ({
  kind: 'passkey_revoked',
  facts: { passkey_id, public_key, private: { subject, by, label } },
  fact: `passkey revoked ${passkey_id}`,
});

/** The signature of a passkey, with everything that verifies it. It is in the chain of its operation. */
export const decisionSigned = ({ signature_id, passkey_id, ...own }: DecisionSignature): AuditRecord => ({
  kind: 'signature',
  facts: { signature_id, passkey_id, private: own },
  fact: `signature ${signature_id}`,
});

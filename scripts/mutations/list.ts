import { ADDRESS_MUTATIONS } from './addresses';
import { AGENT_MUTATIONS } from './agents';
import { APPROVAL_MUTATIONS } from './approvals';
import { AUDIT_MUTATIONS } from './audit';
import { DOOR_MUTATIONS } from './doors';
import { EDIT_MUTATIONS } from './edits';
import { GATE_MUTATIONS } from './gate';
import { LEDGER_MUTATIONS } from './ledger';
import type { Mutation } from './mutation';
import { QUESTION_MUTATIONS } from './questions';
import { REDACTION_MUTATIONS } from './redaction';
import { ROLE_MUTATIONS } from './roles';
import { SIGNATURE_MUTATIONS } from './signatures';

/** The guards of doors, seals, roles, approvals, the audit record, addresses, redaction and the gate, each removed. */
export const MUTATIONS: readonly Mutation[] = [
  ...GATE_MUTATIONS,
  ...APPROVAL_MUTATIONS,
  ...EDIT_MUTATIONS,
  ...ROLE_MUTATIONS,
  ...DOOR_MUTATIONS,
  ...QUESTION_MUTATIONS,
  ...SIGNATURE_MUTATIONS,
  ...AUDIT_MUTATIONS,
  ...AGENT_MUTATIONS,
  ...LEDGER_MUTATIONS,
  ...ADDRESS_MUTATIONS,
  ...REDACTION_MUTATIONS,
];

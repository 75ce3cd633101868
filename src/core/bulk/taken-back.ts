import type { AuditedDecision } from '../../contract/counted-approvals';
import type { Confirmation } from '../../contract/operation';
import { confirmationOf } from './answers';
import { approversOf } from './approving';
import { gateKey, type OperationState } from './operation';

/** Marks the confirmation of the scheduled batch as taken back. Returns it for the audit record, as a claim has it. */
export function marked(
  state: OperationState,
  withdrawal: NonNullable<Confirmation['withdrawn']>,
): { state: OperationState; confirmation?: AuditedDecision } {
  const confirmation = confirmationOf(state);
  if (!confirmation) return { state };
  const taken = { ...confirmation, withdrawn: withdrawal };
  const decision = state.accepted[gateKey(state.batch, state.attempt)];
  const { approvals, asked_since } = decision ? approversOf(decision, state.approving) : {};
  return {
    state: {
      ...state,
      confirmations: state.confirmations.map((one) => (one === confirmation ? taken : one)),
    },
    confirmation: {
      ...taken,
      ...(approvals && { approvals }),
      ...(asked_since !== undefined && { asked_since }),
    },
  };
}

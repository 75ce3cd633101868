import type { AuditedDecision } from '../../contract/counted-approvals';
import type { Confirmation } from '../../contract/operation';
import { confirmationOf } from './answers';
import { approversOf } from './approving';
import { gateKey, type OperationState } from './operation';

/** Marks the confirmation of the scheduled batch as taken back, and returns it in the form of the audit record. */
export function marked(
  state: OperationState,
  withdrawal: NonNullable<Confirmation['withdrawn']>,
): { state: OperationState; confirmation?: AuditedDecision } {
  const confirmation = confirmationOf(state);
  if (!confirmation) return { state };
  const entry = { ...confirmation, withdrawn: withdrawal };
  const decision = state.accepted[gateKey(state.batch, state.attempt)];
  const { approvals, asked_since } = decision ? approversOf(decision, state.approving) : {};
  return {
    state: {
      ...state,
      confirmations: state.confirmations.map((other) => (other === confirmation ? entry : other)),
    },
    confirmation: {
      ...entry,
      ...(approvals && { approvals }),
      ...(asked_since !== undefined && { asked_since }),
    },
  };
}

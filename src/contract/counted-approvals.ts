import type { Confirmation } from './operation';
import type { Approver } from './policy';

/** The facts besides the name for which a door vouches, for the audit record. Empty groups and roles are omitted. */
export type Vouched = Partial<Pick<Approver, 'subject' | 'groups' | 'roles' | 'key'>>;

/** An approver on whose behalf another person approves, until a time in milliseconds. `by_link`: through their link. */
export type Delegator = Pick<Approver, 'subject' | 'by'> &
  Vouched &
  Partial<Pick<Approver, 'assurance'>> & { until?: number | undefined; by_link?: true };

/** An approval that counted toward a batch, for the audit record. */
export type CountedApproval = Vouched &
  Pick<Confirmation, 'by' | 'via' | 'at' | 'assurance' | 'digest' | 'door' | 'signature'> & {
    for?: Omit<Delegator, 'until'> & { until?: string };
  };

/** A decision for the audit record. If there are `approvals`, the last one is this decision. */
export type AuditedDecision = Confirmation & { approver?: Vouched } & Partial<CountedTowards>;

/** The approvals of a batch. `asked_since`: the time of its first question, if further questions followed. */
export interface CountedTowards {
  approvals: CountedApproval[];
  asked_since?: string;
}

import type { Confirmation } from './operation';
import type { Approver } from './policy';

/** What a door vouches for of a person besides the name, for the audit record. Without groups and roles if there are none. */
export type Vouched = Partial<Pick<Approver, 'subject' | 'groups' | 'roles' | 'key'>>;

/** An approver in whose place another person approves, until a time in milliseconds. `by_link`: by a link of theirs. */
export type Delegator = Pick<Approver, 'subject' | 'by'> &
  Vouched &
  Partial<Pick<Approver, 'assurance'>> & { until?: number | undefined; by_link?: true };

/** An approval that counted toward a batch, for the audit record. */
export type CountedApproval = Vouched &
  Pick<Confirmation, 'by' | 'via' | 'at' | 'assurance' | 'digest' | 'door' | 'signature'> & {
    for?: Omit<Delegator, 'until'> & { until?: string };
  };

/** A decision for the audit record. With `approvals`, the last of them is this one. */
export type AuditedDecision = Confirmation & { approver?: Vouched } & Partial<CountedTowards>;

/** The approvals of a batch. `asked_since`: when it was first asked about, if others were asked later. */
export interface CountedTowards {
  approvals: CountedApproval[];
  asked_since?: string;
}

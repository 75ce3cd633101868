import type { BulkOperationInput } from './operation';

/** The requester and their reason, shown beside a question. */
export interface Requester extends Pick<BulkOperationInput, 'requested_by' | 'by_agent'> {
  reason: string;
}
